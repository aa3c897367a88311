import CryptoSuite
import JSON

/// Resolves a token's key from its header's certificates (`x5c`, RFC 7515, section 4.1.6), and checks their chain.
///
/// The roots of the trust store are the only ones; a root in the token is none. The issuer must be named by the leaf
/// (draft-ietf-oauth-sd-jwt-vc, section 2.5) or by the root's entry in the trust store.
struct CertificateKeyResolver {
    private let token: CompactJWS
    private let claim: TokenSignatureCheck.SignatureClaims
    private let request: VerificationRequest

    init(_ token: CompactJWS, claim: TokenSignatureCheck.SignatureClaims, request: VerificationRequest) {
        self.token = token
        self.claim = claim
        self.request = request
    }

    /// The curves that JOSE has an algorithm for (RFC 7518, section 3.4; RFC 8812).
    private static let curves: Set<ECDSA.Curve> = [.p256, .p384, .p521, .secp256k1]

    /// Returns the key of the leaf certificate; records the checks of the chain.
    ///
    /// Throws `credential.alg-mismatch` for a curve that JOSE has no algorithm for, `credential.parse-base64`,
    /// `credential.limit-certificates`, `credential.x5-chain`, `credential.x5-weak` and `credential.jwt-x5t`.
    func key(into list: inout CredentialCheckList) throws(CredentialError) -> ResolvedKey {
        let chain = try CertificateChecks(try token.certificates() ?? [])
        let leaf = chain.leaf
        if case .ecdsa(let key) = leaf.publicKey, !Self.curves.contains(key.curve) {
            throw CredentialError(.algMismatch, "JOSE has no algorithm for the curve of the certificate's key.")
        }
        if let print = token.header["x5t#S256"] {
            let bytes = try StrictBase64.url(print.string ?? "=", "The digest of the certificate")
            if bytes != SHA256.hash(leaf.der) {
                list.fail(.jwtX5t, "The header names another certificate than the first one of its chain.")
            }
        }
        let roots = TokenCertificateRoots(for: claim.issuer, leaf: leaf, in: request.trust)
        let path = chain.check(
            anchors: roots.anchors, isLenient: roots.isLenient, purpose: .token(), signedAt: claim.signedAt, request,
            into: &list)
        return try roots.key(under: path.anchor, isGood: path.isValid && !list.failed(.chain))
    }
}

extension CompactJWS {
    /// Returns the certificates of the header x5c, the leaf first; nil without the header.
    ///
    /// Throws `credential.x5-chain`, `credential.limit-certificates` and `credential.parse-base64`.
    func certificates() throws(CredentialError) -> [[UInt8]]? {
        guard let header = header["x5c"] else { return nil }
        guard let texts = header.array else {
            throw CredentialError(.x5Chain, "The header has no array of certificates.")
        }
        guard texts.count <= VerificationLimits.maximumCertificates else {
            throw CredentialError(.limitCertificates, "The header has \(texts.count) certificates.")
        }
        var certificates: [[UInt8]] = []
        for value in texts {
            certificates.append(try StrictBase64.padded(value.string ?? "=", "A certificate of the header"))
        }
        return certificates
    }
}

extension CertificatePath {
    /// Records the rules that the path breaks, unmet profile requirements, or that the path is valid.
    func record(into list: inout CredentialCheckList) {
        for failure in failures {
            list.fail(failure.rule.code, "Certificate \(failure.index + 1): \(failure.reason).", in: .chain)
        }
        for note in notes {
            list.pass(.chain, "Certificate \(note.index + 1): \(note.reason).", note: .x5Profile)
        }
        if failures.isEmpty { list.pass(.chain, "The certificates lead to a root of the trust store.") }
    }
}

extension CertificatePath.PathRule {
    /// The error code for a broken rule of a certificate path.
    var code: CredentialError.Code {
        switch self {
        case .chain: .x5Chain
        case .count: .limitCertificates
        case .anchor: .x5Anchor
        case .selfSigned: .x5SelfSigned
        case .expired: .x5Expired
        case .notYetValid: .x5NotYet
        case .signingTime: .mdSignedTime
        case .authority: .x5Ca
        case .pathLength: .x5PathLen
        case .keyUsage: .x5Ku
        case .extendedKeyUsage: .x5Eku
        case .critical: .x5Critical
        case .name: .x5Name
        case .signature: .x5Sig
        case .weak: .x5Weak
        case .profile: .x5Profile
        }
    }
}

extension VerificationKey {
    /// Makes a verification key from a certificate's key.
    ///
    /// Throws `credential.x5-weak` for an algorithm that is not accepted.
    package init(_ key: SubjectPublicKey) throws(CredentialError) {
        switch key {
        case .ecdsa(let key): self = .ecdsa(key)
        case .ed25519(let bytes): self = .ed25519(bytes)
        case .ed448(let bytes): self = .ed448(bytes)
        case .rsa(let key): self = .rsa(key)
        case .unsupported: throw CredentialError(.x5Weak, "The key of the certificate is not accepted.")
        }
    }
}
