import ByteCoding
import CBOR
import COSE
import CryptoSuite
import Determinism

/// Checks the signature of a CBOR Web Token: algorithm, key, issuer, trust and signature.
struct CWTSignatureCheck {
    private let token: COSESign1
    private let payload: CBORValue
    private let claims: CWTClaims
    private let issuer: String?
    private let request: VerificationRequest
    private let isCode: Bool

    /// Makes the check of a token of `issuer`, which in most cases is the one that the claims name.
    ///
    /// - Parameter isCode: true for the token of a printed code, whose issuers leave out the key's name, name keys that
    ///   are new, or do not name themselves: all keys of the issuer are tried.
    init(
        _ token: COSESign1, payload: CBORValue, claims: CWTClaims, issuer: String?, request: VerificationRequest,
        isCode: Bool = false
    ) {
        self.isCode = isCode
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
        guard let algorithm = named, issuer != nil || isCode else { return nil }
        let found = list.attempt(recording: { (list) throws(CredentialError) in
            if let issuer { return (issuer: issuer, key: try resolve(issuer, algorithm, into: &list)) }
            return try issuerless(algorithm, into: &list)
        })
        guard let (issuer, key) = found else { return nil }
        if self.issuer == nil { content.issuer = issuer }
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
        if isIssuers != nil {
            list.pass(
                .issuer,
                self.issuer == nil
                    ? "The token names no issuer, and the trust file allows that for this key."
                    : "The key is one of the issuer that the token names.")
        }
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

    /// Records the checks of a health certificate, which a certificate of a pinned list signs; returns no key.
    ///
    /// Its algorithm and key identifier may stand in the unprotected header.
    func check(
        _ health: HealthCertificate, into list: inout CredentialCheckList, _ content: inout CredentialContent
    ) -> ResolvedKey? {
        let named = list.attempt { () throws(CredentialError) in
            try token.headers.checkCritical()
            guard let identifier = try token.headers.keyIdentifier() else {
                throw CredentialError(.keyUnresolved, "The certificate does not name the key of its signer.")
            }
            return (algorithm: try token.headers.algorithm(acceptsUnprotected: true), identifier: identifier)
        }
        guard let (algorithm, identifier) = named else { return nil }
        let issuedAt = (try? claims.time(CWTClaims.Label.issuedAt)) ?? nil
        let signer = SignerListSignature(.healthCertificates, request).check(
            token.signature, over: token.signedBytes(payload.bytes ?? []), by: algorithm, identifier: identifier,
            signedAt: issuedAt.flatMap(WallTime.init(seconds:)), into: &list, &content)
        if let signer { health.checkUsage(of: signer, into: &list) }
        return nil
    }

    private func verifies(_ key: ResolvedKey, _ algorithm: SignatureAlgorithm) -> Bool {
        (try? token.verify(payload.bytes ?? [], by: key.key, algorithm: algorithm)) != nil
    }

    /// Returns the key, and its issuer, of a token that names none: of the entries that allow it.
    private func issuerless(
        _ algorithm: SignatureAlgorithm, into list: inout CredentialCheckList
    ) throws(CredentialError) -> (issuer: String, key: ResolvedKey) {
        list.exclude(.chain)
        let kid = try token.headers.keyIdentifier()
        var first: (issuer: String, key: ResolvedKey)?
        for entry in request.trust.issuers where entry.acceptsIssuerless {
            let keys = try? KeyResolver(request.trust).candidates(
                bytes: kid, issuer: entry.identifier, algorithm: algorithm, for: .assertionMethod)
            for key in keys ?? [] {
                if verifies(key, algorithm) { return (entry.identifier, key) }
                first = first ?? (entry.identifier, key)
            }
        }
        guard let first else {
            throw CredentialError(
                .keyUnresolved, "The token names no issuer, and no entry of the trust file says issuer-less accept.")
        }
        return first
    }

    private func resolve(
        _ issuer: String, _ algorithm: SignatureAlgorithm, into list: inout CredentialCheckList
    ) throws(CredentialError) -> ResolvedKey {
        if let chain = try chain(algorithm) { return try certified(issuer, CertificateChecks(chain), into: &list) }
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
            guard kid != nil || isCode, error.code == .keyUnresolved, request.trust.issuer(issuer) != nil else {
                throw error
            }
            let keys = try resolver.candidates(bytes: kid, issuer: issuer, algorithm: algorithm, for: .assertionMethod)
            if let key = keys.first(where: { verifies($0, algorithm) }) { return key }
            guard isCode, let kid else { return keys[0] }
            // A key of that name may be a new one, which the trust file has not.
            let name = text.map { "“\($0)”" } ?? Hex.encode(kid)
            throw CredentialError(.keyUnresolved, "The key \(name) of \(issuer) is not known.")
        }
    }

    /// Returns the chain of certificates in the headers, the signer's first; nil without one.
    ///
    /// Certificates without an order (x5bag) become a chain from the one whose key verifies the token.
    private func chain(_ algorithm: SignatureAlgorithm) throws(CredentialError) -> [[UInt8]]? {
        if let chain = try token.headers.certificates() { return chain }
        guard let bag = try token.headers.certificateBag() else { return nil }
        var rest = bag.compactMap { try? Certificate(der: $0) }
        let signer = rest.firstIndex { certificate in
            guard let key = try? VerificationKey(certificate.publicKey) else { return false }
            return (try? token.verify(payload.bytes ?? [], by: key, algorithm: algorithm)) != nil
        }
        guard !rest.isEmpty else { return bag }
        var chain = [rest.remove(at: signer ?? 0)]
        while let next = rest.firstIndex(where: { $0.subject == chain[chain.count - 1].issuer }) {
            chain.append(rest.remove(at: next))
        }
        return chain.map(\.der)
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
