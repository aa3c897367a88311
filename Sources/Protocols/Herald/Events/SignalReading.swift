public import Determinism

/// One reading of the signal strength between this device and another (HP-06, HP-42).
public struct SignalReading: Hashable, Sendable {
    /// The device that the reading is about.
    public var target: TargetID
    /// The time of the reading.
    public var at: MonotonicInstant
    /// The signal strength in dBm, −127 to 20.
    public var rssi: Int8
    /// The transmit power that the device claimed last, in dBm; nil when it has claimed none (HP-47).
    public var transmitPower: Int8?
    /// The source of the reading.
    public var provenance: ObservationSource
    /// True when the device is known to speak Herald; other candidates are removed later.
    public var isConfirmed: Bool

    /// Makes a measurement from its parts.
    public init(
        target: TargetID, at: MonotonicInstant, rssi: Int8, transmitPower: Int8? = nil,
        provenance: ObservationSource = .advertisement, isConfirmed: Bool = true
    ) {
        self.target = target
        self.at = at
        self.rssi = rssi
        self.transmitPower = transmitPower
        self.provenance = provenance
        self.isConfirmed = isConfirmed
    }
}
