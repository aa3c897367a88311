import Determinism

/// Opens WebSockets.
public struct WebSocketClient: Sendable {
    private let service: WebService

    /// Makes a client whose connections run on the service's thread.
    public init(_ service: WebService) { self.service = service }

    /// Opens a WebSocket.
    ///
    /// - Parameters:
    ///   - request: Its target and header fields; the method is GET. `Origin` is sent where it stands among them.
    ///   - protocols: Names that the server may choose from, the best first.
    ///   - deadline: Until the socket is open.
    /// - Throws: `web.upgrade.refused` with the status of the answer, and what `HTTPClient.send` throws.
    public func connect(
        to target: ConnectionTarget, _ request: HTTPRequest, protocols: [String] = [],
        limits: WebSocketLimits = WebSocketLimits(), deadline: Duration = .seconds(30)
    ) async throws -> WebSocketConnection {
        let fault = request.headers.firstFault ?? OutgoingRequest.fault(of: request)
        let isWrong = !request.body.isEmpty || request.method != .get || !protocols.allSatisfy(HTTPHeaders.isToken)
        guard fault == nil, !isWrong else {
            throw WebError(.messageMalformed, "The request for a WebSocket cannot be sent.")
        }
        let loop = service.loop
        let opening = Opening(target: target, request: request, protocols: protocols, limits: limits)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                opening.begin(continuation)
                loop.post(
                    ServiceLoop.Order { loop in
                        ClientSocketLink.begin(opening, deadline: deadline, on: loop)
                    } abandon: {
                        opening.finish(.failure(WebError(.serviceStopped, "The service is not running.")))
                    })
            }
        } onCancel: {
            opening.finish(.failure(CancellationError()))
            loop.post { loop in loop.expire(opening.serial) }
        }
    }
}

/// The meeting point of a task that waits for a WebSocket and the service thread.
final class Opening: Sendable {
    private struct State {
        var continuation: CheckedContinuation<WebSocketConnection, any Error>?
        var result: Result<WebSocketConnection, any Error>?
        var serial: UInt64?
    }

    let target: ConnectionTarget
    let request: HTTPRequest
    let protocols: [String]
    let limits: WebSocketLimits
    private let state = Lock(State())

    init(target: ConnectionTarget, request: HTTPRequest, protocols: [String], limits: WebSocketLimits) {
        self.target = target
        self.request = request
        self.protocols = protocols
        self.limits = limits
    }

    func begin(_ continuation: CheckedContinuation<WebSocketConnection, any Error>) {
        let early = state.withLock { state in
            if state.result == nil { state.continuation = continuation }
            return state.result
        }
        if let early { continuation.resume(with: early) }
    }

    func finish(_ result: Result<WebSocketConnection, any Error>) {
        let waiting = state.withLock { state in
            defer { state.continuation = nil }
            // A connection is not kept: nobody would close it.
            if state.result == nil, case .failure = result { state.result = result }
            return state.continuation
        }
        waiting?.resume(with: result)
    }

    /// Whether it has failed already.
    var isFinished: Bool { state.withLock { $0.result != nil } }

    /// The link that works for it.
    var serial: UInt64? {
        get { state.withLock { $0.serial } }
        set { state.withLock { $0.serial = newValue } }
    }
}
