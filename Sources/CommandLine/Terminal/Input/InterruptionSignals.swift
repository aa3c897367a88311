import Dispatch

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Turns the signals by which people end programs into cancellation.
public enum InterruptionSignals {
    /// Runs `body` and cancels it at the first SIGINT or SIGTERM; a second one ends the process at once with status
    /// 130.
    ///
    /// The signals are heard before `body` begins, so that none is lost. SIGPIPE is ignored from then on. Call it once
    /// in a process, before anything else.
    ///
    /// - Parameter body: must notice that its task is cancelled and return.
    public static func withCancellation<Value: Sendable>(
        _ body: @escaping @Sendable () async -> Value
    ) async -> Value {
        signal(SIGPIPE, SIG_IGN)
        let listener = Listener()
        var sources: [any DispatchSourceSignal] = []
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: listener.queue)
            source.setEventHandler { @Sendable in listener.hear() }
            await withCheckedContinuation { registered in
                source.setRegistrationHandler { @Sendable in registered.resume() }
                source.activate()
            }
            sources.append(source)
        }
        let task = Task { await body() }
        listener.queue.async { listener.listen { task.cancel() } }
        let value = await task.value
        for source in sources { source.cancel() }
        return value
    }

    /// Counts signals, and runs the action of the first one.
    ///
    /// Invariant: after `init` its variables are touched on `queue` alone, which runs one block at a time.
    private final class Listener: @unchecked Sendable {
        let queue = DispatchQueue(label: "symbolon.signals")
        private var heard = 0
        private var cancel: (@Sendable () -> Void)?

        func hear() {
            heard += 1
            if heard > 1 { _exit(130) }
            cancel?()
        }

        func listen(_ cancel: @escaping @Sendable () -> Void) {
            self.cancel = cancel
            if heard > 0 { cancel() }
        }
    }
}
