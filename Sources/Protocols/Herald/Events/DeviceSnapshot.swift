public import Bluetooth
public import Determinism

/// What a node knows of one device (HP-31).
public struct DeviceSnapshot: Hashable, Sendable {
    /// Its name.
    public var target: TargetID
    /// The address under which it was noticed last; nil when that is not known.
    public var address: DeviceAddress?
    /// Its pseudo address, if it has one.
    public var pseudoAddress: PseudoDeviceAddress?
    /// Whether it has been found to speak Herald.
    public var isConfirmed: Bool
    /// How it signals; nil while that is not known.
    public var signal: SignalKind?
    /// Whether it is known only by what it writes.
    public var isReceiveOnly: Bool
    /// Its payload; nil while that is not known.
    public var payload: [UInt8]?
    /// How its payload was learnt; nil while it is not known.
    public var provenance: Provenance?
    /// When it was noticed first.
    public var firstNoticed: MonotonicInstant
    /// When there was the last sign of it.
    public var lastNoticed: MonotonicInstant
    /// The last reading, in dBm; nil without one.
    public var rssi: Int?
    /// The transmit power that it claims, in dBm.
    public var transmitPower: Int?
    /// Its model, where that was read.
    public var model: String?
    /// Since when its present contact lasts; nil without one.
    public var contactSince: MonotonicInstant?
    /// How many tries to reach it have failed since the last success.
    public var failures: Int
    /// Whether a link to it is open or being opened.
    public var hasLink: Bool
}
