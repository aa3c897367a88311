/// Runs operations one after another, in the order in which they were given.
///
/// A driver adds what its core asked for; the radio then sees it in that order, whatever waits in between.
public final class OperationLine: Sendable {
    /// Something that may wait.
    public typealias Operation = @Sendable () async -> Void

    private struct State {
        var waiting: [Operation] = []
        var isRunning = false
        var current: Task<Void, Never>?
    }

    private let state = Lock(State())

    /// Makes an empty line.
    public init() {}

    /// Adds an operation at the end of the line.
    public func add(_ operation: @escaping Operation) {
        let mustStart = state.withLock { state in
            state.waiting.append(operation)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if mustStart { Task { await run() } }
    }

    /// Cancels the operation under way, if any, so that those behind it need not wait for a peer.
    public func cancelCurrent() {
        state.withLock { $0.current }?.cancel()
    }

    /// Returns when what is in the line now has been done.
    public func drain() async {
        await withCheckedContinuation { continuation in add { continuation.resume() } }
    }

    private func run() async {
        while let task = next() { await task.value }
    }

    private func next() -> Task<Void, Never>? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isRunning = false
                state.current = nil
                return nil
            }
            let operation = state.waiting.removeFirst()
            let task = Task { await operation() }
            state.current = task
            return task
        }
    }
}
