/// An HTTP request, with its whole body.
public struct HTTPRequest: Hashable, Sendable {
    /// The method: GET, POST and so on.
    public var method: HTTPMethod

    /// The path and query.
    public var target: RequestTarget

    /// The header fields.
    ///
    /// Of a request that a server received: all of them, names in lower case. Of a request to be sent: without `Host`,
    /// `Connection`, `Content-Length` and `Transfer-Encoding`, which this module writes.
    public var headers: HTTPHeaders

    /// The body; empty where there is none.
    public var body: [UInt8]

    /// The client's address, of a request that a server received.
    public var peer: SocketAddress?

    /// True when a request that a server received came over TLS.
    public var isSecure = false

    /// The path parameters that the router found, by their names in the route's pattern.
    public var parameters: [String: String] = [:]

    /// Makes an HTTP request from its parts.
    public init(_ method: HTTPMethod, _ target: RequestTarget, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }
}
