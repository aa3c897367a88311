import Determinism

/// The result that a task waits for and the service thread sets; the first outcome counts.
final class PendingResult<Value: Sendable>: Sendable {
    private struct GuardedState {
        var continuation: CheckedContinuation<Value, any Error>?
        var failure: (any Error)?
        var isFinished = false
        var serial: UInt64?
    }

    private let state = Lock(GuardedState())

    /// Starts the work on the service thread and waits for its result; cancelling the task ends the connection.
    func wait(on loop: SocketEventLoop, begin: @escaping @Sendable (SocketEventLoop) -> Void) async throws -> Value {
        let value = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                self.begin(continuation)
                loop.post(
                    SocketEventLoop.ScheduledWork {
                        begin($0)
                    } abandon: {
                        self.finish(.failure(WebError(.serviceStopped, "The service is not running.")))
                    })
            }
        } onCancel: {
            finish(.failure(CancellationError()))
            loop.post { loop in loop.expire(self.serial) }
        }
        // The thread sanitizer does not see a continuation that was resumed before its task waited; it sees this lock.
        _ = isFinished
        return value
    }

    /// Sets the result, unless it is set; a value counts only while the task waits for it.
    func finish(_ result: Result<Value, any Error>) {
        let waiting = state.withLock { state in
            defer { state.continuation = nil }
            if !state.isFinished, case .failure(let error) = result { state.failure = error }
            state.isFinished = true
            return state.continuation
        }
        waiting?.resume(with: result)
    }

    /// True once the result is set.
    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// The serial number of the connection that works on it.
    var serial: UInt64? {
        get { state.withLock { $0.serial } }
        set { state.withLock { $0.serial = newValue } }
    }

    /// Stores the waiting task, or resumes it at once when it was cancelled before it waited.
    private func begin(_ continuation: CheckedContinuation<Value, any Error>) {
        let early = state.withLock { state in
            if state.failure == nil { state.continuation = continuation }
            return state.failure
        }
        if let early { continuation.resume(throwing: early) }
    }
}
