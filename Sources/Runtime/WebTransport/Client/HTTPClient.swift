import Determinism

/// Sends requests of HTTP/1.1, each over a connection of its own.
///
/// Nothing is followed, stored or added: redirects come back as they are, there are no cookies, no proxy of the
/// environment is obeyed, names are not resolved. Cancelling the task ends the connection.
public struct HTTPClient: Sendable {
    private let service: WebService

    /// Makes a client whose connections run on the service's thread.
    public init(_ service: WebService) { self.service = service }

    /// Sends a request and waits for the whole answer.
    ///
    /// - Throws: `web.message.malformed`, `web.connect.failed`, `web.tls.configuration`, `web.tls.untrusted`,
    ///   `web.tls.failed`, `web.deadline`, `web.connection.lost`, `web.response.malformed`, `web.response.too-large`,
    ///   `web.connections.too-many`, `web.service.stopped`; `CancellationError`.
    public func send(
        _ request: HTTPRequest, to target: ConnectionTarget, limits: ClientLimits = ClientLimits()
    ) async throws -> HTTPResponse {
        if let fault = request.headers.firstFault ?? OutgoingRequest.fault(of: request) {
            throw WebError(.messageMalformed, "The request cannot be sent: \(fault).")
        }
        let loop = service.loop
        let exchange = Exchange()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                exchange.begin(continuation)
                loop.post(
                    ServiceLoop.Order { loop in
                        ClientLink.begin(request, target, limits, exchange, on: loop)
                    } abandon: {
                        exchange.finish(.failure(WebError(.serviceStopped, "The service is not running.")))
                    })
            }
        } onCancel: {
            exchange.finish(.failure(CancellationError()))
            loop.post { loop in loop.expire(exchange.serial) }
        }
    }
}

/// The meeting point of a task that waits and the service thread that works for it; whoever comes first says how it ends.
final class Exchange: Sendable {
    private struct State {
        var continuation: CheckedContinuation<HTTPResponse, any Error>?
        var result: Result<HTTPResponse, any Error>?
        var serial: UInt64?
    }

    private let state = Lock(State())

    func begin(_ continuation: CheckedContinuation<HTTPResponse, any Error>) {
        let early = state.withLock { state in
            if state.result == nil { state.continuation = continuation }
            return state.result
        }
        if let early { continuation.resume(with: early) }
    }

    func finish(_ result: Result<HTTPResponse, any Error>) {
        let waiting = state.withLock { state in
            defer { state.continuation = nil }
            if state.result == nil { state.result = result }
            return state.continuation
        }
        waiting?.resume(with: result)
    }

    /// Whether it is known how it ends.
    var isFinished: Bool { state.withLock { $0.result != nil } }

    /// The link that works for it.
    var serial: UInt64? {
        get { state.withLock { $0.serial } }
        set { state.withLock { $0.serial = newValue } }
    }
}
