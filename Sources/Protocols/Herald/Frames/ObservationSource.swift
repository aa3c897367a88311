/// The source of a reading or a payload, which decides how far it is trusted.
///
/// Nothing in Herald is authenticated: only what this device's own radio measured is more than a claim.
public enum ObservationSource: UInt8, Hashable, Sendable, CaseIterable {
    /// This radio measured the value when it received an advertisement.
    case advertisement
    /// This device measured or read the value over a link that it opened.
    case link
    /// The other device wrote the value: a claim about itself, or about its reading of this device.
    case writtenByPeer
    /// A third device reported the value.
    case relayed

    /// True when this device measured or read the value itself.
    @inline(__always) public var isOwnObservation: Bool { self == .advertisement || self == .link }
}
