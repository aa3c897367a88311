import Aries
import AriesRuntime
import CryptoSuite
import DIDComm
import Determinism

/// Brings mail to clients that have an address of their own, in its order: a message is forgotten when the client's server
/// took it, and brought again until then.
actor EndpointDelivery {
    /// The most clients that are remembered to have no address.
    static let maximumRemembered = 10_000
    /// The most clients that are brought mail at one time.
    static let maximumActive = 64
    /// How many messages are read at a time.
    private static let batchCount = 20

    private struct Run {
        var failures = 0
        var isActive = false
        /// Whether more may have come meanwhile.
        var isAsked = false
    }

    private enum Outcome {
        case done
        case failed
        /// The client is told of mail otherwise.
        case notByAddress
    }

    private let office: AgentOffice
    private let waits: [Duration]
    private var runs: [Int64: Run] = [:]
    private var active = 0
    private var waiting: [Int64] = []
    private var withoutAddress: Set<Int64> = []
    private var isEnded = false

    init(_ office: AgentOffice, waits: [Duration]) {
        self.office = office
        self.waits = waits
    }

    /// Mail has come for an account that is not told of it on a line.
    func mailArrived(_ account: Int64) {
        guard !isEnded, !withoutAddress.contains(account) else { return }
        guard runs[account] == nil else {
            runs[account]?.isAsked = true
            return
        }
        runs[account] = Run()
        begin(account)
    }

    /// The client of an account has a new document.
    func forget(_ account: Int64) { withoutAddress.remove(account) }

    /// Brings nothing more.
    func end() {
        isEnded = true
        (runs, waiting) = ([:], [])
    }

    /// Looks for accounts for which mail waits.
    func lookForAll() async {
        var last: Int64 = 0
        while !isEnded, let accounts = try? await office.store.accounts(after: last, limit: 200),
            let end = accounts.last
        {
            last = end.number
            for account in accounts where account.queue.count > 0 && !office.live.contains(account.number) {
                mailArrived(account.number)
            }
        }
    }

    private func begin(_ account: Int64) {
        guard active < Self.maximumActive else { return waiting.append(account) }
        guard runs[account]?.isActive == false else { return }
        active += 1
        runs[account]?.isActive = true
        runs[account]?.isAsked = false
        Task { await self.run(account) }
    }

    private func run(_ account: Int64) async {
        let outcome = await bring(account)
        active -= 1
        runs[account]?.isActive = false
        switch outcome {
        case .done:
            let isAsked = runs[account]?.isAsked ?? false
            runs[account] = isAsked ? Run() : nil
            if isAsked { begin(account) }
        case .notByAddress: runs[account] = nil
        case .failed: await retry(account)
        }
        while active < Self.maximumActive, !waiting.isEmpty { begin(waiting.removeFirst()) }
    }

    private func retry(_ account: Int64) async {
        guard let failures = runs[account]?.failures else { return }
        runs[account]?.failures += 1
        office.tally.add(to: \.undelivered)
        let wait = waits.isEmpty ? Duration.seconds(300) : waits[min(failures, waits.count - 1)]
        let timekeeper = office.timekeeper
        Task { [weak self] in
            do { try await timekeeper.wait(until: timekeeper.now() + wait) } catch { return }
            await self?.begin(account)
        }
    }

    /// Brings everything that waits.
    private func bring(_ account: Int64) async -> Outcome {
        do throws(CloudAgentError) {
            guard let service = try await service(of: account) else { return .notByAddress }
            while !isEnded {
                // Whoever is connected fetches by himself, and each message comes one way.
                if office.live.contains(account) { return .notByAddress }
                let messages = try await office.store.fetch(
                    .after(0, key: nil), of: account, limit: Self.batchCount, maximumBytes: 1 << 20, claim: nil)
                guard let messages, !messages.isEmpty else { return .done }
                for message in messages {
                    guard let envelope = Self.wrapped(message.envelope, for: service),
                        await office.courier.attempt(envelope, service.endpoint)
                    else { return .failed }
                    office.tally.add(to: \.handedOut)
                    _ = try await office.store.remove([message.id], of: account)
                }
            }
            return .done
        } catch {
            office.tally.add(to: \.storeFailures)
            return .failed
        }
    }

    private func service(of account: Int64) async throws(CloudAgentError) -> PeerService? {
        guard let entry = try await office.store.account(account), entry.isServed else { return nil }
        let connection = try AccountBody(entry.body, by: office.secret).connection
        guard let service = try? connection?.theirs.service(), service.endpoint.transport != .queue else {
            if withoutAddress.count >= Self.maximumRemembered { withoutAddress = [] }
            withoutAddress.insert(account)
            return nil
        }
        return service
    }

    private static func wrapped(_ envelope: [UInt8], for service: PeerService) -> [UInt8]? {
        guard let recipient = service.recipientKeys.first else { return nil }
        var codec = EnvelopeCodec(limits: AgentOffice.outgoingLimits)
        var random = SystemRandom()
        return try? codec.wrap(envelope, for: recipient, via: service.routingKeys, random: &random)
    }
}
