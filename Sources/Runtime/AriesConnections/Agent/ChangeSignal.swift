import Determinism

/// Wakes waiting tasks after a change, so that they check their condition again.
final class ChangeSignal {
    private let clock: any MonotonicClock
    private var waiters: [AsyncStream<Void>.Continuation] = []

    init(clock: any MonotonicClock) { self.clock = clock }

    /// A stream that yields now and after each change, merging unread ones; ends at `end`, or with the agent.
    func changes(until end: MonotonicInstant) -> AsyncStream<Void> {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        waiters.append(continuation)
        let alarm = Task { [clock] in
            try? await clock.wait(until: end)
            continuation.finish()
        }
        continuation.onTermination = { _ in alarm.cancel() }
        continuation.yield()
        return changes
    }

    func changed() {
        waiters.removeAll { waiter in
            if case .terminated = waiter.yield() { return true }
            return false
        }
    }

    /// Ends all waits for changes.
    func finish() {
        for waiter in waiters { waiter.finish() }
        waiters = []
    }
}
