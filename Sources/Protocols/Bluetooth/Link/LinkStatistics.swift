/// The counters and parameters that a radio reports for one link.
///
/// Counters start at zero when the link comes up; nil where the radio cannot tell.
public struct LinkStatistics: Hashable, Sendable {
    /// The link parameters that the controllers agreed on.
    public var parameters: LinkParameters?
    /// The ATT MTU in force.
    public var mtu: Int
    /// Link-layer data packets sent by this side, first tries only, empty ones not counted.
    public var packetsSent: Int?
    /// Link-layer data packets received by this side, empty ones not counted.
    public var packetsReceived: Int?
    /// Link-layer packets that had to be sent again by this side.
    public var retransmissions: Int?
    /// ATT PDUs sent and received.
    public var pdusSent: Int
    /// The number of ATT PDUs received.
    public var pdusReceived: Int
    /// Write commands or notifications that this host received and had to drop.
    public var droppedByHost: Int?
    /// Connection events in which this side's queue ran empty though the link could have carried more.
    public var idleEvents: Int?
    /// Connection events in which data was carried.
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
