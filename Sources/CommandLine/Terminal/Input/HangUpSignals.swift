import Dispatch

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Handles SIGHUP, which asks services to read their files again.
public enum HangUpSignals {
    /// Yields for each signal from now on, until the stream is released; the signal then does not end the process.
    public static func stream() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        signal(SIGHUP, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: DispatchQueue(label: "symbolon.hang-ups"))
        source.setEventHandler { @Sendable in continuation.yield() }
        let kept = HangUpSubscription(source)
        continuation.onTermination = { @Sendable _ in kept.cancel() }
        source.activate()
        return stream
    }

    private final class HangUpSubscription: @unchecked Sendable {
        // Invariant: the source is only cancelled, which any thread may do.
        private let source: any DispatchSourceSignal
        init(_ source: any DispatchSourceSignal) { self.source = source }
        func cancel() { source.cancel() }
    }
}
