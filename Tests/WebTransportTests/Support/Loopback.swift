import WebAddressing
import WebTransport

/// An HTTP server on this machine, with a client's service.
struct Loopback: Sendable {
    let server: HTTPServer
    let address: SocketAddress
    let service = WebService()

    static let host = IPAddress.v4(IPv4Address(127, 0, 0, 1))

    init(_ configuration: ServerConfiguration = ServerConfiguration.patient, router: HTTPRouter) async throws {
        server = HTTPServer(configuration, router: router)
        address = try await server.start()
    }

    init(
        _ configuration: ServerConfiguration = ServerConfiguration.patient,
        handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) async throws {
        try await self.init(configuration, router: HTTPRouter(fallback: handler))
    }

    var target: WebConnectionTarget { WebConnectionTarget(address.address, port: address.port) }

    func send(_ request: HTTPRequest, limits: ClientRequestLimits = ClientRequestLimits.patient) async throws
        -> HTTPResponse
    {
        try await HTTPClient(service).send(request, to: target, limits: limits)
    }

    func get(_ path: String, headers: HTTPHeaders = [:]) async throws -> HTTPResponse {
        try await send(HTTPRequest(.get, RequestTarget(parsing: path), headers: headers))
    }

    func post(_ path: String, _ body: [UInt8]) async throws -> HTTPResponse {
        try await send(HTTPRequest(.post, RequestTarget(parsing: path), body: body))
    }

    func stop() async {
        await server.stop(within: .seconds(5))
        await service.stop()
    }
}

extension HTTPResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}
