public import CodedErrors

/// Why a request, a connection or a server failed.
///
/// Equality is by code.
public struct WebError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// A target, an address or a host name cannot be used as one.
        case addressMalformed = "web.address.malformed"
        /// A request or a response of this program holds what HTTP cannot carry.
        case messageMalformed = "web.message.malformed"
        /// The server cannot listen at the address: it is taken, not this machine's, or not allowed.
        case listenFailed = "web.listen.failed"
        /// A certificate, a key or a file of roots cannot be read, or certificate and key do not match.
        case tlsConfiguration = "web.tls.configuration"
        /// The peer's certificate is not trusted for that name.
        case tlsUntrusted = "web.tls.untrusted"
        /// The TLS handshake failed.
        case tlsFailed = "web.tls.failed"
        /// No server answers at the address, or it cannot be reached.
        case connectFailed = "web.connect.failed"
        /// The work was not done when its deadline came.
        case deadline = "web.deadline"
        /// The connection ended before the answer was whole.
        case connectionLost = "web.connection.lost"
        /// The answer does not follow HTTP.
        case responseMalformed = "web.response.malformed"
        /// The response, or its header, is larger than allowed.
        case responseTooLarge = "web.response.too-large"
        /// The header of the response is larger than allowed.
        case headerTooLarge = "web.response.header-too-large"
        /// The server answered the request for a WebSocket with something else.
        case upgradeRefused = "web.upgrade.refused"
        /// The WebSocket is closed. Either side may have closed it.
        case socketClosed = "web.socket.closed"
        /// The peer sent a message larger than allowed.
        case messageTooLarge = "web.socket.message-too-large"
        /// The peer broke a rule of the WebSocket protocol.
        case socketViolation = "web.socket.violation"
        /// The peer answered no ping in the time allowed.
        case socketSilent = "web.socket.silent"
        /// What should be sent is larger than the connection's limit.
        case sendTooLarge = "web.send.too-large"
        /// The service was stopped, or could not start.
        case serviceStopped = "web.service.stopped"
        /// As many connections are open as are allowed.
        case tooManyConnections = "web.connections.too-many"
    }

    /// The stable code of the cause.
    public let code: Code

    /// One sentence for a log line; not for comparison.
    ///
    /// Texts of a peer in it are not sanitised.
    public let reason: String

    /// The status of the answer where the code is `upgradeRefused`, what OpenSSL found wrong with the
    /// certificate (`X509_V_ERR_…`) where it is `tlsUntrusted`, the status of the close frame where it is
    /// `socketClosed` and there was one; nil otherwise.
    public let wireCode: Int?

    /// The wire code in decimal digits.
    public var wireCodeText: String? { wireCode.map(String.init) }

    /// Makes an error with its code and a sentence about the cause.
    public init(_ code: Code, _ reason: String, wireCode: Int? = nil) {
        self.code = code
        self.reason = reason
        self.wireCode = wireCode
    }
}
