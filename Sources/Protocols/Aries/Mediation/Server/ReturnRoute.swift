public import DIDComm

/// On what an agent's message came, for the way back.
public enum IncomingChannel: String, Hashable, Sendable, CaseIterable {
    /// A request that can be answered once.
    case single
    /// A line that stays open both ways.
    case persistent
}

/// Which way an answer goes.
public enum ReplyWay: String, Hashable, Sendable, CaseIterable {
    /// Back on the channel on which the question came.
    case back
    /// To the address in the other side's document.
    case endpoint
    /// Nowhere: the other side has no address and does not wait.
    case nowhere

    /// Decides for one answer, RFC 0092.
    ///
    /// The channel is taken when the sender asked for that, or on a line that stays open when he has no address. A request
    /// is answered once; what more there is goes to the address.
    /// - Parameter answered: whether something went back on this channel before.
    public static func deciding(
        for message: Message, on channel: IncomingChannel, answered: Bool, endpoint: ServiceEndpoint.Transport
    ) -> ReplyWay {
        let isAsked = ["all", "thread"].contains(message.returnRoute)
        let isOpen = channel == .persistent || !answered
        if isOpen, isAsked || channel == .persistent && endpoint == .queue { return .back }
        return endpoint == .queue ? .nowhere : .endpoint
    }
}
