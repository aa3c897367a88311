import ByteCoding

/// Selects the handler of a request by method and path, in the order in which routes were added.
///
/// A pattern is a path such as `/messages/:id/parts`; a segment that begins with a colon takes any one segment that is
/// not empty, and `*` as the last one takes the rest. The first pattern that fits answers. Where a path fits but no
/// method does, the answer is 405 with what is allowed; HEAD is answered by GET.
public struct HTTPRouter: Sendable {
    /// A function that answers a request.
    public typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse
    /// A function that serves a WebSocket for as long as it runs; the socket is closed when it returns.
    public typealias SocketHandler = @Sendable (WebSocketConnection) async -> Void
    /// Makes the receiver of a WebSocket's messages; nil where the socket is to be closed, which it does before.
    public typealias MakeReceiver = @Sendable (WebSocketConnection) -> (any WebSocketReceiver)?

    /// The origins whose pages may open a WebSocket.
    public enum WebSocketOrigins: Hashable, Sendable {
        /// Pages of this very server, and programs, which send no `Origin`.
        case same
        /// Pages of these origins, such as `https://a.example`, and programs.
        case listed([String])
        /// Pages of every origin.
        case any
    }

    private struct Route: Sendable {
        let method: HTTPMethod
        let pattern: PathPattern
        let handler: Handler
    }

    private struct SocketRoute: Sendable {
        let pattern: PathPattern
        let protocols: [String]
        let origins: WebSocketOrigins
        let limits: WebSocketLimits
        let service: SocketService
    }

    private var routes: [Route] = []
    private var socketRoutes: [SocketRoute] = []
    private let fallback: Handler

    /// Makes a router; `fallback` answers requests that no route matches.
    public init(fallback: @escaping Handler) { self.fallback = fallback }

    /// Makes a router that answers requests that no route matches with 404.
    public init() { self.init { _ in HTTPResponse(404, text: "There is nothing here.\n") } }

    /// Adds a route for a method and a path pattern.
    public mutating func on(_ method: HTTPMethod, _ pattern: String, _ handler: @escaping Handler) {
        routes.append(Route(method: method, pattern: PathPattern(pattern), handler: handler))
    }

    /// Adds a route for WebSockets.
    ///
    /// - Parameter protocols: Names of protocols that both sides must agree on where the client offers any; none for
    ///   sockets without a protocol.
    public mutating func webSocket(
        _ pattern: String, protocols: [String] = [], origins: WebSocketOrigins = .same,
        limits: WebSocketLimits = WebSocketLimits(), _ handler: @escaping SocketHandler
    ) {
        socketRoutes.append(
            SocketRoute(
                pattern: PathPattern(pattern), protocols: protocols, origins: origins, limits: limits,
                service: .handler(handler)))
    }

    /// Adds a route for WebSockets that are given their messages, and cost little memory while they are silent.
    ///
    /// The connection's request has no headers. The receiver closes the connection.
    ///
    /// - Parameter protocols: as in `webSocket`.
    public mutating func webSocketReceiver(
        _ pattern: String, protocols: [String] = [], origins: WebSocketOrigins = .same,
        limits: WebSocketLimits = WebSocketLimits(), _ make: @escaping MakeReceiver
    ) {
        socketRoutes.append(
            SocketRoute(
                pattern: PathPattern(pattern), protocols: protocols, origins: origins, limits: limits,
                service: .receiver(make)))
    }

    /// Answers a request by the first route that matches.
    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        var allowed: [HTTPMethod] = []
        for route in routes {
            guard let parameters = route.pattern.match(request.target.segments) else { continue }
            guard route.method == request.method || route.method == .get && request.method == .head else {
                allowed.append(route.method)
                continue
            }
            var request = request
            request.parameters = parameters
            return await route.handler(request)
        }
        guard allowed.isEmpty else {
            let names = HTTPMethod.allCases.filter(allowed.contains).map(\.rawValue).joined(separator: ", ")
            var response = HTTPResponse(405, text: "The method is not allowed here.\n")
            response.headers["Allow"] = names
            return response
        }
        return await fallback(request)
    }
}

// WebSockets.
extension HTTPRouter {
    /// The function that serves a WebSocket.
    enum SocketService: Sendable {
        case handler(SocketHandler)
        case receiver(MakeReceiver)
    }

    /// The route that a request for a WebSocket takes.
    struct SocketMatch: Sendable {
        let request: HTTPRequest
        /// The protocol agreed on, empty for none.
        let subprotocol: String
        let limits: WebSocketLimits
        let service: SocketService
    }

    /// The response that refuses a request for a WebSocket.
    struct SocketRefusal: Error, Hashable {
        let response: HTTPResponse

        init(_ status: Int, _ reason: String) { response = HTTPResponse(status, text: reason + "\n") }
    }

    /// Finds the route of a request whose handshake is valid, and checks origin and protocols.
    func socketRoute(for request: HTTPRequest) -> Result<SocketMatch, SocketRefusal> {
        for route in socketRoutes {
            guard let parameters = route.pattern.match(request.target.segments) else { continue }
            guard Self.isWelcome(request, route.origins) else {
                return .failure(SocketRefusal(403, "Pages of that origin may not come here."))
            }
            let offered = request.headers.values("sec-websocket-protocol")
            let names = offered.flatMap { $0.parts(at: ",").map(Self.trimmed) }
            let agreed = names.first(where: route.protocols.contains)
            guard agreed != nil || offered.isEmpty else {
                return .failure(SocketRefusal(400, "None of the offered protocols is spoken here."))
            }
            var request = request
            request.parameters = parameters
            if case .receiver = route.service { request.headers = HTTPHeaders() }
            return .success(
                SocketMatch(
                    request: request, subprotocol: agreed ?? "", limits: route.limits, service: route.service))
        }
        return .failure(SocketRefusal(404, "There is no WebSocket here."))
    }

    private static func isWelcome(_ request: HTTPRequest, _ origins: WebSocketOrigins) -> Bool {
        guard let origin = request.headers["origin"] else { return true }
        switch origins {
        case .any: return true
        case .listed(let list): return list.contains { HTTPHeaders.isSame($0, origin) }
        case .same:
            guard let host = request.headers["host"] else { return false }
            return HTTPHeaders.isSame(origin, "\(request.isSecure ? "https" : "http")://\(host)")
        }
    }

    /// An element of a list without the blanks around it.
    private static func trimmed(_ text: Substring) -> String {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 9 }
        let start = text.utf8.drop(while: isBlank)
        let end = start.lastIndex { !isBlank($0) }
        return end.flatMap { String(start[...$0]) } ?? ""
    }
}
