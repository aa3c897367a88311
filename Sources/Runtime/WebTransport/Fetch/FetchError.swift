@_exported public import CodedErrors
public import WebAddressing

/// Why a guarded fetch failed.
///
/// Equality is by code.
public typealias FetchError = CodedFailure<FetchErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum FetchErrorCode: String, CaseIterable, Sendable {
    /// The address and the answer that an error is about.
    public struct Detail: Sendable {
        let address: WebAddress?
        let status: Int?
        let redirectTarget: String?
    }

    case scheme = "web.fetch.scheme"
    /// The caller did not allow an address without TLS.
    case insecure = "web.fetch.insecure"
    case target = "web.fetch.target"
    case addressRefused = "web.fetch.address-refused"
    case nameNotFound = "web.fetch.name-not-found"
    case nameServerFailed = "web.fetch.name-server-failed"
    case nameServerBusy = "web.fetch.name-server-busy"
    case unreachable = "web.fetch.unreachable"
    case certificateExpired = "web.fetch.certificate-expired"
    case certificateName = "web.fetch.certificate-name"
    case certificateUntrusted = "web.fetch.certificate-untrusted"
    case handshake = "web.fetch.handshake"
    case deadline = "web.fetch.deadline"
    case bodyTooLarge = "web.fetch.body-too-large"
    case headerTooLarge = "web.fetch.header-too-large"
    case truncated = "web.fetch.truncated"
    case malformed = "web.fetch.malformed"
    case encoded = "web.fetch.encoded"
    case status = "web.fetch.status"
    case redirectMalformed = "web.fetch.redirect-malformed"
    case redirectScheme = "web.fetch.redirect-scheme"
    case redirectDowngrade = "web.fetch.redirect-downgrade"
    case redirectLoop = "web.fetch.redirect-loop"
    case redirectLimit = "web.fetch.redirect-limit"
    case cancelled = "web.fetch.cancelled"
    /// There are too many connections, the service is stopped, or the file of roots cannot be read.
    case local = "web.fetch.local"
}

extension FetchErrorCode {
    /// The status of the answer in decimal digits.
    public static func wireCodeText(of detail: Detail) -> String? { detail.status.map(String.init) }
}

extension FetchError {
    /// The address that was requested, or would have been next; nil where there was none yet.
    public var address: WebAddress? { detail?.address }

    /// The status of the answer where the code is `status`; nil otherwise.
    public var wireCode: Int? { detail?.status }

    /// The target of a refused redirect as the server wrote it: untrusted text of at most `WebAddress.maximumBytes`.
    ///
    /// Some services redirect to an application's address that holds the requested document.
    public var redirectTarget: String? { detail?.redirectTarget }

    /// Makes an error with its code, a sentence without text of a stranger, and the answer that it is about.
    public init(
        _ code: Code, _ reason: String, at address: WebAddress?, wireCode: Int? = nil, redirectTarget: String? = nil
    ) {
        self.init(
            code, reason,
            detail: FetchErrorCode.Detail(address: address, status: wireCode, redirectTarget: redirectTarget))
    }
}
