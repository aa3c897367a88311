import Determinism

/// The monotonic clock of one simulated process, which resumes no task once the process is dead.
final class HostClock: MonotonicClock, @unchecked Sendable {
    // Invariant: used by the one thread of the process alone.
    private let world: World
    private var sleepers: [Int: CheckedContinuation<Void, any Error>] = [:]
    private var lastID = 0
    private var isDead = false

    init(_ world: World) { self.world = world }

    func now() -> MonotonicInstant { world.now }

    func wait(until deadline: MonotonicInstant) async throws {
        lastID += 1
        let id = lastID
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                guard !isDead, !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
                sleepers[id] = continuation
                world.at(deadline) { self.sleepers.removeValue(forKey: id)?.resume() }
            }
        } onCancel: {
            sleepers.removeValue(forKey: id)?.resume(throwing: CancellationError())
        }
    }

    /// Ends the clock with its process, and cancels all waits.
    func end() {
        isDead = true
        let (ids, ended) = (sleepers.keys.sorted(), sleepers)
        sleepers = [:]
        for id in ids { ended[id]?.resume(throwing: CancellationError()) }
    }
}
