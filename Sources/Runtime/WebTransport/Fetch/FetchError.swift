public import CodedErrors
public import WebAddressing

/// Why a guarded fetch failed.
///
/// Equality is by code.
public struct FetchError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// The scheme is ws or wss, which is not used to fetch.
        case scheme = "web.fetch.scheme"
        /// The address has no TLS. The caller did not allow an address without TLS.
        case insecure = "web.fetch.insecure"
        /// Path or query hold control characters, bytes that are not text when decoded, or too many parts.
        case target = "web.fetch.target"
        /// The host is, or resolves to, an address that is not allowed for addresses from outside.
        case addressRefused = "web.fetch.address-refused"
        /// The name of the host does not exist, or has no address.
        case nameNotFound = "web.fetch.name-not-found"
        /// The name servers gave no answer, or one that cannot be used.
        case nameServerFailed = "web.fetch.name-server-failed"
        /// Too many names are being resolved.
        case nameServerBusy = "web.fetch.name-server-busy"
        /// No server answers at any address of the host.
        case unreachable = "web.fetch.unreachable"
        /// The server's certificate is not valid yet, or has expired.
        case certificateExpired = "web.fetch.certificate-expired"
        /// The server's certificate is for another name.
        case certificateName = "web.fetch.certificate-name"
        /// No trusted root signed the server's certificate.
        case certificateUntrusted = "web.fetch.certificate-untrusted"
        /// The TLS handshake failed for another reason.
        case handshake = "web.fetch.handshake"
        /// The answer was not whole in the time allowed.
        case deadline = "web.fetch.deadline"
        /// The body of the response is larger than allowed.
        case bodyTooLarge = "web.fetch.body-too-large"
        /// The header of the response is larger than allowed.
        case headerTooLarge = "web.fetch.header-too-large"
        /// The connection ended before the answer was whole.
        case truncated = "web.fetch.truncated"
        /// The answer does not follow HTTP.
        case malformed = "web.fetch.malformed"
        /// The response is compressed though no compression was accepted.
        case encoded = "web.fetch.encoded"
        /// The server answered with a status that is neither success nor a redirect.
        case status = "web.fetch.status"
        /// A redirect names no target, or one that cannot be parsed.
        case redirectMalformed = "web.fetch.redirect-malformed"
        /// A redirect leads to a scheme that is not used to fetch.
        case redirectScheme = "web.fetch.redirect-scheme"
        /// A redirect leads from https to http.
        case redirectDowngrade = "web.fetch.redirect-downgrade"
        /// A redirect leads to an address that was fetched already.
        case redirectLoop = "web.fetch.redirect-loop"
        /// There are more redirects than allowed.
        case redirectLimit = "web.fetch.redirect-limit"
        /// The fetch was cancelled.
        case cancelled = "web.fetch.cancelled"
        /// This machine could not carry out the fetch. There are too many connections, the service is stopped, or the
        /// file of roots cannot be read.
        case local = "web.fetch.local"
    }

    /// The stable code of the cause.
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

    /// Makes an error with its code and a sentence about the cause.
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
