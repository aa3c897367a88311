import Determinism

/// What is to be done and when; things due at one instant are done in the order in which they were added.
struct StepSchedule<Step: Sendable>: Sendable {
    private var entries: [(at: MonotonicInstant, step: Step)] = []

    var nextDeadline: MonotonicInstant? { entries.first?.at }

    mutating func add(_ step: Step, at instant: MonotonicInstant) {
        let place = entries.lastIndex { $0.at <= instant }.map { $0 + 1 } ?? 0
        entries.insert((instant, step), at: place)
    }

    mutating func popDue(at now: MonotonicInstant) -> Step? {
        guard let first = entries.first, first.at <= now else { return nil }
        return entries.removeFirst().step
    }

    mutating func clear() { entries = [] }
}
