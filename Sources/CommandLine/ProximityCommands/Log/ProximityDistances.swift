import Determinism
import Herald

/// The distances of the devices around one device, from its sensor's events; for real and simulated runs.
struct ProximityDistances: Sendable {
    private var tracker: DistanceTracker

    /// - Parameters:
    ///   - own: the system of the device; nil when it is neither.
    ///   - model: the expected signal strengths: of real phones, or of the simulated air.
    init(own: PhoneSystem?, model: DistanceModel = .shipped) { tracker = DistanceTracker(own: own, model: model) }

    /// Handles an event of the sensor, and returns the estimates of windows that ended before it.
    mutating func take(_ event: HeraldEvent) -> [DistanceTracker.Answer] {
        var answers: [DistanceTracker.Answer] = []
        switch event {
        case .measured(let reading): tracker.take(reading, into: &answers)
        case .forgotten(let target), .merged(let target, _): tracker.forget(target)
        default: break
        }
        return answers
    }

    /// Sets the signal characteristic of a device, which its operating system decides; nil while it is not known.
    mutating func learn(_ signal: SignalKind?, of target: TargetID, at now: MonotonicInstant) {
        guard let signal else { return }
        tracker.setSystem(signal == .compliant ? .android : .iOS, of: target, at: now)
    }

    /// Ends the windows whose time is over, and returns their estimates.
    mutating func advance(to now: MonotonicInstant) -> [DistanceTracker.Answer] {
        var answers: [DistanceTracker.Answer] = []
        tracker.advance(to: now, into: &answers)
        return answers
    }
}

extension DistanceModel {
    /// The model of the simulated air of crowds, fitted by `prox distance --fit` on an hour of two offices.
    ///
    /// Simulated phones transmit about 15 dB stronger than the Android phones of the published measurements at one
    /// metre, so the shipped model takes them for nearer than they are. It changes when `RadioModel` changes.
    static let simulatedAir = DistanceModel(level: -55.682, slope: -27.009, ownIOS: 0.437, peerIOS: 3.256)
}
