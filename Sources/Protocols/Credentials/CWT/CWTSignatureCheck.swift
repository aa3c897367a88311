import CBOR
import CryptoSuite

/// Checks the signature of a CBOR Web Token: algorithm, key, issuer, trust and signature.
struct CWTSignatureCheck {
    private let token: COSESign1
    private let payload: CBORValue
    private let claims: CWTClaims
    private let issuer: String?
    private let request: VerificationRequest

    /// Makes the check of a token of `issuer`, which in most cases is the one that the claims name.
    init(
        _ token: COSESign1, payload: CBORValue, claims: CWTClaims, issuer: String?, request: VerificationRequest
    ) {
        self.token = token
        self.payload = payload
        self.claims = claims
        self.issuer = issuer
        self.request = request
    }

    /// Records every check and, once the key is known, the description of the signature; returns the key.
    @discardableResult
    func check(into list: inout CredentialCheckList, _ content: inout CredentialContent) -> ResolvedKey? {
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
        let isIssuers: Void? = list.attempt(in: .issuer) { () throws(CredentialError) in
            try IssuerTrustCheck.check(issuer: issuer, against: key, in: request.trust)
        }
        if isIssuers != nil { list.pass(.issuer, "The key is one of the issuer that the token names.") }
        if key.isVouchedFor {
            key.checkRoots(issuer: issuer, types: [], in: request.trust, into: &list, &content)
        } else {
            IssuerTrustCheck.checkTrust(issuer: issuer, types: [], in: request.trust, into: &list, &content)
        }
        return key
    }

    private func checkSignature(
        _ key: ResolvedKey, _ algorithm: SignatureAlgorithm, into list: inout CredentialCheckList,
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
        _ issuer: String, _ algorithm: SignatureAlgorithm, into list: inout CredentialCheckList
    ) throws(CredentialError) -> ResolvedKey {
        if let chain = try token.headers.certificates() {
            return try certified(issuer, CertificateChecks(chain), into: &list)
        }
        list.exclude(.chain)
        let resolver = KeyResolver(request.trust)
        let kid = try token.headers.keyIdentifier()
        let text = kid.flatMap { String(validating: $0, as: UTF8.self) }
        do throws(CredentialError) {
            guard kid == nil || text != nil else {
                throw CredentialError(.keyUnresolved, "The identifier of the key is not text.")
            }
            return try resolver.key(kid: text, issuer: issuer, algorithm: algorithm, for: .assertionMethod)
        } catch {
            guard let kid, error.code == .keyUnresolved, request.trust.issuer(issuer) != nil else { throw error }
            let keys = try resolver.candidates(
                bytes: kid, issuer: issuer, algorithm: algorithm, for: .assertionMethod)
            return keys.first { (try? token.verify(payload.bytes ?? [], by: $0.key, algorithm: algorithm)) != nil }
                ?? keys[0]
        }
    }

    /// Returns the leaf certificate's key, with the issuers that its root is pinned for or that it names.
    private func certified(
        _ issuer: String, _ checks: CertificateChecks, into list: inout CredentialCheckList
    ) throws(CredentialError) -> ResolvedKey {
        let issuedAt = (try? claims.time(CWTClaims.Label.issuedAt)) ?? nil
        token.headers.checkThumbprint(of: checks.leaf, into: &list)
        let roots = TokenCertificateRoots(for: issuer, leaf: checks.leaf, in: request.trust)
        let path = checks.check(
            anchors: roots.anchors, isLenient: roots.isLenient, purpose: .token(), signedAt: issuedAt, request,
            into: &list)
        return try roots.key(under: path.anchor, isGood: path.isValid && !list.failed(.chain))
    }
}
