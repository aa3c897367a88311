import CBOR
import CryptoSuite

/// Checks who signed a CBOR Web Token: algorithm, key, issuer, trust and signature.
struct CWTSignature {
    private let token: COSESign1
    private let payload: CBORValue
    private let claims: CWTClaims
    private let issuer: String?
    private let request: VerificationRequest

    /// Takes a token of `issuer`, which is mostly the one that the claims name.
    init(
        _ token: COSESign1, _ payload: CBORValue, _ claims: CWTClaims, issuer: String?, _ request: VerificationRequest
    ) {
        self.token = token
        self.payload = payload
        self.claims = claims
        self.issuer = issuer
        self.request = request
    }

    /// Records every check, and the description of the signature once the key is known, which is given.
    @discardableResult
    func check(into list: inout CheckList, _ content: inout CredentialContent) -> ResolvedKey? {
        let named = list.attempt { () throws(CredentialError) -> SignatureAlgorithm in
            try token.headers.checkCritical()
            return try token.headers.algorithm()
        }
        guard let algorithm = named, let issuer else { return nil }
        let found = list.attempt(recording: { (list) throws(CredentialError) in
            try resolve(issuer, algorithm, into: &list)
        })
        guard let key = found else { return nil }
        list.pass(.key, "The key \(key.identifier) is known.")
        list.pass(.keyPurpose, "The key may sign for this purpose.")
        let issuedAt = (try? claims.time(CWTClaims.Label.issuedAt)) ?? nil
        list.attempt { () throws(CredentialError) in
            try key.checkPeriod(at: [request.seconds] + (issuedAt.map { [$0] } ?? []))
        }
        checkSignature(key, algorithm, into: &list, &content)
        let isIssuers: Void? = list.attempt { () throws(CredentialError) in
            try IssuerRules.check(issuer: issuer, against: key)
        }
        if isIssuers != nil { list.pass(.issuer, "The key is one of the issuer that the token names.") }
        guard !isTrustedByRoot(issuer) || token.headers.value(COSEHeaders.Label.certificates) == nil else {
            list.pass(.trust, "The trust store has a root for the issuer.")
            return key
        }
        let isTrusted: Void? = list.attempt { () throws(CredentialError) in
            try IssuerRules.checkTrust(issuer: issuer, types: [], in: request.trust)
        }
        if isTrusted != nil { list.pass(.trust, "The trust store names the issuer.") }
        return key
    }

    private func checkSignature(
        _ key: ResolvedKey, _ algorithm: SignatureAlgorithm, into list: inout CheckList,
        _ content: inout CredentialContent
    ) {
        let isFit: Void? = list.attempt { () throws(CredentialError) in try key.checkAlgorithm(algorithm) }
        guard isFit != nil else { return }
        list.pass(.algorithm, "\(algorithm.rawValue) fits the key.")
        let isValid: Void? = list.attempt { () throws(CredentialError) in
            try token.verify(payload.bytes ?? [], by: key.key, algorithm: algorithm)
        }
        if isValid != nil { list.pass(.signature, "The signature fits the key and the signed bytes.") }
        content.signatures.append(
            CredentialContent.Signature(
                key: key.identifier, algorithm: algorithm.rawValue,
                covers: "the protected header and the whole payload", isValid: isValid != nil))
    }

    private func resolve(
        _ issuer: String, _ algorithm: SignatureAlgorithm, into list: inout CheckList
    ) throws(CredentialError) -> ResolvedKey {
        if let chain = try token.headers.certificates(request.policy.limits) {
            return try certified(issuer, CertificateChecks(chain), into: &list)
        }
        list.exclude(.chain)
        return try KeyResolver(request.trust).key(
            kid: token.headers.keyIdentifier(), issuer: issuer, algorithm: algorithm, for: .assertionMethod)
    }

    /// The key of the first certificate, which belongs to the issuers that its root is pinned for or that it names.
    private func certified(
        _ issuer: String, _ checks: CertificateChecks, into list: inout CheckList
    ) throws(CredentialError) -> ResolvedKey {
        let issuedAt = (try? claims.time(CWTClaims.Label.issuedAt)) ?? nil
        let path = checks.check(
            anchors: roots(for: issuer).map(\.certificate), purpose: .token(), signedAt: issuedAt, request, into: &list)
        let names = checks.leaf.extensions.subjectAlternativeNames
        let isNamed =
            names?.uris.containsExactly(issuer) == true
            || names?.hostNames.contains { issuer == "https://" + $0 } == true
        let isPinned = roots(for: issuer).contains { $0.certificate == path.anchor && $0.isForIssuer }
        var key = ResolvedKey(
            try checks.key(), identifier: checks.leaf.subject.description, controller: checks.leaf.subject.description)
        if isNamed || isPinned { key.issuers = [issuer] }
        return key
    }

    private func isTrustedByRoot(_ issuer: String) -> Bool { !roots(for: issuer).isEmpty }

    /// The roots that may stand above signers of this issuer, and whether they are pinned for it by name.
    private func roots(for issuer: String) -> [(certificate: Certificate, isForIssuer: Bool)] {
        request.trust.roots.compactMap { root in
            guard case .tokens(let issuers, _) = root.purpose, issuers.isEmpty || issuers.containsExactly(issuer),
                let certificate = try? Certificate(der: root.certificate)
            else { return nil }
            return (certificate, !issuers.isEmpty)
        }
    }
}
