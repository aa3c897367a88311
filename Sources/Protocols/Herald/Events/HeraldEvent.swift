public import Determinism

/// What a node reports: everything that the delegate of the deployed libraries gets, and what that leaves out.
public enum HeraldEvent: Hashable, Sendable {
    /// The radio came on, went off or is gone.
    case state(RadioState)
    /// A device was noticed that speaks Herald, or may.
    case detected(TargetID)
    /// A device has been found to speak Herald.
    case recognised(TargetID)
    /// The payload of a device is known, or has changed.
    case read(TargetID, payload: [UInt8], Provenance)
    /// A device shared the payloads of others, with its reading of this device.
    case shared([[UInt8]], by: TargetID, rssi: Int)
    /// A reading of the signal strength.
    case measured(Measurement)
    /// The transmit power that a device claims, reported when it changes (HP-44).
    case transmitPower(TargetID, Int8)
    /// The model of a device, read because the configuration asks for it (HP-45).
    case model(TargetID, String)
    /// A message of the application on a device.
    case received([UInt8], from: TargetID)
    /// A message was delivered.
    case sent(MessageID, to: TargetID)
    /// A message was not delivered: `herald.send.timeout`, `herald.send.refused`, `herald.send.unsupported`,
    /// `herald.send.unknown-target`.
    case notSent(MessageID, to: TargetID, HeraldError)
    /// A legacy characteristic was read on a device, or written by it.
    case legacy(TargetID, payload: [UInt8], Provenance)
    /// An identified device is near.
    case contactBegan(TargetID, payload: [UInt8], since: MonotonicInstant)
    /// The contact is over; reported when no reading has come for the configured gap.
    case contactEnded(Contact)
    /// This device is or was near a beacon; reported when it has stayed for two minutes, and again at the end.
    case visit(Visit)
    /// Two records turned out to be one device; the second name lives on.
    case merged(TargetID, into: TargetID)
    /// A device has not been noticed for long, or made room for others.
    case forgotten(TargetID)
    /// What this device serves changed.
    case ownPayload([UInt8])
    /// There is no payload to serve: why the supplier gave none, such as `herald.chain.expired`.
    case noPayload(HeraldError)
    /// Something was refused or went wrong that ends nothing; a flood of them is thinned out.
    case trouble(HeraldError, TargetID?)
}

/// Whether the radio can be used.
public enum RadioState: String, Hashable, Sendable, CaseIterable {
    /// It can.
    case on
    /// It is switched off.
    case off
    /// It is not there, or not permitted.
    case unavailable
}

/// A stay near a beacon.
public struct Visit: Hashable, Sendable {
    /// The beacon.
    public var target: TargetID
    /// What it says of its location.
    public var payload: [UInt8]
    /// Since when it was heard.
    public var since: MonotonicInstant
    /// Until when; nil while the stay goes on.
    public var until: MonotonicInstant?

    /// Makes a visit from its parts.
    public init(target: TargetID, payload: [UInt8], since: MonotonicInstant, until: MonotonicInstant? = nil) {
        self.target = target
        self.payload = payload
        self.since = since
        self.until = until
    }
}
