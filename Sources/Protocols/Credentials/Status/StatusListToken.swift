import JSON

/// A status list token as JWT (draft-ietf-oauth-status-list, section 5.1).
struct StatusListToken {
    /// The address that the list says it has.
    let subject: String
    /// The values.
    let bits: StatusListBits
    /// How long a copy is fresh, in seconds; nil when the list does not say.
    let lifetime: Double?
    /// The end of its validity, in seconds since 1970; nil without one.
    let expiresAt: Double?

    private let token: CompactJWS
    private let issuer: String?
    private let issuedAt: Double

    /// Reads a token.
    ///
    /// Throws `credential.st-form`, `credential.st-bomb`, and for a token that is none the codes of its reader.
    init(parsing bytes: [UInt8], limits: VerificationLimits) throws(CredentialError) {
        let text = bytes.reversed().drop { $0 == 0x0A || $0 == 0x0D }.reversed()
        token = try CompactJWS(parsing: text, limits: limits)
        guard token.type == "statuslist+jwt" else {
            throw CredentialError(.stForm, "The status list is not of type statuslist+jwt.")
        }
        let claims = try token.claims(limits)
        guard let subject = claims["sub"]?.string, let list = claims["status_list"]?.object,
            let width = list["bits"]?.int, [1, 2, 4, 8].contains(width), let packed = list["lst"]?.string,
            let issued = try TokenTimes.seconds("iat", of: claims)
        else { throw CredentialError(.stForm, "The status list does not follow its format.") }
        let compressed = try StrictBase64.url(packed, "The status list")
        let order = StatusListBits.Order.leastSignificantFirst
        bits = StatusListBits(
            try StatusListBits.decompress(compressed, order: order, limits: limits), width: width, order: order)
        self.subject = subject
        issuer = claims["iss"]?.string
        issuedAt = issued
        expiresAt = try TokenTimes.seconds("exp", of: claims)
        lifetime = try TokenTimes.seconds("ttl", of: claims)
    }

    /// Throws `credential.st-sig` unless the list is signed by the credential's issuer, or by one that the trust store
    /// names for it, and `credential.st-form` when it was made in the future.
    func checkSigner(issuer credentialIssuer: String?, _ request: VerificationRequest) throws(CredentialError) {
        let allowed = StatusSigners.of(credentialIssuer, in: request.trust)
        guard let signer = issuer ?? credentialIssuer, allowed.contains(signer) else {
            throw CredentialError(.stSig, "The status list is of another issuer.")
        }
        var (list, content) = (CheckList(), CredentialContent())
        let claim = TokenSignature.Claim(
            issuer: signer, types: [], purpose: .assertionMethod, signedAt: issuedAt)
        let key = TokenSignature(token, claim, request).check(into: &list, &content)
        // A chain to no pinned root is not done and proves nothing of the issuer that its leaf names.
        let isVouchedFor = token.header["x5c"] == nil || key?.isVouchedFor == true
        guard list.passed(.signature), list.passed(.issuer), list.passed(.algorithm), isVouchedFor else {
            throw CredentialError(.stSig, "The signature of the status list is not one of its issuer.")
        }
        guard issuedAt <= request.seconds + request.policy.toleranceSeconds else {
            throw CredentialError(.stForm, "The status list was made in the future.")
        }
    }
}

/// Who may sign the status lists of an issuer's credentials.
enum StatusSigners {
    /// The issuer, and those that its entry in the trust store names.
    static func of(_ issuer: String?, in trust: TrustStore) -> [String] {
        guard let issuer else { return [] }
        return [issuer] + (trust.issuer(issuer)?.statusIssuers ?? [])
    }
}
