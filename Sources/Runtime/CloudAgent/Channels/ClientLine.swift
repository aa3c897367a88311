import Aries
import WebTransport

/// One connection, with the sessions of the accounts that speak on it.
actor ClientLine {
    /// The most accounts on one connection.
    static let maximumAccounts = 8

    nonisolated let carrier: any Carrier
    /// The address of the other end.
    nonisolated let source: SocketAddress?
    private let parts: AccountChannel.Parts
    private var channels: [Int64: AccountChannel] = [:]
    private var isEnded = false

    init(_ carrier: any Carrier, from source: SocketAddress?, _ parts: AccountChannel.Parts) {
        self.carrier = carrier
        self.source = source
        self.parts = parts
    }

    func channel(of account: Int64) -> AccountChannel? { channels[account] }

    /// The session of an account, made when there is none; nil when there are too many, or the connection is over.
    func open(_ entry: AccountEntry, _ body: AccountBody, _ connection: Connection) -> AccountChannel? {
        if let known = channels[entry.number] { return known }
        guard !isEnded, channels.count < Self.maximumAccounts else { return nil }
        let channel = AccountChannel(entry, body, connection, parts, carrier)
        channels[entry.number] = channel
        if carrier.channel == .persistent { parts.live.open(carrier, for: entry.number) }
        return channel
    }

    /// The connection is over.
    func end() async {
        isEnded = true
        let ended = channels
        channels = [:]
        for (account, channel) in ended {
            parts.live.end(carrier, for: account)
            await channel.end()
        }
    }
}
