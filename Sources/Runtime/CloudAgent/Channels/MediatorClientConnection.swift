import Aries
import WebTransport

/// One connection, with the sessions of the accounts that use it.
actor MediatorClientConnection {
    /// The most accounts on one connection.
    static let maximumAccounts = 8

    nonisolated let reply: any ReplyChannel
    /// The address of the other end.
    nonisolated let source: SocketAddress?
    private let services: ChannelServices
    private var channels: [Int64: AccountChannel] = [:]
    private var isEnded = false

    init(_ reply: any ReplyChannel, from source: SocketAddress?, services: ChannelServices) {
        self.reply = reply
        self.source = source
        self.services = services
    }

    func channel(of account: Int64) -> AccountChannel? { channels[account] }

    /// The session of an account, made on first use; nil when there are too many, or the connection is over.
    func open(_ entry: AccountEntry, _ body: AccountRecord, _ connection: Connection) -> AccountChannel? {
        if let known = channels[entry.number] { return known }
        guard !isEnded, channels.count < Self.maximumAccounts else { return nil }
        let channel = AccountChannel(entry, record: body, connection: connection, services: services, reply: reply)
        channels[entry.number] = channel
        if reply.channel == .persistent { services.live.channels.open(reply, for: entry.number) }
        return channel
    }

    /// Ends the sessions of all accounts on the connection.
    func end() async {
        isEnded = true
        let ended = channels
        channels = [:]
        for (account, channel) in ended {
            services.live.channels.end(reply, for: account)
            await channel.end()
        }
    }
}
