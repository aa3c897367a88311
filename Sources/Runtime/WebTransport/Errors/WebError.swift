@_exported public import CodedErrors

/// Why a request, a connection or a server failed.
///
/// Equality is by code.
public typealias WebError = CodedFailure<WebErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum WebErrorCode: String, CaseIterable, Sendable {
    /// The status of the answer for `upgradeRefused`, of the close frame for `socketClosed`, and for `tlsUntrusted`
    /// the fault that OpenSSL found in the certificate (`X509_V_ERR_…`).
    public typealias Detail = Int

    case addressMalformed = "web.address.malformed"
    case messageMalformed = "web.message.malformed"
    case listenFailed = "web.listen.failed"
    case tlsConfiguration = "web.tls.configuration"
    case tlsUntrusted = "web.tls.untrusted"
    case tlsFailed = "web.tls.failed"
    case connectFailed = "web.connect.failed"
    case deadline = "web.deadline"
    case connectionLost = "web.connection.lost"
    case responseMalformed = "web.response.malformed"
    case responseTooLarge = "web.response.too-large"
    case headerTooLarge = "web.response.header-too-large"
    case upgradeRefused = "web.upgrade.refused"
    /// Either side may have closed it.
    case socketClosed = "web.socket.closed"
    case messageTooLarge = "web.socket.message-too-large"
    case socketViolation = "web.socket.violation"
    case socketSilent = "web.socket.silent"
    case sendTooLarge = "web.send.too-large"
    case serviceStopped = "web.service.stopped"
    case tooManyConnections = "web.connections.too-many"
}

extension WebErrorCode {
    /// The wire code in decimal digits.
    public static func wireCodeText(of detail: Int) -> String? { "\(detail)" }
}

extension WebError {
    /// The status of the answer or of the close frame, or the fault of a certificate; see `WebErrorCode.Detail`.
    public var wireCode: Int? { detail }

    /// Makes an error with its code, a sentence, and the wire code.
    public init(_ code: Code, _ reason: String, wireCode: Int?) { self.init(code, reason, detail: wireCode) }
}
