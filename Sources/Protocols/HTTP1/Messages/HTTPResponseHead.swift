/// The header of a received response.
public struct HTTPResponseHead: Sendable {
    /// The status, 100 to 599.
    public let status: Int
    /// 1 for HTTP/1.1, 0 for HTTP/1.0.
    public let minorVersion: Int
    /// The header fields in their order.
    public let fields: HTTPFieldList
    /// The length of the body where `Content-Length` says it; nil where there is no body, or chunks or the end of the
    /// connection end it.
    public let countedBodyBytes: Int?
    /// Whether the server ends the connection with this response.
    public let isLast: Bool
}
