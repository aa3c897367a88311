public import Herald

/// The properties of a device in a crowd: its radio, and its system's rules for applications.
public struct CrowdPhoneProfile: Hashable, Sendable {
    /// The kinds of phones that scenarios name.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A present-day Android phone or a Linux computer: scans while it connects.
        case android
        /// An older Android phone: hears nothing while it connects, and takes longer over everything.
        case older
        /// An Android phone whose address changes every ten seconds, which therefore has a pseudo address.
        case rotating
        /// A phone that cannot advertise.
        case silent
        /// An iPhone whose application is in front.
        case iPhone = "iphone"
        /// An iPhone whose application is in the background, but for twenty seconds every five minutes.
        case background
        /// A locked iPhone whose application is in the background all the time.
        case locked
        /// A phone that answers ten times as slowly as others.
        case slow

        /// True for the kinds of phones that are iPhones.
        public var isIPhone: Bool { self == .iPhone || self == .background || self == .locked }
    }

    /// The kind of the device.
    public var kind: Kind
    /// True when the phone's radio hears nothing while it opens a connection.
    public var isDeafWhileConnecting: Bool
    /// The time between two changes of the phone's address, in seconds; nil: never.
    public var addressLife: Double?
    /// The difference of the phone's transmit power from that of others, in dB.
    public var transmitOffset: Double
    /// The difference of the phone's sensitivity from that of others, in dB.
    public var receiveOffset: Double
    /// The most connections that the phone has at a time, in either role.
    public var linkLimit: Int
    /// The share of connection attempts whose end is never reported, neither as success nor as failure (HP-23).
    public var silentConnectShare: Double
    /// The length of one packet of a link, in milliseconds.
    public var linkInterval: Int

    /// Makes a phone of a kind.
    public init(_ kind: Kind) {
        self.kind = kind
        isDeafWhileConnecting = kind == .older || kind == .slow
        addressLife = kind == .rotating ? 10 : nil
        transmitOffset = kind.isIPhone ? 3 : 0
        receiveOffset = 0
        linkLimit = kind == .older ? 7 : 16
        silentConnectShare = kind.isIPhone ? 0.1 : 0
        linkInterval = kind == .slow ? 300 : kind == .older ? 50 : 30
    }

    /// The core's settings for the device that it runs on.
    public var platform: PlatformProfile {
        var profile: PlatformProfile
        switch kind {
        case .android, .older, .slow: profile = PlatformProfile()
        case .rotating: profile = .fastRotating
        case .silent: profile = .scannerOnly
        case .iPhone, .background, .locked: profile = .iPhone
        }
        profile.scansWhileConnecting = !isDeafWhileConnecting
        profile.linkLimit = min(profile.linkLimit, linkLimit)
        return profile
    }
}
