import Determinism

/// A client that opens WebSockets.
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
        to target: WebConnectionTarget, _ request: HTTPRequest, protocols: [String] = [],
        limits: WebSocketLimits = WebSocketLimits(), deadline: Duration = .seconds(30)
    ) async throws -> WebSocketConnection {
        let fault = request.headers.firstFault ?? HTTPRequestEncoding.fault(of: request)
        let isWrong = !request.body.isEmpty || request.method != .get || !protocols.allSatisfy(HTTPHeaders.isToken)
        guard fault == nil, !isWrong else {
            throw WebError(.messageMalformed, "The request for a WebSocket cannot be sent.")
        }
        let opening = WebSocketOpening(target: target, request: request, protocols: protocols, limits: limits)
        return try await opening.pending.wait(on: service.loop) { loop in
            WebSocketClientConnection.begin(opening, deadline: deadline, on: loop)
        }
    }
}

/// The parameters of a WebSocket that a client opens.
struct WebSocketOpening: Sendable {
    let target: WebConnectionTarget
    let request: HTTPRequest
    let protocols: [String]
    let limits: WebSocketLimits
    let pending = PendingResult<WebSocketConnection>()
}
