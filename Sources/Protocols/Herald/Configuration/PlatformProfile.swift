/// The capabilities of the device that a node runs on.
public struct PlatformProfile: Hashable, Sendable {
    /// True when the device can advertise; if not, it writes its payload to those that do (HP-13, HP-14).
    public var canAdvertise = true
    /// True when the device's address stays for minutes; if not, a pseudo device address identifies it (HP-24, HP-29).
    public var hasStableAddress = true
    /// True when a scan goes on while a connection is being opened; if not, the node shares the time out.
    package var scansWhileConnecting = true
    /// True when advertisements of devices in the background reach it; if not, links to such devices stay open (HP-37).
    public var hearsBackgroundPeers = true
    /// True when the radio can read the signal strength of a link.
    public var readsLinkRSSI = false
    /// The signal characteristic that the device publishes.
    public var signal = SignalKind.compliant
    /// The most connections that the device opens at a time, those that stay open included.
    public var linkLimit = 12
    /// The most centrals that may be connected to the device at a time.
    package var centralLimit = 8

    /// Makes the profile of a Linux computer or a present-day Android phone.
    public init() {}

    /// An Android phone whose address changes every few seconds.
    public static var fastRotating: PlatformProfile {
        var profile = PlatformProfile()
        profile.hasStableAddress = false
        return profile
    }

    /// A phone that cannot advertise.
    public static var scannerOnly: PlatformProfile {
        var profile = PlatformProfile()
        profile.canAdvertise = false
        return profile
    }

    /// An iPhone: others in the background are not heard, links stay open and their signal strength is read.
    public static var iPhone: PlatformProfile {
        var profile = PlatformProfile()
        profile.hearsBackgroundPeers = false
        profile.readsLinkRSSI = true
        profile.signal = .nonCompliant
        return profile
    }
}
