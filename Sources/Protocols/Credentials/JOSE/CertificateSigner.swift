import CryptoSuite
import JSON
import WebAddressing

/// Finds the key of a token that brings its certificates (`x5c`, RFC 7515, section 4.1.6), and checks their chain.
///
/// The roots of the trust store are the only ones; a root in the token is none. The issuer must be named by the leaf
/// (draft-ietf-oauth-sd-jwt-vc, section 2.5) or by the root's entry in the trust store.
struct CertificateSigner {
    private let token: CompactJWS
    private let claim: TokenSignature.Claim
    private let request: VerificationRequest

    init(_ token: CompactJWS, _ claim: TokenSignature.Claim, _ request: VerificationRequest) {
        self.token = token
        self.claim = claim
        self.request = request
    }

    /// The key of the first certificate; records the checks of the chain.
    ///
    /// Throws `credential.parse-base64`, `credential.limit-certificates`, `credential.x5-chain`,
    /// `credential.x5-weak` and `credential.jwt-x5t`.
    func key(into list: inout CheckList) throws(CredentialError) -> ResolvedKey {
        let chain = try CertificateChecks(try certificates())
        let leaf = chain.leaf
        if let print = token.header["x5t#S256"] {
            let bytes = try StrictBase64.url(print.string ?? "=", "The digest of the certificate")
            if bytes != SHA256.hash(leaf.der) {
                list.fail(.jwtX5t, "The header names another certificate than the first one of its chain.")
            }
        }
        let roots = request.trust.roots.filter { allows($0) }
        let path = chain.check(
            anchors: roots.compactMap { try? Certificate(der: $0.certificate) }, purpose: .token(),
            signedAt: claim.signedAt, request, into: &list)
        var key = ResolvedKey(
            try VerificationKey(leaf.publicKey), identifier: leaf.subject.description,
            controller: controller(of: leaf))
        key.isVouchedFor = path.anchor != nil && !list.failed(.chain) && path.isValid
        if let issuer = claim.issuer, names(issuer, path.anchor) { key.issuers = [issuer] }
        return key
    }

    private func certificates() throws(CredentialError) -> [[UInt8]] {
        guard let texts = token.header["x5c"]?.array else {
            throw CredentialError(.x5Chain, "The header has no array of certificates.")
        }
        guard texts.count <= request.policy.limits.maximumCertificates else {
            throw CredentialError(.limitCertificates, "The header has \(texts.count) certificates.")
        }
        var certificates: [[UInt8]] = []
        for value in texts {
            certificates.append(try StrictBase64.padded(value.string ?? "=", "A certificate of the header"))
        }
        return certificates
    }

    /// Whether a root is one for tokens of this issuer.
    private func allows(_ root: TrustedRoot) -> Bool {
        guard case .tokens(let issuers, _) = root.purpose else { return false }
        return issuers.isEmpty || claim.issuer.map(issuers.containsExactly) ?? true
    }

    /// Whether the entry of the root names the issuer.
    private func names(_ issuer: String, _ anchor: Certificate?) -> Bool {
        request.trust.roots.contains { root in
            guard case .tokens(let issuers, _) = root.purpose else { return false }
            return root.certificate == anchor?.der && issuers.containsExactly(issuer)
        }
    }

    /// The issuer that the leaf names as an alternative name of its subject: an address, or the host of one.
    private func controller(of leaf: Certificate) -> String {
        let names = leaf.extensions.subjectAlternativeNames
        guard let issuer = claim.issuer else { return leaf.subject.description }
        if names?.uris.containsExactly(issuer) == true { return issuer }
        guard let address = try? WebAddress(parsing: issuer), address.scheme == .https,
            names?.hostNames.containsExactly("\(address.host)") == true
        else { return leaf.subject.description }
        return issuer
    }
}

extension CertificatePath {
    /// Records the rules that the path breaks, what its profile asks for beyond them, or that it is good.
    func record(into list: inout CheckList) {
        for failure in failures {
            list.fail(failure.rule.code, "Certificate \(failure.index + 1): \(failure.reason).", in: .chain)
        }
        for note in notes {
            list.pass(.chain, "Certificate \(note.index + 1): \(note.reason).", note: .x5Profile)
        }
        if failures.isEmpty { list.pass(.chain, "The certificates lead to a root of the trust store.") }
    }
}

extension CertificatePath.Rule {
    /// The code of the rule in a report.
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
    /// The key of a certificate.
    ///
    /// Throws `credential.x5-weak` for an algorithm that is not accepted.
    init(_ key: SubjectPublicKey) throws(CredentialError) {
        switch key {
        case .ecdsa(let key): self = .ecdsa(key)
        case .ed25519(let bytes): self = .ed25519(bytes)
        case .rsa(let key): self = .rsa(key)
        case .unsupported: throw CredentialError(.x5Weak, "The key of the certificate is not accepted.")
        }
    }
}
