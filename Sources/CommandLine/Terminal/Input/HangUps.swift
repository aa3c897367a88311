import Dispatch

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Hears SIGHUP, by which services are told to read their files again.
public enum HangUps {
    /// Tells of each signal from now on, until the stream is let go; the signal ends the process no more.
    public static func stream() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        signal(SIGHUP, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: DispatchQueue(label: "symbolon.hang-ups"))
        source.setEventHandler { @Sendable in continuation.yield() }
        let kept = Kept(source)
        continuation.onTermination = { @Sendable _ in kept.cancel() }
        source.activate()
        return stream
    }

    private final class Kept: @unchecked Sendable {
        // Invariant: the source is only cancelled, which any thread may do.
        private let source: any DispatchSourceSignal
        init(_ source: any DispatchSourceSignal) { self.source = source }
        func cancel() { source.cancel() }
    }
}
