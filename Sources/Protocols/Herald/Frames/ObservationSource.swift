/// The source of a sample or a payload, and so how far it can be trusted.
///
/// Nothing in Herald is authenticated: only what this device's own radio measured is more than a claim.
public enum ObservationSource: UInt8, Hashable, Sendable, CaseIterable {
    /// The value was measured by this radio when an advertisement came in.
    case advertisement
    /// The value was measured or read by this device over a link that it opened.
    case link
    /// The device wrote it to this one: a claim about itself, or about its reading of this device.
    case writtenByPeer
    /// The value was reported by a third device.
    case relayed

    /// True when this device measured or read the value itself.
    @inline(__always) public var isOwnObservation: Bool { self == .advertisement || self == .link }
}
