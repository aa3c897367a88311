/// Runs operations one after another, in the order in which they were given.
///
/// A driver adds what its core asked for; the radio then sees it in that order, whatever waits in between.
public final class SerialQueue: Sendable {
    /// A unit of work in the queue, which may suspend.
    public typealias Operation = @Sendable () async -> Void

    private struct GuardedState {
        var waiting: [Operation] = []
        /// The task that runs the operations, one after another; nil when there are none.
        var runner: Task<Void, Never>?
    }

    private let state = Lock(GuardedState())

    /// Makes an empty queue.
    public init() {}

    /// Adds an operation at the end of the queue.
    public func add(_ operation: @escaping Operation) {
        state.withLock { state in
            state.waiting.append(operation)
            if state.runner == nil { state.runner = makeRunner() }
        }
    }

    /// Cancels the operation under way, if any, so that those behind it need not wait for a peer.
    ///
    /// An operation that handles its cancellation must not touch the queue before it returns.
    public func cancelCurrent() {
        // Under the lock, so that the next operation is not cancelled in its place.
        state.withLock { $0.runner?.cancel() }
    }

    /// Waits until the operations that are in the queue now have ended.
    public func drain() async {
        await withCheckedContinuation { continuation in add { continuation.resume() } }
    }

    private func makeRunner() -> Task<Void, Never> {
        Task { while let operation = next() { await operation() } }
    }

    /// Removes and returns the next operation; nil when the runner has no more to do.
    private func next() -> Operation? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.runner = nil
                return nil
            }
            guard !Task.isCancelled else {
                // Only what was under way is cancelled: another one does the rest.
                state.runner = makeRunner()
                return nil
            }
            return state.waiting.removeFirst()
        }
    }
}
