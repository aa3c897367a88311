/// The operating system of a phone, as far as its advertisements show it.
public enum PhoneSystem: String, Hashable, Sendable, CaseIterable {
    /// A phone with Android of any version and maker.
    case android
    /// A phone with iOS of any version.
    case iOS = "ios"

    /// Returns the operating system of a device with this kind of signal characteristic.
    public init(_ signal: SignalCharacteristicKind) { self = signal == .compliant ? .android : .iOS }
}

/// The operating systems of receiver and sender, as far as the receiver knows them.
public struct PhoneSystemPair: Hashable, Sendable {
    /// The operating system of the receiving device; nil when unknown.
    public var own: PhoneSystem?
    /// The operating system of the sending device; nil when unknown.
    public var peer: PhoneSystem?

    /// Makes a distance pair from its parts.
    public init(own: PhoneSystem?, peer: PhoneSystem?) {
        self.own = own
        self.peer = peer
    }
}

/// The expected signal strength of a phone at a distance, and the spread of measurements around it.
///
/// The level in dBm is `level + slope · log10(distance + nearness)`, raised by `ownIOS` when an iPhone hears and by
/// `peerIOS` when an iPhone is heard: fitted on the published rig measurements of the Herald project by `DistanceFit`.
/// A pair of phones strays from it by an offset of its own that lasts, and every window by noise with long tails.
public struct DistanceModel: Hashable, Sendable {
    /// The expected signal strength in dBm at 1 m less `nearness`, from Android to Android.
    public var level: Double
    /// The change of the signal strength in dB per decade of distance; negative.
    public var slope: Double
    /// The increase of the signal strength in dB when an iPhone receives.
    public var ownIOS: Double
    /// The increase of the signal strength in dB when an iPhone sends.
    public var peerIOS: Double

    /// The metres added to each distance, because the signal strength of adjacent phones has a limit.
    public static let nearness = 0.3
    /// The standard deviation of a pair's constant offset in dB, when its systems are known.
    static let offsetDeviation = 3.5

    /// Makes a distance model from its parts.
    public init(level: Double, slope: Double, ownIOS: Double, peerIOS: Double) {
        self.level = level
        self.slope = slope
        self.ownIOS = ownIOS
        self.peerIOS = peerIOS
    }

    /// The model that the package uses, fitted to all published measurements.
    public static let shipped = DistanceModel(level: -71.369, slope: -20.299, ownIOS: 5.261, peerIOS: 19.267)

    /// Returns the signal strength in dBm that is expected at `distance` metres.
    public func expectedLevel(at distance: Double, pair: PhoneSystemPair) -> Double {
        level + slope * CLibraryMath.decimal(distance + Self.nearness) + raise(pair.own, by: ownIOS)
            + raise(pair.peer, by: peerIOS)
    }

    /// Returns the standard deviation of the constant offset in dB, larger when a system is unknown.
    func offsetDeviation(of pair: PhoneSystemPair) -> Double {
        let unknown = (pair.own == nil ? ownIOS / 2 : 0) + (pair.peer == nil ? peerIOS / 2 : 0)
        return (Self.offsetDeviation * Self.offsetDeviation + unknown * unknown).squareRoot()
    }

    /// Returns the increase in dB for a system; an unknown one counts half.
    private func raise(_ system: PhoneSystem?, by decibels: Double) -> Double {
        switch system {
        case .iOS: decibels
        case .android: 0
        case nil: decibels / 2
        }
    }
}
