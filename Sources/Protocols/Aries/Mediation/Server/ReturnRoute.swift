public import DIDComm

/// The kind of channel on which a message came, which decides the route of the answer.
public enum IncomingChannel: String, Hashable, Sendable, CaseIterable {
    /// A request that can be answered once.
    case single
    /// The transport is a persistent connection, such as a WebSocket.
    case persistent
}

/// The route of an answer.
public enum ReplyRoute: String, Hashable, Sendable, CaseIterable {
    /// Back on the channel of the message.
    case back
    /// To the address in the other side's document.
    case endpoint
    /// None: the other side has no address and does not wait.
    case nowhere

    /// Decides the route of one answer, RFC 0092.
    ///
    /// The channel is used when the sender asked for that, or on a persistent connection when the sender has no
    /// address. A request is answered once; further answers go to the address.
    /// - Parameter answered: true when an answer went back on this channel before.
    public static func deciding(
        for message: Message, on channel: IncomingChannel, answered: Bool, endpoint: ServiceEndpoint.Transport
    ) -> ReplyRoute {
        let isAsked = ["all", "thread"].contains(message.returnRoute)
        let isOpen = channel == .persistent || !answered
        if isOpen, isAsked || channel == .persistent && endpoint == .queue { return .back }
        return endpoint == .queue ? .nowhere : .endpoint
    }
}
