import Determinism

/// A writing step of a store, by which a later state of it is told from an earlier one.
struct StoreStep: Hashable, Sendable {
    /// The count of the writing steps of the store, this one included.
    let number: Int64
    /// Drawn when the tables were made, so that another store is told from this one.
    let epoch: Int64
    /// The timeline of a database's server; nil where there is none, or it is not known.
    var timeline: Int64?

    init(number: Int64, epoch: Int64, timeline: Int64? = nil) {
        self.number = number
        self.epoch = epoch
        self.timeline = timeline
    }

    /// The step before it.
    var previous: StoreStep {
        StoreStep(number: number.subtractingReportingOverflow(1).0, epoch: epoch, timeline: timeline)
    }
}

/// An instance's knowledge of the steps of its store, shared by its connections.
///
/// A database that fails over to a standby which had not got all, and a file that is replaced by a copy, go back to an
/// earlier step: steps that were answered are gone, and nothing in memory that names positions holds any more.
final class StoreHistory: Sendable {
    /// The knowledge at the beginning of a transaction.
    struct Floor: Hashable, Sendable {
        let step: StoreStep?
        fileprivate let generation: Int
    }

    private struct State {
        var step: StoreStep?
        var seen = ContinuousClock.now
        var generation = 0
    }

    private let state = Lock(State())

    /// The knowledge of now, to be compared with a transaction that begins afterwards.
    var floor: Floor { state.withLock { Floor(step: $0.step, generation: $0.generation) } }

    /// Compares the newest step that a transaction sees with what was known before it began.
    ///
    /// - Returns: what is lost, once for each time that the store went back.
    func saw(_ step: StoreStep, since floor: Floor) -> StoreLoss? {
        state.withLock { state in
            guard state.generation == floor.generation else { return nil }
            guard let known = floor.step, step.epoch != known.epoch || step.number < known.number else {
                if state.step.map({ $0.number < step.number }) ?? true { (state.step, state.seen) = (step, .now) }
                return nil
            }
            let (difference, isOver) = known.number.subtractingReportingOverflow(step.number)
            let loss = StoreLoss(
                steps: step.epoch == known.epoch ? (isOver ? .max : difference) : nil,
                age: ContinuousClock.now - state.seen, timelineBefore: known.timeline, timelineAfter: step.timeline)
            state = State(step: step, generation: state.generation + 1)
            return loss
        }
    }
}
