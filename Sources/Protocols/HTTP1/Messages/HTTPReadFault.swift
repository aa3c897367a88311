/// The reason why a message of a peer is refused.
public struct HTTPReadFault: Hashable, Sendable {
    /// The kind of a fault.
    public enum Cause: Hashable, Sendable {
        /// The bytes do not follow the grammar of RFC 9112 or RFC 9110, or the framing is ambiguous.
        case malformed
        /// The method TRACE, which is not served.
        case traceNotServed
        /// The method CONNECT: tunnels are not served.
        case tunnelNotServed
        /// A transfer coding other than `chunked`.
        case codingNotServed
        /// A version other than HTTP/1.0 and HTTP/1.1.
        case versionNotServed
        /// The request line is longer than allowed.
        case requestLineTooLong
        /// The header or the trailer section is larger than allowed.
        case headerTooLarge
        /// The body is larger than allowed.
        case bodyTooLarge
        /// An expectation other than `100-continue`.
        case expectationNotMet
        /// The connection ended before the message was whole.
        case truncated
    }

    /// The kind of the fault.
    public let cause: Cause
    /// One sentence for a log and for the body of an answer; it holds nothing that the peer sent.
    public let reason: String

    init(_ cause: Cause, _ reason: String) {
        self.cause = cause
        self.reason = reason
    }

    /// The status with which a server answers a request that has this fault (RFC 9110 section 15).
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
