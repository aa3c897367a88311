import Determinism

/// What other instances did on the same store, and commands beside them: accounts that were closed, clients that came to
/// another instance. And tells them that this one lives, and whose clients it has.
actor Neighbours {
    /// How often signals are looked for when nothing says that there are some.
    static let look = Duration.seconds(2)
    /// How often this instance says that it lives, and how long it counts as alive then.
    static let (beat, life) = (Duration.seconds(5), Duration.seconds(30))
    /// How many signals are read at a time.
    private static let step = 500

    private let office: AgentOffice
    /// Up to where signals were followed; nil before the first look.
    private var last: Int64?
    private var beatAt = MonotonicInstant.zero
    private var isLooking = false
    private var isAsked = false
    /// The last write of an account's live hold that has not ended; writes of one account happen in order.
    private var writes: [Int64: Task<Void, Never>] = [:]
    /// Accounts whose live hold could not be written; the next look compares them with the store.
    private var unwritten: Set<Int64> = []

    init(_ office: AgentOffice) { self.office = office }

    private var store: any AgentStore { office.store }

    /// Is known to others, and knows from where on to look; before anybody is served.
    func begin() async throws(CloudAgentError) {
        if store.isShared { _ = try await beat() }
        last = try await store.newestSignal()
    }

    /// Goes on until it is cancelled.
    func run() async {
        while !Task.isCancelled {
            do { try await office.timekeeper.wait(until: office.timekeeper.now() + Self.look) } catch { return }
            await look()
        }
    }

    /// Is not counted on any more.
    func end() async { if store.isShared { try? await store.leave(office.instance) } }

    /// Follows what is new.
    func look() async {
        guard !isLooking else {
            isAsked = true
            return
        }
        isLooking = true
        repeat {
            isAsked = false
            do throws(CloudAgentError) {
                if store.isShared, office.timekeeper.now() >= beatAt, try await !beat() { try await compareAll() }
                try await follow()
                try await retryWrites()
                office.storeAnswered()
            } catch {
                office.storeFailed(error)
            }
        } while isAsked
        isLooking = false
    }

    /// - Returns: false when others had given this instance up.
    private func beat() async throws(CloudAgentError) -> Bool {
        beatAt = office.timekeeper.now() + Self.beat
        let end = office.wallTime(plus: Self.life)
        return try await store.beat(office.instance, until: end, at: office.wallTime())
    }

    private func follow() async throws(CloudAgentError) {
        guard let from = last else {
            last = try await store.newestSignal()
            return
        }
        let (signals, isComplete) = try await store.signals(after: from, limit: Self.step)
        for signal in signals {
            last = signal.number
            switch signal.kind {
            case .closed: await office.forget(signal.account)
            case .live: if signal.instance != office.instance { try await compare(signal.account) }
            }
        }
        guard !isComplete else { return }
        // More are there, or some are gone that nobody has read.
        if signals.count == Self.step {
            isAsked = true
            return
        }
        last = try await store.newestSignal()
        try await compareAll()
    }

    /// Holds what is in memory against the store.
    private func compareAll() async throws(CloudAgentError) {
        for account in office.live.accounts {
            guard try await store.account(account) != nil else {
                await office.forget(account)
                continue
            }
            if store.isShared { try await compare(account) }
        }
    }

    /// Closes the connection of a client that has come to another instance since.
    private func compare(_ account: Int64) async throws(CloudAgentError) {
        // The client may come back to this instance while the store is read; its newer channel stays.
        guard let channel = office.live.channel(of: account) else { return }
        switch try await store.holder(of: .live, of: account, at: office.wallTime()) {
        case office.instance: break
        case nil: await writeHold(of: account)
        default: office.live.replace(channel)
        }
    }

    /// Takes the live hold of an account and makes the channel its live one.
    ///
    /// Returns when both are done: an answer that is sent
    /// afterwards is never older than the hold, so a client that has the answer and moves on to another instance is not followed by
    /// a late write of this one.
    func makeLive(_ channel: AccountChannel) async {
        await afterWrites(of: channel.account) {
            await self.take(channel.account)
            self.office.live.add(channel, for: channel.account)
        }
    }

    /// The channel of an account is not live any more, which frees the hold unless another channel is.
    nonisolated func endedLive(_ account: Int64) {
        guard office.store.isShared else { return }
        Task { await self.writeHold(of: account) }
    }

    /// Writes whether the client of an account is live here.
    private func writeHold(of account: Int64) async {
        await afterWrites(of: account) {
            if self.office.live.contains(account) {
                await self.take(account)
            } else {
                await self.free(account)
            }
        }
    }

    private func afterWrites(of account: Int64, _ write: @escaping @Sendable () async -> Void) async {
        let previous = writes[account]
        let task = Task {
            await previous?.value
            await write()
        }
        writes[account] = task
        await task.value
        if writes[account] == task { writes[account] = nil }
    }

    private func take(_ account: Int64) async {
        do throws(CloudAgentError) {
            _ = try await store.take(.live, of: account, by: office.instance, at: office.wallTime())
            unwritten.remove(account)
        } catch {
            failed(account, error)
        }
    }

    private func free(_ account: Int64) async {
        do throws(CloudAgentError) {
            try await store.free(.live, of: account, by: office.instance)
            unwritten.remove(account)
        } catch {
            failed(account, error)
        }
    }

    private func failed(_ account: Int64, _ error: CloudAgentError) {
        unwritten.insert(account)
        office.storeFailed(error)
    }

    /// Writes again what could not be written.
    ///
    /// A hold that another instance took meanwhile stays there.
    private func retryWrites() async throws(CloudAgentError) {
        for account in unwritten.sorted() {
            unwritten.remove(account)
            guard office.live.contains(account) else {
                await writeHold(of: account)
                continue
            }
            do throws(CloudAgentError) {
                try await compare(account)
            } catch {
                unwritten.insert(account)
                throw error
            }
        }
    }
}
