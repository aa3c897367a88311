public import Determinism

/// An event that a node reports: those of the delegate in the deployed libraries, and further ones.
public enum HeraldEvent: Hashable, Sendable {
    /// The radio came on, went off or is gone.
    case state(RadioState)
    /// A device was noticed that speaks Herald, or may.
    case detected(TargetID)
    /// A device has been found to speak Herald.
    case recognised(TargetID)
    /// The payload of a device was read or received for the first time, or has changed.
    case read(TargetID, payload: [UInt8], ObservationSource)
    /// A device shared the payloads of others, with its reading of this device.
    case shared([[UInt8]], by: TargetID, rssi: Int)
    /// The signal strength of a device was measured.
    case measured(Measurement)
    /// The distance of a device was estimated from the readings of a window; a sensor reports it, a node does not.
    case distance(TargetID, DistanceEstimate)
    /// The transmit power that a device claims, reported when it changes (HP-44).
    case transmitPower(TargetID, Int8)
    /// The model of a device, read because the configuration asks for it (HP-45).
    case model(TargetID, String)
    /// A message of the application on a device.
    case received([UInt8], from: TargetID)
    /// A message of this device's application was delivered.
    case sent(MessageID, to: TargetID)
    /// A message was not delivered: `herald.send.timeout`, `herald.send.refused`, `herald.send.unsupported`,
    /// `herald.send.unknown-target`.
    case notSent(MessageID, to: TargetID, HeraldError)
    /// A legacy characteristic was read on a device, or written by it.
    case legacy(TargetID, payload: [UInt8], ObservationSource)
    /// An identified device has come near.
    case contactBegan(TargetID, payload: [UInt8], since: MonotonicInstant)
    /// The contact is over; reported when no reading has come for the configured gap.
    case contactEnded(Contact)
    /// This device is or was near a beacon; reported when it has stayed for two minutes, and again at the end.
    case visit(Visit)
    /// Two records turned out to be one device; the second name lives on.
    case merged(TargetID, into: TargetID)
    /// A device has not been noticed for long, or made room for others.
    case forgotten(TargetID)
    /// The payload that this device serves has changed.
    case ownPayload([UInt8])
    /// No payload can be served, for the supplier's reason, such as `herald.chain.expired`.
    case noPayload(HeraldError)
    /// An input or an attempt failed, and the node goes on; repeated reports are limited in rate.
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

/// A stay near a beacon.
public struct Visit: Hashable, Sendable {
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
