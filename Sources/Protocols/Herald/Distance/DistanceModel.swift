/// The operating system of a phone, as far as its advertisements show it.
public enum PhoneSystem: String, Hashable, Sendable, CaseIterable {
    /// A phone with Android of any version and maker.
    case android
    /// A phone with iOS of any version.
    case iOS = "ios"

    /// The system of a device that offers such a signal.
    public init(_ signal: SignalKind) { self = signal == .compliant ? .android : .iOS }
}

/// The systems of receiver and sender: what a device knows of itself and learns of the other on the air.
public struct DistancePair: Hashable, Sendable {
    /// The system of the device that hears; nil when unknown.
    public var own: PhoneSystem?
    /// The system of the device that is heard; nil when unknown.
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
    /// The level in dBm at a distance of 1 m less `nearness`, Android hearing Android.
    public var level: Double
    /// The change of the level in dB per decade of distance; negative.
    public var slope: Double
    /// The raise of the level in dB when an iPhone receives.
    public var ownIOS: Double
    /// The raise of the level in dB when an iPhone sends.
    public var peerIOS: Double

    /// Metres added to the distance: two phones side by side are not heard without limit.
    public static let nearness = 0.3
    /// The standard deviation of the lasting offset of a pair whose systems are known, in dB.
    static let offsetDeviation = 3.5

    /// Makes a distance model from its parts.
    public init(level: Double, slope: Double, ownIOS: Double, peerIOS: Double) {
        self.level = level
        self.slope = slope
        self.ownIOS = ownIOS
        self.peerIOS = peerIOS
    }

    /// The model that the product uses, fitted on all published measurements.
    public static let shipped = DistanceModel(level: -71.369, slope: -20.299, ownIOS: 5.261, peerIOS: 19.267)

    /// The level that is expected at `distance` metres, in dBm.
    public func expectedLevel(at distance: Double, pair: DistancePair) -> Double {
        level + slope * Logarithms.decimal(distance + Self.nearness) + raise(pair.own, by: ownIOS)
            + raise(pair.peer, by: peerIOS)
    }

    /// The deviation of the lasting offset, in dB: wider when a system is unknown.
    func offsetDeviation(of pair: DistancePair) -> Double {
        let unknown = (pair.own == nil ? ownIOS / 2 : 0) + (pair.peer == nil ? peerIOS / 2 : 0)
        return (Self.offsetDeviation * Self.offsetDeviation + unknown * unknown).squareRoot()
    }

    /// The raise in dB for a system; an unknown one counts half.
    private func raise(_ system: PhoneSystem?, by decibels: Double) -> Double {
        switch system {
        case .iOS: decibels
        case .android: 0
        case nil: decibels / 2
        }
    }
}
