import Determinism

/// A writing step of a store, by which a later state of it is told from an earlier one.
struct StoreRevision: Hashable, Sendable {
    /// The count of the writing steps of the store, this one included.
    let number: Int64
    /// Drawn when the tables were made, so that another store is told from this one.
    let epoch: Int64
    /// The timeline of a database's server; nil where there is none, or it is not known.
    var timeline: Int64?
    /// The beginnings of timelines that are recorded in the store.
    var beginnings: [TimelineBeginning] = []

    init(number: Int64, epoch: Int64, timeline: Int64? = nil, beginnings: [TimelineBeginning] = []) {
        self.number = number
        self.epoch = epoch
        self.timeline = timeline
        self.beginnings = beginnings
    }

    /// The step before this one, with the same epoch and timeline.
    var previous: StoreRevision {
        StoreRevision(
            number: number.subtractingReportingOverflow(1).0, epoch: epoch, timeline: timeline, beginnings: beginnings)
    }

    /// The number of the last step that this one has in common with an earlier one.
    ///
    /// A new timeline may have gone on beyond what was made on the former one after it began.
    func lastInCommon(with earlier: StoreRevision) -> Int64 {
        guard let before = earlier.timeline, timeline != nil else { return number }
        return beginnings.filter { $0.timeline > before }.reduce(number) { min($0, $1.step) }
    }

    /// True when the step's server was replaced by another one before `newer` was written: its timeline is lower.
    func isFormer(to newer: StoreRevision) -> Bool {
        guard let mine = timeline, let others = newer.timeline else { return false }
        return epoch == newer.epoch && mine < others
    }
}

/// The beginning of a timeline of a database, recorded by the first step that was written on it.
struct TimelineBeginning: Hashable, Sendable {
    let timeline: Int64
    /// The number of the last step before it.
    let step: Int64
}

/// An instance's knowledge of the steps of its store, shared by its connections.
///
/// A database that fails over to a standby which had not got all, and a file that is replaced by a copy, go back to an
/// earlier step: steps that were answered are gone, and nothing in memory that names positions holds any more.
package final class StoreHistory: Sendable {
    /// The knowledge at the beginning of a transaction.
    struct Baseline: Hashable, Sendable {
        let step: StoreRevision?
        fileprivate let generation: Int
    }

    private struct GuardedState {
        var step: StoreRevision?
        var seen = ContinuousClock.now
        var generation = 0
    }

    private let state = Lock(GuardedState())

    /// Makes the knowledge of an instance that has seen no step yet.
    package init() {}

    /// The knowledge of now, to be compared with a transaction that begins afterwards.
    var floor: Baseline { state.withLock { Baseline(step: $0.step, generation: $0.generation) } }

    /// Compares the newest step that a transaction sees with what was known before it began.
    ///
    /// - Returns: what is lost, once for each time that the store went back.
    func saw(_ step: StoreRevision, since floor: Baseline) -> StoreDataLoss? {
        state.withLock { state in
            guard state.generation == floor.generation else { return nil }
            if let newest = state.step, step.isFormer(to: newest) { return nil }
            let common = floor.step.map { step.lastInCommon(with: $0) } ?? step.number
            guard let known = floor.step, step.epoch != known.epoch || common < known.number else {
                if state.step.map({ $0.number < step.number || $0.isFormer(to: step) }) ?? true {
                    state.step = step
                    state.seen = .now
                }
                return nil
            }
            let (difference, isOver) = known.number.subtractingReportingOverflow(common)
            let loss = StoreDataLoss(
                steps: step.epoch == known.epoch ? (isOver ? .max : difference) : nil,
                age: ContinuousClock.now - state.seen, timelineBefore: known.timeline, timelineAfter: step.timeline)
            state = GuardedState(step: step, generation: state.generation + 1)
            return loss
        }
    }
}
