public import Determinism

/// A time during which an identified device was near.
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
    /// The first reading, which may be older than the identification.
    public var start: MonotonicInstant
    /// The time of the last reading in the contact.
    public var lastReading: MonotonicInstant
    /// The time for which the contact is taken to last after its last reading, at most 30 s (HP-57, HP-58).
    public var tail: Duration
    /// The number of readings during the contact.
    public var readings: Int
    /// The strongest reading in the contact, in dBm.
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

    /// The time at which the contact counts as ended.
    public var end: MonotonicInstant { lastReading + tail }

    /// The duration of the contact, its extension included.
    public var duration: Duration { end - start }
}
