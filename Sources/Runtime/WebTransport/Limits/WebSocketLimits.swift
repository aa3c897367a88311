/// The limits of a WebSocket for its peer and for its own side; a service changes those of its own messages.
public struct WebSocketLimits: Hashable, Sendable {
    /// The longest message from the peer; a longer one closes with 1009.
    public var maximumMessageBytes = 1 << 20
    /// The longest message that is sent; a longer one is refused with `web.send.too-large`.
    public var maximumSentMessageBytes = 1 << 20
    /// The longest frame from the peer; a longer one closes with 1009.
    public var maximumFrameBytes = 1 << 20
    /// The most bytes that wait to be read; beyond them the socket is not read until some were taken.
    package var maximumUnreadBytes = 1 << 20
    /// The most messages that wait to be read.
    package var maximumUnreadMessages = 64
    /// The most bytes that wait to be sent; beyond them `send` waits.
    package var maximumUnsentBytes = 1 << 20
    /// The silence of a peer after which it is sent a ping; nil for never.
    package var pingInterval: Duration? = .seconds(30)
    /// The longest wait for the answer to a ping.
    package var pongDeadline: Duration = .seconds(10)
    /// The longest wait of a message while the peer takes nothing.
    package var sendDeadline: Duration = .seconds(60)
    /// The longest time for which a WebSocket is closing.
    package var closeDeadline: Duration = .seconds(5)

    /// Makes WebSocket limits with the default values.
    public init() {}
}
