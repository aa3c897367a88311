/// The reason why a received HTTP message is refused.
public struct HTTPReadFault: Hashable, Sendable {
    /// The cause for which an HTTP message is refused.
    public enum Cause: Hashable, Sendable {
        /// The bytes do not follow the grammar of RFC 9112 or RFC 9110, or the framing is ambiguous.
        case malformed
        /// The request has the method TRACE, which is not supported.
        case traceNotServed
        /// The request has the method CONNECT, which is not supported: there are no tunnels.
        case tunnelNotServed
        /// The message has a transfer coding other than `chunked`.
        case codingNotServed
        /// The message has a version other than HTTP/1.0 and HTTP/1.1.
        case versionNotServed
        /// The request line is longer than allowed.
        case requestLineTooLong
        /// The header or the trailer section is larger than allowed.
        case headerTooLarge
        /// The body is larger than allowed.
        case bodyTooLarge
        /// The request has an expectation other than `100-continue`.
        case expectationNotMet
        /// The connection ended before the message was whole.
        case truncated
    }

    /// The cause for which the message is refused.
    public let cause: Cause
    /// One sentence for a log and the response body; it contains nothing that the peer sent.
    public let reason: String

    init(_ cause: Cause, _ reason: String) {
        self.cause = cause
        self.reason = reason
    }

    /// The status code with which a server answers such a request (RFC 9110 section 15).
    public var status: Int {
        switch cause {
        case .malformed, .truncated: 400
        case .traceNotServed: 405
        case .tunnelNotServed, .codingNotServed: 501
        case .versionNotServed: 505
        case .requestLineTooLong: 414
        case .headerTooLarge: 431
        case .bodyTooLarge: 413
        case .expectationNotMet: 417
        }
    }
}
