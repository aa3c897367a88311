/// The owner of the thread on which clients' connections run; one is enough for a process.
public final class WebService: Sendable {
    let loop: SocketEventLoop

    /// Makes the service and starts its thread.
    public init(limits: OutgoingConnectionLimits = OutgoingConnectionLimits()) {
        loop = SocketEventLoop(limits: limits)
        loop.start()
    }

    deinit { loop.requestStop() }

    /// Closes all connections and ends the thread; requests under way fail with `web.service.stopped`.
    public func stop() async { await loop.stop() }
}
