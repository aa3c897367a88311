import JSON

/// A verifier's request as a wallet understands it: who asks, for what, and in which session.
public struct PresentationRequest: Hashable, Sendable {
    /// Who signed the request, as far as it is known.
    public enum Signer: Hashable, Sendable {
        /// The request has no signature.
        case unsigned
        /// A key of the identifier signed it, which is neither pinned nor vouched for.
        case unknown(String)
        /// The user pinned the signer, or a root that the user trusts vouches for it.
        case known(String)
    }

    /// Who asks, as the request says: `client_id`, else `iss`; nil when it does not say.
    ///
    /// Untrusted text: neutralise it before showing it.
    public let clientID: String?

    /// Who signed the request.
    public internal(set) var signer: Signer

    /// The nonce, from which the nonce of the answer is made.
    public let nonce: String

    /// The claim `ble_key`; nil when the request is bound to no session.
    public let channelKey: String?

    /// What is asked for, in the order of the request.
    public let queries: [CredentialQuery]

    /// The purpose that the request states, untrusted text; nil when it states none.
    public let purpose: String?

    /// The audience that presentations of the answer must have.
    public var audience: String { clientID ?? channelKey.map { "ble_key:" + $0 } ?? "unbound" }

    /// Whether the request names the session that it was written for.
    public var isBound: Bool { channelKey != nil }
}
