/// The capabilities of the device that a node runs on.
public struct PlatformProfile: Hashable, Sendable {
    /// True when the device can advertise; otherwise it writes its payload to those that do (HP-13, HP-14).
    public var canAdvertise = true
    /// True when the device's address is stable for minutes; otherwise a pseudo address identifies it (HP-24, HP-29).
    public var hasStableAddress = true
    /// True when the device can scan while it opens a connection; otherwise the node alternates.
    package var scansWhileConnecting = true
    /// True when the device receives advertisements of background apps; otherwise links to them stay open (HP-37).
    public var hearsBackgroundPeers = true
    /// True when the radio can read the signal strength of a link.
    public var readsLinkRSSI = false
    /// The kind of signal characteristic that the device publishes.
    public var signal = SignalCharacteristicKind.compliant
    /// The most connections that the device opens at a time, including those that stay open.
    public var linkLimit = 12
    /// The most centrals that may be connected to the device at a time.
    package var centralLimit = 8

    /// Makes the profile of a Linux computer or a present-day Android phone.
    public init() {}

    /// The profile of an Android phone whose address changes every few seconds.
    public static var fastRotating: PlatformProfile {
        var profile = PlatformProfile()
        profile.hasStableAddress = false
        return profile
    }

    /// The profile of a phone that cannot advertise.
    public static var scannerOnly: PlatformProfile {
        var profile = PlatformProfile()
        profile.canAdvertise = false
        return profile
    }

    /// The profile of an iPhone: background devices are not received, links stay open with signal strength readings.
    public static var iPhone: PlatformProfile {
        var profile = PlatformProfile()
        profile.hearsBackgroundPeers = false
        profile.readsLinkRSSI = true
        profile.signal = .nonCompliant
        return profile
    }
}
