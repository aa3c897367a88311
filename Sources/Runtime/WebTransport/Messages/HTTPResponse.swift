/// An HTTP response, with its whole body.
public struct HTTPResponse: Hashable, Sendable {
    /// The HTTP status, 100 to 599.
    public var status: Int

    /// The header fields.
    ///
    /// Of an answer to be sent: without `Connection`, `Content-Length`, `Transfer-Encoding` and `Date`, which this
    /// module writes. Of an answer that a client received: all of them, names in lower case.
    public var headers: HTTPHeaders

    /// The body; empty where there is none.
    public var body: [UInt8]

    /// Makes an HTTP response from its parts.
    public init(_ status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Makes an answer with a body of a media type such as `application/json`.
    public init(_ status: Int = 200, _ contentType: String, _ body: [UInt8]) {
        self.init(status, headers: ["Content-Type": contentType], body: body)
    }

    /// Makes an answer with a line of text.
    public init(_ status: Int, text: String) {
        self.init(status, "text/plain; charset=utf-8", Array(text.utf8))
    }

    /// The reason phrase of a status, for people; empty for one without a registered phrase (RFC 9112 section 4).
    static func phrase(_ status: Int) -> String { phrases[status] ?? "" }

    private static let phrases = [
        200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 301: "Moved Permanently", 302: "Found",
        303: "See Other", 304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        408: "Request Timeout", 409: "Conflict", 411: "Length Required", 413: "Content Too Large",
        414: "URI Too Long", 415: "Unsupported Media Type", 417: "Expectation Failed", 421: "Misdirected Request",
        426: "Upgrade Required",
        429: "Too Many Requests", 431: "Request Header Fields Too Large", 500: "Internal Server Error",
        501: "Not Implemented", 503: "Service Unavailable", 505: "HTTP Version Not Supported",
    ]
}
