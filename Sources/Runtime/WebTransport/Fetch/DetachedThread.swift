#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A thread for blocking calls, so that they do not block the shared threads of tasks.
package enum DetachedThread {
    private final class ThreadBody {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Runs `body` on a new thread that ends with it; false when the system has none left.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let work = unsafe Unmanaged.passRetained(ThreadBody(body))
        var thread = pthread_t()
        let status = unsafe pthread_create(
            &thread, nil,
            { argument in
                if let argument = unsafe argument {
                    unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().body()
                }
                return nil
            }, work.toOpaque())
        guard status == 0 else {
            unsafe work.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}
