public import Determinism

/// An event that a node reports to the application: those of the deployed libraries, and further ones.
public enum HeraldEvent: Hashable, Sendable {
    /// The radio was switched on or off, or has disappeared.
    case state(RadioState)
    /// A device was noticed that speaks Herald, or may do so.
    case detected(TargetID)
    /// A device has been found to speak Herald.
    case recognised(TargetID)
    /// The payload of a device became known, or has changed.
    case read(TargetID, payload: [UInt8], ObservationSource)
    /// A device shared the payloads of other devices, with its reading of this device.
    case shared([[UInt8]], by: TargetID, rssi: Int)
    /// The signal strength of a device was measured.
    case measured(SignalReading)
    /// The distance of a device was estimated from a window of readings; sensors report it, nodes do not.
    case distance(TargetID, DistanceEstimate)
    /// The transmit power that a device claims has changed (HP-44).
    case transmitPower(TargetID, Int8)
    /// The model of a device was read, as the configuration requests (HP-45).
    case model(TargetID, String)
    /// A message from the application on another device arrived.
    case received([UInt8], from: TargetID)
    /// A message of this device's application was delivered.
    case sent(HeraldMessageID, to: TargetID)
    /// A message was not delivered, for this error.
    ///
    /// `herald.send.timeout`, `herald.send.refused`, `herald.send.unsupported`, `herald.send.unknown-target`.
    case notSent(HeraldMessageID, to: TargetID, HeraldError)
    /// A legacy characteristic was read on a device, or written by it.
    case legacy(TargetID, payload: [UInt8], ObservationSource)
    /// An identified device has come near, and a contact has begun.
    case contactBegan(TargetID, payload: [UInt8], since: MonotonicInstant)
    /// A contact has ended: no reading has come for the configured gap.
    case contactEnded(Contact)
    /// This device stays or stayed near a beacon; reported after two minutes, and again at the end.
    case visit(BeaconVisit)
    /// Two records turned out to be one device; the second identifier remains.
    case merged(TargetID, into: TargetID)
    /// A device record was removed, after long silence or to make room for others.
    case forgotten(TargetID)
    /// The payload that this device serves has changed.
    case ownPayload([UInt8])
    /// No payload can be served, for an error of the supplier such as `herald.chain.expired`.
    case noPayload(HeraldError)
    /// An input or an attempt failed, and the node continues; repeated reports are limited in rate.
    case trouble(HeraldError, TargetID?)
}

/// The state of the Bluetooth radio: usable, off or missing.
public enum RadioState: String, Hashable, Sendable, CaseIterable {
    /// The radio is ready.
    case on
    /// The radio is switched off.
    case off
    /// The radio is missing, or its use is not permitted.
    case unavailable
}

/// A stay of this device near a beacon.
public struct BeaconVisit: Hashable, Sendable {
    /// The beacon near which this device stayed.
    public var target: TargetID
    /// The beacon's payload, which names its location.
    public var payload: [UInt8]
    /// The time from which the beacon was received.
    public var since: MonotonicInstant
    /// The time until which the beacon was received; nil while the stay lasts.
    public var until: MonotonicInstant?

    /// Makes a visit from its parts.
    public init(target: TargetID, payload: [UInt8], since: MonotonicInstant, until: MonotonicInstant? = nil) {
        self.target = target
        self.payload = payload
        self.since = since
        self.until = until
    }
}
