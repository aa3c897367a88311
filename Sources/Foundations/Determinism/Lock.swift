#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A value that only one thread at a time may touch.
///
/// Backed by a pthread mutex, because the thread sanitizer does not see the futex of `Synchronization.Mutex` and
/// reports false races.
public final class Lock<State>: @unchecked Sendable {
    // Invariant: `state` is read and written only between `pthread_mutex_lock` and `pthread_mutex_unlock` of `mutex`,
    // and `mutex` keeps its address from `init` to `deinit`.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var state: State

    /// Makes an unlocked lock around `state`.
    public init(_ state: sending State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        let status = pthread_mutex_init(mutex, nil)
        precondition(status == 0, "pthread_mutex_init failed")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` alone with the state; it must neither wait nor take this lock again.
    public func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }
}
