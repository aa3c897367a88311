import Determinism

/// Who is told of mail: for each account the newest channel that wants to be.
final class LiveChannels: Sendable {
    private let channels = Lock<[Int64: AccountChannel]>([:])

    var count: Int { channels.withLock { $0.count } }

    /// Whether the client of an account is told of mail.
    func contains(_ account: Int64) -> Bool { channels.withLock { $0[account] != nil } }

    /// From now on this channel is told; the one before it is closed.
    func add(_ channel: AccountChannel, for account: Int64) {
        let older = channels.withLock { channels in
            let older = channels[account]
            channels[account] = channel
            return older
        }
        guard let older, older !== channel else { return }
        older.carrier.close(.replaced, "A newer connection of the same client has taken over.")
    }

    /// - Returns: whether this channel was told until now.
    func remove(_ channel: AccountChannel, for account: Int64) -> Bool {
        channels.withLock { channels in
            guard channels[account] === channel else { return false }
            channels[account] = nil
            return true
        }
    }

    /// Mail has come for an account, or nil: for any.
    ///
    /// - Returns: whether somebody is told.
    @discardableResult
    func tell(_ account: Int64?) -> Bool {
        let told = channels.withLock { channels in
            account.map { account in channels[account].map { [$0] } ?? [] } ?? Array(channels.values)
        }
        for channel in told { Task { await channel.mailArrived() } }
        return !told.isEmpty
    }

    func close(_ account: Int64, reason: String) {
        let channel = channels.withLock { $0.removeValue(forKey: account) }
        channel?.carrier.close(.accountClosed, reason)
    }
}
