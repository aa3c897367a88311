import Determinism

/// A live client: messages are delivered to it unasked.
///
/// A protocol, so that `LiveChannels` does not depend on everything that an `AccountChannel` uses.
protocol LiveClient: AnyObject, Sendable {
    /// The connection of the client.
    var reply: any ReplyChannel { get }
    /// The time of the client's last message.
    var heard: MonotonicInstant { get }
    /// Handles the news that mail may have come for the client.
    func mailArrived() async
    /// Handles a store that went back to an earlier state than before.
    func queueWentBack() async
}

/// For each account the newest channel whose client is live, and all WebSockets that accounts have used.
final class LiveChannels: Sendable {
    private let channels = Lock<[Int64: any LiveClient]>([:])
    private let sockets = Lock<[Int64: [ObjectIdentifier: any ReplyChannel]]>([:])
    private let watches = Lock<[Int64: @Sendable () -> Void]>([:])
    private let fetchRetry = Lock(FetchRetry())

    /// The accounts whose clients are live, in the order of their numbers.
    var accounts: [Int64] { channels.withLock { $0.keys.sorted() } }

    /// Notes that an account uses a WebSocket.
    func open(_ reply: any ReplyChannel, for account: Int64) {
        sockets.withLock { $0[account, default: [:]][ObjectIdentifier(reply)] = reply }
    }

    /// Records that a WebSocket of an account has ended.
    func end(_ reply: any ReplyChannel, for account: Int64) {
        sockets.withLock { sockets in
            sockets[account]?[ObjectIdentifier(reply)] = nil
            if sockets[account]?.isEmpty == true { sockets[account] = nil }
        }
    }

    var count: Int { channels.withLock { $0.count } }

    /// Returns true when the client of an account is live.
    func contains(_ account: Int64) -> Bool { channels.withLock { $0[account] != nil } }

    /// Makes this channel the live one of its account; closes the previous one.
    func add(_ channel: any LiveClient, for account: Int64) {
        let older = channels.withLock { channels in
            let older = channels[account]
            channels[account] = channel
            return older
        }
        changed(account)
        guard let older, older !== channel else { return }
        Self.replace(older)
    }

    /// The live channel of an account; nil for none.
    func channel(of account: Int64) -> (any LiveClient)? { channels.withLock { $0[account] } }

    /// Closes a channel whose client has connected to another instance, if it is still the live one of its account.
    func replace(_ channel: any LiveClient, for account: Int64) {
        guard self.channel(of: account) === channel else { return }
        Self.replace(channel)
    }

    private static func replace(_ channel: any LiveClient) {
        channel.reply.close(.replaced, "A newer connection of the same client has taken over.")
    }

    /// Removes a channel whose client is not live any more.
    ///
    /// - Returns: whether the channel was the live one until now.
    func remove(_ channel: any LiveClient, for account: Int64) -> Bool {
        let wasLive = channels.withLock { channels in
            guard channels[account] === channel else { return false }
            channels[account] = nil
            return true
        }
        if wasLive { changed(account) }
        return wasLive
    }

    /// The time of the last message of an account's live client; nil when the account has no live client.
    func heard(_ account: Int64) -> MonotonicInstant? { channels.withLock { $0[account] }?.heard }

    /// Calls `change` once, when `heard` of the account may have changed; replaces the previous watch of the account.
    func watch(_ account: Int64, _ change: @escaping @Sendable () -> Void) {
        watches.withLock { $0[account] = change }
    }

    /// Removes the watch of an account.
    func unwatch(_ account: Int64) { _ = watches.withLock { $0.removeValue(forKey: account) } }

    /// Calls the watch of an account, because its client sent a message, became live, or is no longer live.
    func changed(_ account: Int64) {
        let change = watches.withLock { $0.removeValue(forKey: account) }
        change?()
    }

    /// Tells the live client of an account that mail has come; nil tells all live clients.
    ///
    /// - Returns: whether a client is live.
    @discardableResult
    func tell(_ account: Int64?) -> Bool {
        let receivers = channels.withLock { channels in
            account.map { account in channels[account].map { [$0] } ?? [] } ?? Array(channels.values)
        }
        for channel in receivers { Task { await channel.mailArrived() } }
        return !receivers.isEmpty
    }

    /// Tells all live clients that the store is in an earlier state than before.
    func queueWentBack() {
        for channel in channels.withLock({ Array($0.values) }) { Task { await channel.queueWentBack() } }
    }

    /// Records that the store failed to report the waiting messages of a live client.
    func fetchFailed(_ account: Int64) { fetchRetry.withLock { $0.failed(account) } }

    /// Lets live clients whose last fetch failed fetch again, if their retry is due, because the store answers again.
    func retryFetches(at now: MonotonicInstant) {
        for account in fetchRetry.withLock({ $0.due(at: now) }) { tell(account) }
    }

    /// Closes all WebSockets that an account uses.
    func close(_ account: Int64, reason: String) {
        _ = channels.withLock { $0.removeValue(forKey: account) }
        changed(account)
        let replies = sockets.withLock { $0.removeValue(forKey: account) } ?? [:]
        for reply in replies.values { reply.close(.accountClosed, reason) }
    }
}
