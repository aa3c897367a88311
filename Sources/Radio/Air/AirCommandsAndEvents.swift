public import Bluetooth
public import Determinism

/// The identifier of a device on one air; given by the air when the device is attached, never reused.
public struct AirDeviceID: Hashable, Comparable, Sendable {
    /// The number of the device, counted from 1.
    public let number: UInt32
    /// Makes the identifier of device `number`.
    public init(_ number: UInt32) { self.number = number }
    /// Orders devices by when they were attached.
    public static func < (left: AirDeviceID, right: AirDeviceID) -> Bool { left.number < right.number }
}

/// The radio conditions of a device: its capabilities and its faults.
public struct DeviceRadioConditions: Hashable, Sendable {
    /// The link parameters that the device's controller supports; nil for those of the peer.
    ///
    /// A connection takes the lesser of both ends in every field (the longer interval, the smaller data length, MTU and
    /// packets per event, LE 1M unless both have LE 2M); `LinkParameters` named "phone-5" when neither end says.
    public var link: LinkParameters?

    /// The share of ATT write commands received by this device that its host drops, as phones do: 0 to 1.
    ///
    /// The larger of both ends' values counts, for the central's write commands.
    public var writeCommandDropShare: Double

    /// The share of link-layer packets in either direction that arrive corrupted and are sent again: 0 to 1; the
    /// larger of both ends counts.
    public var packetLossShare: Double

    /// Signal strength at which others hear this device, in dBm.
    public var rssi: Int

    /// The frames that the host and controller of this device queue before the sender must wait: 1 to 1,024.
    public var queueCapacity: Int

    /// The outages during which this device is received badly and receives badly; outages of both ends count.
    public var outages: [AirOutage]

    /// The write commands of a link that this device's host drops, counted from 1 on each link.
    ///
    /// Those of both ends count, and `writeCommandDropShare` besides. A shared air does not pass them on.
    public var droppedWriteCommands: Set<Int>

    /// The notifications of a link that this device's host drops, counted from 1 on each link.
    ///
    /// Those of both ends count. A shared air does not pass them on.
    public var droppedNotifications: Set<Int>

    /// Makes conditions; the defaults are a perfect device.
    public init(
        link: LinkParameters? = nil, writeCommandDropShare: Double = 0, packetLossShare: Double = 0, rssi: Int = -50,
        queueCapacity: Int = 16, outages: [AirOutage] = [], droppedWriteCommands: Set<Int> = [],
        droppedNotifications: Set<Int> = []
    ) {
        self.droppedWriteCommands = droppedWriteCommands
        self.droppedNotifications = droppedNotifications
        self.link = link
        self.writeCommandDropShare = writeCommandDropShare
        self.packetLossShare = packetLossShare
        self.rssi = rssi
        self.queueCapacity = queueCapacity
        self.outages = outages
    }
}

/// A time in which the link-layer packets of one device get lost, on top of `packetLossShare`.
///
/// With a share of 1 the side that hears nothing ends the link after the supervision timeout, whether there is data or
/// not; a deaf side goes on sending, which is how a link comes to be half open.
public struct AirOutage: Hashable, Sendable {
    /// The direction of the packets that an outage affects.
    public enum Direction: String, Hashable, Sendable, CaseIterable {
        /// The outage affects the packets that the device sends.
        case sending
        /// The outage affects the packets that the device receives.
        case receiving
        /// The outage affects packets in both directions.
        case both
    }

    /// The beginning of the outage.
    public var from: MonotonicInstant
    /// The end of the outage.
    public var until: MonotonicInstant
    /// The packets that the outage affects.
    public var direction: Direction
    /// The share of packets that is lost: 0 to 1.
    public var lossShare: Double

    /// Makes an outage; the default loses everything.
    public init(
        from: MonotonicInstant, until: MonotonicInstant, direction: Direction = .both, lossShare: Double = 1
    ) {
        self.from = from
        self.until = until
        self.direction = direction
        self.lossShare = lossShare
    }
}

/// A command of a host to its simulated controller.
///
/// The air never traps on one: what makes no sense is ignored or answered by an event.
public enum AirCommand: Hashable, Sendable {
    /// Sets the radio conditions of the device; applies to connections made afterwards.
    case configure(DeviceRadioConditions)
    /// Starts advertising, or replaces what is advertised; the interval is clamped to 20,000 to 10,240,000
    /// microseconds.
    case startAdvertising(data: [UInt8], scanResponse: [UInt8], intervalMicroseconds: Int, isConnectable: Bool)
    /// Stops advertising. A connection stops it too, as a controller does.
    case stopAdvertising
    /// Advertises under a number beside the advertisement of `startAdvertising`, or replaces the one of this number,
    /// with the same limits; a connection does not stop it.
    case addAdvertisement(
        UInt8, data: [UInt8], scanResponse: [UInt8], intervalMicroseconds: Int, isConnectable: Bool)
    /// Stops the advertisement of this number.
    case removeAdvertisement(UInt8)
    /// Listens for advertisements all the time; each is reported, with its scan response when `isActive`.
    case startScanning(isActive: Bool)
    /// Stops scanning.
    case stopScanning
    /// Waits for the connectable advertiser `address` and connects to it.
    case connect(DeviceAddress)
    /// Cancels the pending `connect`; `connectCancelled` follows.
    case cancelConnect
    /// Queues one L2CAP frame (header included) on a link; `sent` follows when it has left the queue. More than the
    /// queue's capacity unsent ends the link.
    case send(LinkID, frame: [UInt8])
    /// Ends a link once the queued frames have been sent.
    case disconnect(LinkID)
    /// Requests the event `statistics` of a link.
    case readStatistics(LinkID)
}

/// An event that a simulated controller reports to its host.
public enum AirEvent: Hashable, Sendable {
    /// An advertisement or a scan response was heard.
    case report(AdvertisementReport)
    /// A connection is up; `queueCapacity` is how many unsent frames this side may have.
    case connected(LinkID, peer: DeviceAddress, isCentral: Bool, LinkParameters, queueCapacity: Int)
    /// The controller confirms that the pending `connect` was cancelled, or refuses it.
    case connectCancelled
    /// One frame left this side's queue: the peer's link layer acknowledged all of it.
    case sent(LinkID)
    /// One L2CAP frame arrived.
    case received(LinkID, frame: [UInt8])
    /// The answer to `readStatistics`.
    case statistics(LinkID, AirLinkStatistics)
    /// The link is down; `reason` is the HCI error code.
    case disconnected(LinkID, reason: UInt8, AirLinkStatistics)
}

/// The counters of one end of a link since it came up.
public struct AirLinkStatistics: Hashable, Sendable {
    /// Link-layer data packets sent, first tries only, empty ones not counted.
    public var packetsSent = 0
    /// Link-layer data packets received, empty ones not counted.
    public var packetsReceived = 0
    /// Link-layer packets that this side sent again.
    public var retransmissions = 0
    /// Write commands that this side's host dropped.
    public var droppedByHost = 0
    /// Connection events that carried data of this side.
    public var busyEvents = 0
    /// Connection events between the first and the last with data in which this side had nothing more to send though
    /// the event had room.
    public var idleEvents = 0
    /// Value bytes: frame bytes sent less the L2CAP header.
    public var bytesSent = 0
    /// The signal strength at which this end hears the other, in dBm; read by `readStatistics` alone.
    public var rssi: Int?

    /// Makes counters at zero.
    public init() {}
}
