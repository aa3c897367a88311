/// Keeps the live holds in the store as `LiveChannels` is in memory: which accounts have their live client at this
/// instance.
///
/// Writes of one account happen in order.
actor LiveClientHolds {
    private let instance: Int64
    private let holds: InstanceAccountHolds
    private let live: LiveChannels
    private let health: StoreHealth
    /// The last write of each account that has not ended.
    private var writes: [Int64: Task<Void, Never>] = [:]
    /// Accounts whose hold could not be written; the next look at the store compares them with it.
    private var unwritten: Set<Int64> = []
    private var isEnded = false

    init(_ context: MediatorContext, storage: MonitoredStore, live: LiveChannels) {
        instance = context.instance
        holds = InstanceAccountHolds(context: context, store: storage.store)
        self.live = live
        health = storage.health
    }

    /// Takes the hold of an account and makes the channel its live one.
    ///
    /// Returns when both are done: live delivery that is confirmed afterwards is in the store, so a client that has the
    /// confirmation and moves on to another instance is not followed by a late write of this one.
    func makeLive(_ channel: any LiveClient, for account: Int64) async {
        await afterWrites(of: account) {
            await self.take(account)
            self.live.add(channel, for: account)
        }
    }

    /// Frees the hold of an account whose channel is not live any more, unless another channel of it is live here.
    nonisolated func endedLive(_ account: Int64) {
        Task { await self.write(account) }
    }

    /// Closes the connection of a client that has connected to another instance since; takes the hold that no instance
    /// has.
    func compare(_ account: Int64) async throws(CloudAgentError) {
        // The client may come back while the store is read; its newer channel stays.
        guard let channel = live.channel(of: account) else { return }
        switch try await holds.liveHolder(of: account) {
        case instance: break
        case nil: await write(account)
        default: live.replace(channel, for: account)
        }
    }

    /// Writes the holds again that could not be written.
    ///
    /// A hold that another instance took meanwhile stays there.
    func retry() async throws(CloudAgentError) {
        for account in unwritten.sorted() {
            unwritten.remove(account)
            guard live.contains(account) else {
                await write(account)
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

    /// Stops writing holds, because the mediator ends.
    func end() {
        isEnded = true
        unwritten = []
    }

    /// Takes or frees the hold of an account in the store, as its client is live here or not.
    private func write(_ account: Int64) async {
        await afterWrites(of: account) {
            if self.live.contains(account) {
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
        guard !isEnded else { return }
        do throws(CloudAgentError) {
            _ = try await holds.take(.live, of: account)
            unwritten.remove(account)
        } catch {
            failed(account, error)
        }
    }

    private func free(_ account: Int64) async {
        guard !isEnded else { return }
        do throws(CloudAgentError) {
            try await holds.free(.live, of: account)
            unwritten.remove(account)
        } catch {
            failed(account, error)
        }
    }

    private func failed(_ account: Int64, _ error: CloudAgentError) {
        unwritten.insert(account)
        health.failed(error)
    }
}
