/// The counters and parameters that a radio reports for one link.
///
/// Counters start at zero when the link comes up; nil where the radio cannot tell.
public struct LinkStatistics: Hashable, Sendable {
    /// The link parameters that the controllers agreed on.
    public var parameters: LinkParameters?
    /// The present ATT MTU of the link.
    public var mtu: Int
    /// The number of link-layer data packets sent, without retransmissions and empty packets.
    public var packetsSent: Int?
    /// The number of link-layer data packets received, without empty packets.
    public var packetsReceived: Int?
    /// The number of link-layer packets that this side sent again.
    public var retransmissions: Int?
    /// The number of ATT PDUs sent.
    public var pdusSent: Int
    /// The number of ATT PDUs received.
    public var pdusReceived: Int
    /// The number of write commands or notifications that this host received and dropped.
    public var droppedByHost: Int?
    /// The number of connection events in which the send queue ran empty before the link's capacity was used.
    public var idleEvents: Int?
    /// The number of connection events that carried data.
    public var busyEvents: Int?

    /// Makes statistics of a link that has just come up.
    public init(
        parameters: LinkParameters? = nil, mtu: Int = 23, packetsSent: Int? = nil, packetsReceived: Int? = nil,
        retransmissions: Int? = nil, pdusSent: Int = 0, pdusReceived: Int = 0, droppedByHost: Int? = nil,
        idleEvents: Int? = nil, busyEvents: Int? = nil
    ) {
        self.parameters = parameters
        self.mtu = mtu
        self.packetsSent = packetsSent
        self.packetsReceived = packetsReceived
        self.retransmissions = retransmissions
        self.pdusSent = pdusSent
        self.pdusReceived = pdusReceived
        self.droppedByHost = droppedByHost
        self.idleEvents = idleEvents
        self.busyEvents = busyEvents
    }
}
