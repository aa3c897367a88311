public import Bluetooth

/// Names a device on one air; given by the air when the device is attached, never reused.
public struct AirDeviceID: Hashable, Comparable, Sendable {
    /// The number of the device, counted from 1.
    public let number: UInt32
    /// Makes the name of device `number`.
    public init(_ number: UInt32) { self.number = number }
    /// Orders devices by when they were attached.
    public static func < (left: AirDeviceID, right: AirDeviceID) -> Bool { left.number < right.number }
}

/// Names a connection on one air, the same at both ends; never reused.
public struct AirLinkID: Hashable, Comparable, Sendable {
    /// The number of the connection, counted from 1.
    public let number: UInt32
    /// Makes the name of connection `number`.
    public init(_ number: UInt32) { self.number = number }
    /// Orders connections by when they came up.
    public static func < (left: AirLinkID, right: AirLinkID) -> Bool { left.number < right.number }
}

/// What a host asks of its simulated controller.
///
/// The air never traps on one: what makes no sense is ignored or refused by an event.
public enum AirCommand: Hashable, Sendable {
    /// Starts advertising, or replaces what is advertised. `interval` in microseconds, 20,000 to 10,240,000.
    case startAdvertising(data: [UInt8], scanResponse: [UInt8], intervalMicroseconds: Int, isConnectable: Bool)
    /// Stops advertising.
    case stopAdvertising
    /// Listens for advertisements all the time; each is reported, with a scan response when `isActive`.
    case startScanning(isActive: Bool)
    /// Stops listening.
    case stopScanning
    /// Waits for the advertiser `address` and connects to it with these parameters.
    case connect(DeviceAddress, LinkParameters)
    /// Gives up a `connect` that has not come about.
    case cancelConnect
    /// Queues one L2CAP frame (header included) on a link; the air answers `sent` when it has left the queue. A host keeps at most
    /// `AirEvent.connected.queueCapacity` frames unsent; more are refused by closing the link.
    case send(AirLinkID, frame: [UInt8])
    /// Ends a link once what is queued has been sent.
    case disconnect(AirLinkID)
}

/// What a simulated controller tells its host.
public enum AirEvent: Hashable, Sendable {
    /// An advertisement or a scan response was heard.
    case report(AdvertisementReport)
    /// A connection is up. `queueCapacity`: how many frames the controller and host queue of this side hold.
    case connected(AirLinkID, peer: DeviceAddress, isCentral: Bool, LinkParameters, queueCapacity: Int)
    /// `connect` was given up.
    case connectCancelled
    /// One frame left this side's queue: the peer's link layer acknowledged all of it.
    case sent(AirLinkID)
    /// One L2CAP frame arrived.
    case received(AirLinkID, frame: [UInt8])
    /// The link is down; `reason` is the HCI error code.
    case disconnected(AirLinkID, reason: UInt8)
}
