public import DIDComm

/// The kind of channel on which a message arrived, which decides the route of the answer.
public enum IncomingChannel: String, Hashable, Sendable, CaseIterable {
    /// A channel that can return one answer, such as an HTTP request.
    case single
    /// A persistent channel, such as a WebSocket.
    case persistent
}

/// The route of an answer to a message (RFC 0092).
public enum ReplyRoute: String, Hashable, Sendable, CaseIterable {
    /// The answer goes back on the channel of the message.
    case back
    /// The answer goes to the endpoint in the other side's document.
    case endpoint
    /// The answer goes nowhere: the other side has no endpoint and does not wait.
    case nowhere

    /// Returns the route of one answer, as RFC 0092 defines it.
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
