import Air
import Determinism

/// The simulated world: one thread, one heap of events, and the clocks; a seed alone decides what happens next.
final class World: @unchecked Sendable {
    // Invariant: used by the one thread of the process alone.

    /// The virtual time since the start of the run.
    private(set) var now = MonotonicInstant.zero
    /// The offset of the agents' calendar clock from `now`, in milliseconds.
    private(set) var wallOffset: Int64 = 1_760_000_000_000
    private var offsets: [(since: MonotonicInstant, offset: Int64)] = [(.zero, 1_760_000_000_000)]
    var random: SeededRandom
    private(set) var trace = SimulationTrace(capacity: 100_000)
    /// The names of the events that have happened in this run.
    private(set) var visited: Set<String> = []
    /// A closure that is called after every event.
    var watch: () -> Void = {}
    private var events = EventHeap<@Sendable () -> Void>()

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// The time of day of the agents.
    var wallTime: WallTime {
        WallTime(millisecondsSinceEpoch: wallOffset + Int64(now.nanoseconds / 1_000_000))
    }

    /// Sets the agents' calendar clock forward or back.
    func setClock(by seconds: Int) {
        wallOffset += Int64(seconds) * 1000
        offsets.append((now, wallOffset))
    }

    /// Returns the least `wallOffset` since an instant.
    func leastOffset(since instant: MonotonicInstant) -> Int64 {
        let first = offsets.last { $0.since <= instant }?.offset ?? wallOffset
        return offsets.filter { $0.since > instant }.map(\.offset).reduce(first, min)
    }

    /// Records an event in the trace; with `visit`, also as one that a campaign must have seen.
    func note(_ kind: String, _ detail: String = "", visit: Bool = false) {
        trace.record(at: now, kind, detail)
        if visit { visited.insert(kind) }
    }

    /// Draws a random duration from a range of milliseconds.
    func milliseconds(_ range: ClosedRange<Int>) -> Duration { .milliseconds(random.within(range)) }

    /// Schedules a closure for an instant.
    func at(_ instant: MonotonicInstant, _ body: @escaping @Sendable () -> Void) {
        events.insert(body, at: max(instant, now))
    }

    /// Schedules a closure for after a duration.
    func after(_ duration: Duration, _ body: @escaping @Sendable () -> Void) { at(now + duration, body) }

    /// Suspends the task for a virtual duration.
    func pause(_ duration: Duration) async {
        await withCheckedContinuation { continuation in after(duration) { continuation.resume() } }
    }

    /// Polls until a condition holds; false when it does not within the duration.
    func until(within duration: Duration, _ holds: () -> Bool) async -> Bool {
        let deadline = now + duration
        while !holds() {
            guard now < deadline else { return false }
            await pause(.milliseconds(500))
        }
        return true
    }

    /// Runs tasks and events until a condition holds, or none is left before the deadline.
    func run(until deadline: MonotonicInstant, _ isDone: () -> Bool) {
        while !isDone() {
            if JobQueue.count > 0 {
                JobQueue.run(Int(random.below(UInt64(JobQueue.count))))
            } else if let event = events.popFirst(through: deadline) {
                now = event.instant
                event.payload()
            } else {
                return
            }
            watch()
        }
    }
}
