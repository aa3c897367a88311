/// The header of a received request that follows all rules of RFC 9112 and RFC 9110.
public struct HTTPRequestHead: Sendable {
    /// The way in which the end of a request's body is known (RFC 9112 section 6.3).
    public enum BodyLength: Hashable, Sendable {
        /// The body ends after the bytes of `Content-Length`; 0 when the field is absent.
        case counted(Int)
        /// The body ends with the last chunk of the transfer coding `chunked`.
        case chunked

        /// True when the request has no body.
        public var isEmpty: Bool { self == .counted(0) }
    }

    /// The header fields of the request in their order.
    public let fields: HTTPFieldList
    /// The minor version of HTTP: 1 for HTTP/1.1, 0 for HTTP/1.0.
    public let minorVersion: Int
    /// The way in which the end of the request's body is known.
    public let bodyLength: BodyLength
    /// True when the connection closes after the response (RFC 9112 section 9.3).
    public let isLast: Bool
    /// True when the client waits for `100 Continue` before it sends the body (RFC 9110 section 10.1.1).
    public let expectsContinue: Bool
    /// True when the request asks for the WebSocket protocol: `Connection: Upgrade` and `Upgrade: websocket`.
    public let asksForWebSocket: Bool

    let line: HTTPRequestLine

    init(fields: HTTPFieldList, line: HTTPRequestLine, framing: HTTPRequestFraming) {
        self.fields = fields
        self.line = line
        minorVersion = line.minorVersion
        bodyLength = framing.bodyLength
        isLast = framing.isLast
        expectsContinue = framing.expectsContinue
        asksForWebSocket = framing.asksForWebSocket
    }

    /// The request method, a token in the peer's spelling; never `TRACE` or `CONNECT`.
    public var method: String { fields.text(in: line.method) }

    /// The request target in origin form, `/path?query`, or `*` for OPTIONS.
    ///
    /// Of an absolute form it is the part behind the authority. Only characters of RFC 3986 stand in it, and each
    /// percent sign has two hexadecimal digits.
    public var target: String {
        let text = fields.text(in: line.target)
        return line.needsSlash ? "/" + text : text
    }

    /// The host that the request names, with its port if given; nil in HTTP/1.0 without `Host`.
    ///
    /// Of an absolute form it is the authority of the target, whatever `Host` says (RFC 9112 section 3.2.2).
    public var authority: String? { line.authority.map { fields.text(in: $0) } }
}
