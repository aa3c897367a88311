public import JSON

/// A signed token whose claims another module reads, such as a verifier's request (RFC 9101).
public struct SignedToken: Sendable {
    /// The result of checking the token's signature.
    public struct SignatureCheckResult: Sendable {
        /// The checks of algorithm, key, chain and signature.
        public let checks: [CredentialCheck]
        /// The signing key; nil when it was not found.
        public let key: ResolvedKey?
        /// The algorithm's name in the header; nil without one.
        public let algorithm: String?

        /// True when the signature verifies with the key, and no check of it failed.
        public var isValid: Bool {
            !checks.contains { $0.outcome == .failed }
                && checks.contains { $0.kind == .signature && $0.outcome == .passed }
        }
    }

    private let token: CompactJWS

    /// The claims of the token: its payload as a JSON object.
    public let claims: JSONObject

    /// Reads a token of three parts.
    ///
    /// Throws `credential.jwt-form`, `credential.parse-base64` and the codes of JSON.
    public init(parsing bytes: [UInt8], limits: VerificationLimits) throws(CredentialError) {
        token = try CompactJWS(parsing: bytes, limits: limits)
        claims = try token.claims(limits)
    }

    /// The type in the header without `application/`; nil without one.
    public var type: String? { token.type }

    /// True when the token has certificates in its header.
    public var hasCertificates: Bool { token.header["x5c"] != nil }

    /// Verifies the token's signature, and finds its key.
    ///
    /// By the certificates in the header, by the key that the header names, or by the one key of the issuer that fits.
    ///
    /// - Parameter issuer: who the claims say has signed it; nil when they do not say.
    public func checkSignature(issuer: String?, _ request: VerificationRequest) -> SignatureCheckResult {
        var list = CredentialCheckList()
        var content = CredentialContent()
        let claim = TokenSignatureCheck.SignatureClaims(
            issuer: issuer, types: [], purpose: .authentication, signedAt: claims["iat"]?.number?.double)
        let key = TokenSignatureCheck(token, claim: claim, request: request).check(into: &list, &content)
        let kinds: [CredentialCheck.Kind] = [.algorithm, .key, .keyPurpose, .issuer, .signature, .chain]
        return SignatureCheckResult(
            checks: list.checks(of: kinds).filter { $0.outcome != .notDone || $0.code != nil }, key: key,
            algorithm: token.header["alg"]?.string)
    }
}
