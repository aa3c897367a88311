import Determinism

/// A server of HTTP/1.1 and WebSocket, on threads of its own.
///
/// Handlers run as tasks, one for each request. Bound to this machine unless the configuration says otherwise.
public final class HTTPServer: Sendable {
    private let core: HTTPServerState

    /// Makes a server for the routes; nothing listens before `start`.
    public init(_ configuration: ServerConfiguration, router: HTTPRouter) {
        core = HTTPServerState(configuration, router)
    }

    /// Makes a server with one handler for all requests, and no WebSockets.
    public convenience init(
        _ configuration: ServerConfiguration = ServerConfiguration(),
        handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) {
        self.init(configuration, router: HTTPRouter(fallback: handler))
    }

    deinit { core.requestStop() }

    /// Begins to listen; once.
    ///
    /// - Returns: Where, with the real port.
    /// - Throws: `web.listen.failed`, with `servesLocalhost` also when another program has the port at ::1;
    ///   `web.tls.configuration`, `web.service.stopped`.
    public func start() async throws(WebError) -> SocketAddress {
        try await core.start()
    }

    /// Stops listening, lets requests finish until the deadline, closes WebSockets with 1001, and ends the thread.
    ///
    /// Idle connections are closed at once; those still busy at the deadline are closed too. A second call waits for
    /// the first.
    public func stop(within duration: Duration = .seconds(10)) async {
        await core.stop(within: duration)
    }

    /// The number of open connections.
    public var connectionCount: Int { core.counts.count }

    /// The number of bytes of requests, answers and messages that the connections hold.
    public var heldBytes: Int { core.budget.usedBytes }
}
