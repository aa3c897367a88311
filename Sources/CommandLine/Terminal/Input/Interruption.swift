import Dispatch

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Turns the signals by which people end programs into cancellation.
public enum Interruption {
    /// Runs `body` and cancels it at the first SIGINT or SIGTERM; a second one ends the process at once with status 130.
    ///
    /// SIGPIPE is ignored from then on. Call it once in a process, before anything else.
    ///
    /// - Parameter body: must notice that its task is cancelled and return.
    public static func withCancellation<Value: Sendable>(
        _ body: @escaping @Sendable () async -> Value
    ) async -> Value {
        signal(SIGPIPE, SIG_IGN)
        let task = Task { await body() }
        let queue = DispatchQueue(label: "symbolon.signals")
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { @Sendable in
                if task.isCancelled { _exit(130) }
                task.cancel()
            }
            source.activate()
            return source
        }
        let value = await task.value
        for source in sources { source.cancel() }
        return value
    }
}
