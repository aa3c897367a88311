public import Bluetooth

/// Receives every packet that goes between host and controller, for a capture.
public protocol PacketTap: Sendable {
    /// Notes one packet; called in order for each radio, must return quickly and must not call the radio.
    func record(_ packet: TappedPacket)
}

/// One packet between host and controller, or the beginning or end of a link.
public struct TappedPacket: Hashable, Sendable {
    /// The direction of a packet, as the host sees it.
    public enum Direction: Hashable, Sendable {
        /// The host sent the packet to its controller.
        case sent
        /// The host received the packet from its controller.
        case received
    }

    /// The content of a packet.
    public enum Content: Hashable, Sendable {
        /// An advertisement or a scan response was heard.
        case report(AdvertisementReport)
        /// The link is up.
        case connected(isCentral: Bool, parameters: LinkParameters?)
        /// One L2CAP frame, its header of four bytes included.
        case frame([UInt8])
        /// The link is down; an HCI error code.
        case disconnected(reason: UInt8)
    }

    /// The time of the packet in microseconds since 1970-01-01T00:00:00Z.
    public var microsecondsSinceEpoch: Int64
    /// The direction of the packet.
    public var direction: Direction
    /// The number of the link, as in `LinkID`; 0 for a report.
    public var linkNumber: UInt64
    /// The address of the other device.
    public var peer: DeviceAddress
    /// The content of the packet.
    public var content: Content

    /// Makes a tapped packet from its parts.
    public init(
        microsecondsSinceEpoch: Int64, direction: Direction, linkNumber: UInt64, peer: DeviceAddress, content: Content
    ) {
        self.microsecondsSinceEpoch = microsecondsSinceEpoch
        self.direction = direction
        self.linkNumber = linkNumber
        self.peer = peer
        self.content = content
    }
}
