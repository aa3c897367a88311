import Determinism
import Herald

/// The distances of the devices around one device, from its sensor's events; for real and simulated runs.
struct ProximityDistances: Sendable {
    private var tracker: DistanceTracker

    /// - Parameter own: the system of the device; nil when it is neither.
    init(own: PhoneSystem?) { tracker = DistanceTracker(own: own) }

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
