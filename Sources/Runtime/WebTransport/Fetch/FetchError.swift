public import CodedErrors
public import WebAddressing

/// Why a guarded fetch failed.
///
/// Equality is by code.
public struct FetchError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// The scheme is one of a WebSocket, which is not used to fetch.
        case scheme = "web.fetch.scheme"
        /// The address has no TLS, and the caller did not allow that.
        case insecure = "web.fetch.insecure"
        /// Path or query hold what cannot be asked for: control characters or no text when decoded, or too many parts.
        case target = "web.fetch.target"
        /// The host, or an address that its name has, is one that addresses of strangers may not lead to.
        case addressRefused = "web.fetch.address-refused"
        /// The name does not exist, or has no address.
        case nameNotFound = "web.fetch.name-not-found"
        /// The name servers gave no answer, or one that cannot be used.
        case nameServerFailed = "web.fetch.name-server-failed"
        /// As many names are being resolved as are allowed.
        case nameServerBusy = "web.fetch.name-server-busy"
        /// No server answers at any of the addresses.
        case unreachable = "web.fetch.unreachable"
        /// The certificate is not valid yet, or not any more.
        case certificateExpired = "web.fetch.certificate-expired"
        /// The certificate is for another name.
        case certificateName = "web.fetch.certificate-name"
        /// No trusted root signed the certificate.
        case certificateUntrusted = "web.fetch.certificate-untrusted"
        /// The TLS handshake failed for another reason.
        case handshake = "web.fetch.handshake"
        /// The answer was not whole when the deadline came.
        case deadline = "web.fetch.deadline"
        /// The body is larger than allowed.
        case bodyTooLarge = "web.fetch.body-too-large"
        /// The header is larger than allowed.
        case headerTooLarge = "web.fetch.header-too-large"
        /// The connection ended before the answer was whole.
        case truncated = "web.fetch.truncated"
        /// The answer does not follow HTTP.
        case malformed = "web.fetch.malformed"
        /// The body is compressed though no compression was accepted.
        case encoded = "web.fetch.encoded"
        /// The server answered with a status that is neither success nor a redirect.
        case status = "web.fetch.status"
        /// A redirect names no target, or one that cannot be read.
        case redirectMalformed = "web.fetch.redirect-malformed"
        /// A redirect leads to a scheme that nothing is fetched with.
        case redirectScheme = "web.fetch.redirect-scheme"
        /// A redirect leads from TLS to none.
        case redirectDowngrade = "web.fetch.redirect-downgrade"
        /// A redirect leads to an address that was asked already.
        case redirectLoop = "web.fetch.redirect-loop"
        /// There are more redirects than allowed.
        case redirectLimit = "web.fetch.redirect-limit"
        /// The caller cancelled.
        case cancelled = "web.fetch.cancelled"
        /// A failure of this side: too many connections, a stopped service, an unreadable file of roots.
        case local = "web.fetch.local"
    }

    /// Which cause.
    public let code: Code

    /// One sentence for a log line; not for comparison, and without text of a stranger.
    public let reason: String

    /// The address that was requested, or would have been next; nil where there was none yet.
    public let address: WebAddress?

    /// The status of the answer where the code is `status`; nil otherwise.
    public let wireCode: Int?

    /// The target of a refused redirect as the server wrote it: untrusted text of at most `WebAddress.maximumBytes`.
    ///
    /// Some services redirect to an application's address that holds the requested document.
    public let redirectTarget: String?

    /// The wire code in decimal digits.
    public var wireCodeText: String? { wireCode.map(String.init) }

    /// Makes an error.
    public init(
        _ code: Code, _ reason: String, at address: WebAddress? = nil, wireCode: Int? = nil,
        redirectTarget: String? = nil
    ) {
        self.code = code
        self.reason = reason
        self.address = address
        self.wireCode = wireCode
        self.redirectTarget = redirectTarget
    }
}
