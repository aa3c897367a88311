/// The header of a received response.
public struct HTTPResponseHead: Sendable {
    /// The status code of the response, 100 to 599.
    public let status: Int
    /// The minor version of HTTP: 1 for HTTP/1.1, 0 for HTTP/1.0.
    public let minorVersion: Int
    /// The header fields of the response in their order.
    public let fields: HTTPFieldList
    /// The length of the body as `Content-Length` gives it; nil without a body or without a counted length.
    ///
    /// A body without a counted length ends with its last chunk or with the connection.
    public let countedBodyBytes: Int?
    /// True when the server closes the connection after this response.
    public let isLast: Bool
}
