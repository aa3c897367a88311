/// Sends requests of HTTP/1.1, each over a connection of its own.
///
/// Redirects are returned and not followed, cookies are not kept, a proxy of the environment is not used, names are not
/// resolved. Cancelling the task ends the connection.
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
        _ request: HTTPRequest, to target: WebConnectionTarget, limits: ClientRequestLimits = ClientRequestLimits()
    ) async throws -> HTTPResponse {
        if let fault = request.headers.firstFault ?? HTTPRequestEncoding.fault(of: request) {
            throw WebError(.messageMalformed, "The request cannot be sent: \(fault).")
        }
        let exchange = PendingResult<HTTPResponse>()
        return try await exchange.wait(on: service.loop) { loop in
            HTTPClientConnection.begin(request, target, limits, exchange, on: loop)
        }
    }
}
