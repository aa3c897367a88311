/// The owner of the thread on which clients' connections run; one is enough for a process.
public final class WebService: Sendable {
    let loop: ServiceLoop

    /// Makes the service and starts its thread.
    public init(limits: ServiceLimits = ServiceLimits()) {
        loop = ServiceLoop(limits: limits)
        loop.start()
    }

    deinit { loop.requestStop() }

    /// Closes all connections and ends the thread; requests under way fail with `web.service.stopped`.
    public func stop() async { await loop.stop() }
}
