public import Determinism

/// A period during which an identified device was near.
///
/// Begins with the first advertisement of the device (HP-32) and ends with the last reading (HP-33, HP-55), whatever
/// happens to links (HP-56). Two readings farther apart than the configured gap belong to two contacts.
public struct Contact: Hashable, Sendable {
    /// The device of the contact.
    public var target: TargetID
    /// The device's payload during the contact.
    public var payload: [UInt8]
    /// The source from which this device learnt the payload.
    public var provenance: ObservationSource
    /// The time of the first reading, which may be earlier than the identification.
    public var start: MonotonicInstant
    /// The time of the last reading in the contact.
    public var lastReading: MonotonicInstant
    /// The time by which the contact extends beyond its last reading, at most 30 s (HP-57, HP-58).
    public var tail: Duration
    /// The number of signal strength readings during the contact.
    public var readings: Int
    /// The strongest signal strength reading in the contact, in dBm.
    public var strongest: Int8

    /// Makes a contact.
    public init(
        target: TargetID, payload: [UInt8], provenance: ObservationSource, start: MonotonicInstant,
        lastReading: MonotonicInstant, tail: Duration, readings: Int, strongest: Int8
    ) {
        self.target = target
        self.payload = payload
        self.provenance = provenance
        self.start = start
        self.lastReading = lastReading
        self.tail = tail
        self.readings = readings
        self.strongest = strongest
    }

    /// The time at which the contact counts as ended: its last reading and the extension.
    public var end: MonotonicInstant { lastReading + tail }

    /// The duration of the contact, its extension included.
    public var duration: Duration { end - start }
}
