import DataStructures
import Determinism

/// An object that acts when a deadline has passed.
protocol DeadlineReceiver: AnyObject, Sendable {
    func timeReached() async
}

/// Wakes channels at the deadlines of their sessions, with one timer for all of them.
///
/// A live channel always has a deadline; a timer of its own would take 3.7 kB for each, a fifth of what a client costs.
final class ChannelTimers: Sendable {
    private struct ChannelDeadline: Prioritized {
        let deadline: MonotonicInstant
        weak var receiver: (any DeadlineReceiver)?

        func precedes(_ other: ChannelDeadline) -> Bool { deadline < other.deadline }
    }

    private struct GuardedState {
        var entries = PriorityQueue<ChannelDeadline>()
        var timer: DeadlineTimer
    }

    private let clock: any MonotonicClock
    private let state: Lock<GuardedState>

    init(clock: any MonotonicClock) {
        self.clock = clock
        state = Lock(GuardedState(timer: DeadlineTimer(clock: clock)))
    }

    /// Calls `timeReached` once at the deadline, unless the receiver is gone by then; it is not kept.
    func arm(_ receiver: any DeadlineReceiver, at deadline: MonotonicInstant) {
        state.withLock { state in
            state.entries.insert(ChannelDeadline(deadline: deadline, receiver: receiver))
            setTimer(&state)
        }
    }

    private func setTimer(_ state: inout GuardedState) {
        state.timer.arm(state.entries.first?.deadline) { [weak self] in self?.fire($0) }
    }

    private func fire(_ generation: UInt64) {
        let now = clock.now()
        let due = state.withLock { state in
            var due: [any DeadlineReceiver] = []
            guard state.timer.hasFired(generation) else { return due }
            while let entry = state.entries.popFirst(where: { $0.deadline <= now }) {
                if let receiver = entry.receiver { due.append(receiver) }
            }
            setTimer(&state)
            return due
        }
        for receiver in due { Task { await receiver.timeReached() } }
    }
}
