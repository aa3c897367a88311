import Aries
import CryptoSuite
import DIDComm
import Determinism
import WebTransport

/// One account in a soak: its sender sends, and its client fetches in one of several patterns.
actor SoakAccount {
    /// The patterns in which a client fetches.
    enum FetchPattern: Int, Sendable, CaseIterable {
        /// A WebSocket that stays open, with live delivery.
        case live
        /// A batch every few seconds.
        case batches
        /// A WebSocket that is closed after a few seconds.
        case flapping
        /// Rarely.
        case away
    }

    private static let maximumKeys = 8

    private let number: Int
    private let manner: FetchPattern
    private let invitation: Aries.Invitation
    private let ledger: SoakDeliveryCheck
    private let service: WebService
    private let clock: SoakRunState
    private var random: SeededRandom
    private var codec = EnvelopeCodec()
    private var entropy = SystemRandom()
    private var client: BenchClient?
    private var routing: Verkey?
    private var keys: [Verkey] = []

    init(
        _ number: Int, _ invitation: Aries.Invitation, _ ledger: SoakDeliveryCheck, _ service: WebService,
        _ clock: SoakRunState,
        random: SeededRandom
    ) {
        self.number = number
        manner = FetchPattern.allCases[number % FetchPattern.allCases.count]
        self.invitation = invitation
        self.ledger = ledger
        self.service = service
        self.clock = clock
        self.random = random
    }

    /// Opens the account.
    func open() async throws {
        let client = try await BenchClient.connect(invitation, service: service)
        routing = try await client.requestMediation()
        ledger.count(\.accountsMade)
        keys = []
        for _ in 0..<3 { try await addKey(client) }
        self.client = client
    }

    private func addKey(_ client: BenchClient) async throws {
        let key = AgentKey.make(from: &entropy).verkey
        try await client.change([key], "add")
        keys.append(key)
        ledger.count(\.keysAdded)
    }

    /// Asks for the number of messages that wait at the agent.
    func waiting() async throws -> Int { try await client?.waiting() ?? 0 }

    // The sender.

    /// Sends, and from time to time changes keys or connects again, until the soak drains.
    func send(every interval: Double) async {
        await clock.pause(interval * random.share)
        while !clock.isDraining {
            do { try await step() } catch { await failed() }
            await clock.pause(interval * (0.5 + random.share))
        }
    }

    private func step() async throws {
        guard let client else { return try await open() }
        switch random.within(0...4999) {
        case 0: try await renew(client)
        case 1...50 where keys.count < Self.maximumKeys: try await addKey(client)
        case 51...100 where keys.count > 1: try await removeKey(client)
        default: await post()
        }
    }

    private func post() async {
        guard let routing, let client, !keys.isEmpty else { return }
        let message = ledger.begin(for: number)
        let padding = String(repeating: "x", count: random.within(100...3000))
        let text = Array("{\"number\":\(message),\"text\":\"\(padding)\"}".utf8)
        let key = keys[random.within(0...keys.count - 1)]
        guard let envelope = try? codec.wrap(text, for: key, via: [routing], random: &entropy) else { return }
        switch try? await BenchClient.post(envelope, to: client.endpoint, service).status {
        case 202?: ledger.accepted(message)
        case nil: ledger.unanswered(message, \.uncertain)
        case let status?: ledger.deferred(message, status: status)
        }
    }

    /// Waits until the account's client has received everything; returns false when it has not in time.
    private func isEmpty() async throws -> Bool {
        for _ in 0..<900 where ledger.awaited(by: number) > 0 && !clock.isDraining { await clock.pause(0.2) }
        for _ in 0..<900 where !clock.isDraining {
            if try await waiting() == 0 { return true }
            await clock.pause(0.2)
        }
        return false
    }

    private func removeKey(_ client: BenchClient) async throws {
        guard !keys.isEmpty, try await isEmpty() else { return }
        let key = keys.removeFirst()
        try await client.change([key], "remove")
        ledger.count(\.keysRemoved)
    }

    private func renew(_ client: BenchClient) async throws {
        guard try await isEmpty() else { return }
        self.client = nil
        try await client.hangUp()
        ledger.count(\.accountsDeleted)
        try await open()
    }

    // The client of the account.

    /// Fetches the messages of the account until the soak ends.
    func fetch() async {
        while !clock.isOver {
            do {
                guard let client else {
                    await clock.pause(0.1)
                    continue
                }
                switch manner {
                case .live: try await live(client, for: 1_000_000)
                case .flapping: try await live(client, for: 0.3 + 6 * random.share)
                case .batches:
                    await clock.pause(clock.isDraining ? 0.5 : 1 + 9 * random.share)
                    try await empty(client)
                case .away:
                    await clock.pause(clock.isDraining ? 0.5 : 60 + 120 * random.share)
                    try await empty(client)
                }
            } catch {
                await failed()
            }
        }
    }

    private func failed() async {
        ledger.count(\.failures)
        try? await Task.sleep(for: .milliseconds(500))
    }

    private func empty(_ client: BenchClient) async throws {
        while !clock.isOver {
            let mail = try await client.deliver(random.within(1...50))
            guard !mail.isEmpty else { break }
            note(mail)
            // Sometimes a client does not acknowledge, and gets the messages again.
            if !random.chance(0.02) { try await client.acknowledge(mail) }
        }
    }

    /// Listens on a WebSocket for `seconds`.
    private func live(_ client: BenchClient, for seconds: Double) async throws {
        let socket = try await client.openSocket()
        ledger.count(\.socketsOpened)
        let clock = clock
        let end = Task {
            await clock.pause(seconds)
            await clock.drained()
            socket.close(.goingAway)
        }
        defer { end.cancel() }
        do {
            try await listen(client, socket)
        } catch let error as WebError {
            // A closed WebSocket is opened again, after a wait: clients that return at once burden a server in trouble.
            guard [.socketClosed, .connectionLost].contains(error.code) else { throw error }
            await failed()
        }
        // The other side has ended it; a client that renews its account does so, too.
        if manner == .live, !clock.isDraining, self.client === client { ledger.count(\.liveSocketsLost) }
    }

    /// First the waiting messages, then live delivery: in the other order new messages would overtake them.
    private func listen(_ client: BenchClient, _ socket: WebSocketConnection) async throws {
        var isLive = false
        try await socket.send(try await client.deliveryRequest(50))
        for try await message in socket.messages {
            let (mail, waiting): ([BenchClient.DeliveredMessage], Int?)
            do {
                (mail, waiting) = try await client.read(message)
            } catch let error as AriesError where error == BenchClient.refused {
                // The agent could not do what was asked. What it could not remove, it hands out again when it is asked.
                await failed()
                guard !clock.isOver else { return }
                isLive = false
                try await socket.send(try await client.deliveryRequest(50))
                continue
            }
            if !mail.isEmpty {
                note(mail)
                try await socket.send(try await client.receipt(mail))
            } else if !isLive, let waiting {
                isLive = waiting == 0
                try await socket.send(isLive ? try await client.liveRequest() : try await client.deliveryRequest(50))
            }
        }
    }

    private func note(_ mail: [BenchClient.DeliveredMessage]) {
        for message in mail {
            ledger.arrived(
                Self.number(in: message.envelope), id: message.id, at: number, isLive: manner == .live)
        }
    }

    /// The number that a message was sent with.
    private static func number(in envelope: [UInt8]) -> Int? {
        let digits = envelope.dropFirst("{\"number\":".utf8.count).prefix { (48...57).contains($0) }
        return Int(String(decoding: digits, as: UTF8.self))
    }
}

/// The phase of a soak.
final class SoakRunState: Sendable {
    private enum Phase { case sending, draining, over }

    private let phase = Lock(Phase.sending)

    /// True once sending has ended.
    var isDraining: Bool { phase.withLock { $0 != .sending } }
    /// True once clients are to end.
    var isOver: Bool { phase.withLock { $0 == .over } }

    func drain() { phase.withLock { $0 = .draining } }
    func end() { phase.withLock { $0 = .over } }

    /// Waits until the soak is over, if it drains; a cancelled task does not wait.
    func drained() async {
        while isDraining, !isOver, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(100)) }
    }

    /// Waits `seconds`, or until the phase changes.
    func pause(_ seconds: Double) async {
        let start = phase.withLock { $0 }
        let clock = ContinuousClock()
        let end = clock.now + .seconds(seconds)
        while clock.now < end, phase.withLock({ $0 }) == start, !Task.isCancelled {
            let rest = end - clock.now
            try? await Task.sleep(for: min(rest, .milliseconds(500)), tolerance: .zero)
        }
    }
}

extension SeededRandom {
    /// A random number from 0 to below 1.
    fileprivate var share: Double {
        mutating get { Double(within(0...999_999)) / 1_000_000 }
    }
}
