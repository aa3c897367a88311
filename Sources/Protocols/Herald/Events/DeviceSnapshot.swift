public import Bluetooth
public import Determinism

/// The state of one device as a node knows it (HP-31).
public struct DeviceSnapshot: Hashable, Sendable {
    /// The identifier of the device in this run.
    public var target: TargetID
    /// The address under which the device was noticed last; nil when it is unknown.
    public var address: DeviceAddress?
    /// The device's pseudo address; nil without one.
    public var pseudoAddress: PseudoDeviceAddress?
    /// True when a connection or a write has shown that the device speaks Herald.
    public var isConfirmed: Bool
    /// The device's signal characteristic; nil while it is not known.
    public var signal: SignalCharacteristicKind?
    /// True when the device is known only by its writes.
    public var isReceiveOnly: Bool
    /// The device's payload; nil while it is not known.
    public var payload: [UInt8]?
    /// The source from which its payload was learnt; nil while it is not known.
    public var provenance: ObservationSource?
    /// The time of the first sign of the device.
    public var firstNoticed: MonotonicInstant
    /// The time of the last sign of the device.
    public var lastNoticed: MonotonicInstant
    /// The last signal strength reading in dBm; nil without one.
    public var rssi: Int?
    /// The transmit power that the device claims, in dBm; nil without one.
    public var transmitPower: Int?
    /// The model of the device, if it was read.
    public var model: String?
    /// The beginning of the device's present contact; nil without one.
    public var contactSince: MonotonicInstant?
    /// The number of failed connects to the device since the last success.
    public var failures: Int
    /// True while a link to the device is open or being opened.
    public var hasLink: Bool
}
