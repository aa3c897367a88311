import CryptoSuite
import WebAddressing

/// The roots of the trust store that may end the chain of a token's certificate, and their rules for its issuer.
///
/// Source: draft-ietf-oauth-sd-jwt-vc, section 2.5 for the name of the issuer in the certificate.
struct TokenCertificateRoots {
    /// The roots that may end the chain; a root for named issuers accepts no token without an issuer.
    let roots: [TrustedRoot]
    private let issuer: String?
    private let leaf: Certificate

    /// Makes the roots for the issuer that the token names, and the certificate of its signer.
    init(for issuer: String?, leaf: Certificate, in trust: TrustStore) {
        self.issuer = issuer
        self.leaf = leaf
        roots = trust.roots.filter { root in
            guard case .tokens(let issuers, _) = root.purpose else { return false }
            return issuers.isEmpty || issuer.map(issuers.containsExactly) == true
        }
    }

    /// The certificates of the roots.
    var anchors: [Certificate] { roots.compactMap { try? Certificate(der: $0.certificate) } }

    /// Returns true when a root with this certificate accepts signers that break the certificate profiles.
    func isLenient(_ anchor: Certificate) -> Bool { entries(of: anchor).contains(where: \.isLenient) }

    /// Returns the key of the leaf, with the issuers that it may sign for under the anchor of its chain.
    ///
    /// - Parameter isGood: true when the chain breaks no rule and no certificate of it is revoked.
    func key(under anchor: Certificate?, isGood: Bool) throws(CredentialError) -> ResolvedKey {
        let subject = leaf.subject.description
        var key = ResolvedKey(try VerificationKey(leaf.publicKey), identifier: subject, controller: subject)
        guard let anchor else {
            if isNamedByLeaf, let issuer { key.issuers = [issuer] }
            key.couldBeVouchedFor = !namesAny
            return key
        }
        if isGood { key.roots = entries(of: anchor) }
        let isPinned = entries(of: anchor).contains { root in
            if case .tokens(let issuers, _) = root.purpose { !issuers.isEmpty } else { false }
        }
        if let issuer, isNamedByLeaf || isPinned && !namesAny { key.issuers = [issuer] }
        return key
    }

    private func entries(of anchor: Certificate) -> [TrustedRoot] { roots.filter { $0.certificate == anchor.der } }

    /// True when the leaf names any issuer as an alternative name of its subject.
    private var namesAny: Bool {
        guard let names = leaf.extensions.subjectAlternativeNames else { return false }
        return !names.uris.isEmpty || !names.hostNames.isEmpty
    }

    /// True when the leaf names this issuer: its address, or the host of it.
    private var isNamedByLeaf: Bool {
        guard let issuer, let names = leaf.extensions.subjectAlternativeNames else { return false }
        if names.uris.containsExactly(issuer) { return true }
        guard let address = try? WebAddress(parsing: issuer), address.scheme == .https else { return false }
        return names.hostNames.containsExactly("\(address.host)")
    }
}
