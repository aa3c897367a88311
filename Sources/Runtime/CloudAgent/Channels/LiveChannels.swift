import Determinism

/// Who is told of mail: for each account the newest channel that wants to be.
///
/// And all lines that accounts speak on.
final class LiveChannels: Sendable {
    private let channels = Lock<[Int64: AccountChannel]>([:])
    private let lines = Lock<[Int64: [ObjectIdentifier: any Carrier]]>([:])

    /// The accounts whose clients are told of mail, in the order of their numbers.
    var accounts: [Int64] { channels.withLock { $0.keys.sorted() } }

    /// An account speaks on a line that stays open.
    func open(_ carrier: any Carrier, for account: Int64) {
        lines.withLock { $0[account, default: [:]][ObjectIdentifier(carrier)] = carrier }
    }

    /// It does not any more.
    func end(_ carrier: any Carrier, for account: Int64) {
        lines.withLock { lines in
            lines[account]?[ObjectIdentifier(carrier)] = nil
            if lines[account]?.isEmpty == true { lines[account] = nil }
        }
    }

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
        Self.replace(older)
    }

    /// The live channel of an account; nil for none.
    func channel(of account: Int64) -> AccountChannel? { channels.withLock { $0[account] } }

    /// Closes a channel whose client has come to another instance, if it is still the live one of its account.
    func replace(_ channel: AccountChannel) {
        guard self.channel(of: channel.account) === channel else { return }
        Self.replace(channel)
    }

    private static func replace(_ channel: AccountChannel) {
        channel.carrier.close(.replaced, "A newer connection of the same client has taken over.")
    }

    /// - Returns: whether it was told until now.
    func remove(_ channel: AccountChannel, for account: Int64) -> Bool {
        channels.withLock { channels in
            guard channels[account] === channel else { return false }
            channels[account] = nil
            return true
        }
    }

    /// When the client of an account that is told of mail was heard last; nil when it is not told.
    func heard(_ account: Int64) -> MonotonicInstant? { channels.withLock { $0[account] }?.heard }

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

    /// Closes all lines that an account speaks on.
    func close(_ account: Int64, reason: String) {
        _ = channels.withLock { $0.removeValue(forKey: account) }
        let carriers = lines.withLock { $0.removeValue(forKey: account) } ?? [:]
        for carrier in carriers.values { carrier.close(.accountClosed, reason) }
    }
}
