/// Where a sample or a payload comes from, and so what it is worth.
///
/// Nothing in Herald is authenticated: only what this device's own radio measured is more than a claim.
public enum Provenance: UInt8, Hashable, Sendable, CaseIterable {
    /// Measured by this radio when an advertisement came in.
    case advertisement
    /// Measured or read by this device over a link that it opened.
    case link
    /// Written to this device by the device in question: a claim of it about itself, or about its reading of us.
    case writtenByPeer
    /// Reported by a third device.
    case relayed

    /// Whether this device measured or read it.
    @inline(__always) public var isOwnObservation: Bool { self == .advertisement || self == .link }
}
