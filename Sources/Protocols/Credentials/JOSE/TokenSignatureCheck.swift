import JSON

/// Checks the signature of a token: algorithm, key, issuer, trust and signature.
package struct TokenSignatureCheck {
    /// The claims about a token's signature: issuer, types, purpose and time.
    package struct SignatureClaims {
        /// The issuer that the token names; nil without one.
        let issuer: String?
        /// The types that the trust store may restrict the issuer to.
        let types: [String]
        /// The purpose for which the key must be allowed to sign.
        let purpose: KeyPurpose
        /// The signing time that the token states, in seconds since 1970; nil without one.
        let signedAt: Double?

        /// Makes the claims of a credential, which its issuer signs.
        package init(
            issuer: String?, types: [String], purpose: KeyPurpose = .assertionMethod, signedAt: Double?
        ) {
            self.issuer = issuer
            self.types = types
            self.purpose = purpose
            self.signedAt = signedAt
        }
    }

    private let token: CompactJWS
    private let claim: SignatureClaims
    private let request: VerificationRequest

    /// Makes the check of a token's signature.
    package init(_ token: CompactJWS, claim: SignatureClaims, request: VerificationRequest) {
        self.token = token
        self.claim = claim
        self.request = request
    }

    /// Records every check and, once the key is known, the description of the signature; returns the key.
    @discardableResult
    package func check(into list: inout CredentialCheckList, _ content: inout CredentialContent) -> ResolvedKey? {
        guard let algorithm = list.attempt({ () throws(CredentialError) in try token.algorithm() }) else { return nil }
        let found = list.attempt(recording: { (list) throws(CredentialError) in try resolve(algorithm, into: &list) })
        guard let key = found else { return nil }
        list.pass(.key, "The key \(key.identifier) is known.")
        list.pass(.keyPurpose, "The key may sign for this purpose.")
        checkPeriod(of: key, into: &list)
        let isFit: Void? = list.attempt { () throws(CredentialError) in try key.checkAlgorithm(algorithm) }
        if isFit != nil { list.pass(.algorithm, "\(algorithm.rawValue) fits the key.") }
        checkSignature(key, algorithm, isFit: isFit != nil, into: &list, &content)
        checkIssuer(key, into: &list, &content)
        return key
    }

    private func resolve(
        _ algorithm: SignatureAlgorithm, into list: inout CredentialCheckList
    ) throws(CredentialError) -> ResolvedKey {
        if token.header["x5c"] != nil {
            return try CertificateKeyResolver(token, claim: claim, request: request).key(into: &list)
        }
        list.exclude(.chain)
        let kid = try token.keyName()
        let resolver = KeyResolver(request.trust)
        guard let issuer = claim.issuer else {
            guard let kid else {
                throw CredentialError(.keyUnresolved, "The token names neither an issuer nor a key.")
            }
            return try resolver.key(kid, for: claim.purpose)
        }
        return try resolver.key(kid: kid, issuer: issuer, algorithm: algorithm, for: claim.purpose)
    }

    private func checkPeriod(of key: ResolvedKey, into list: inout CredentialCheckList) {
        let times = [request.seconds] + (claim.signedAt.map { [$0] } ?? [])
        list.attempt { () throws(CredentialError) in try key.checkPeriod(at: times) }
    }

    private func checkSignature(
        _ key: ResolvedKey, _ algorithm: SignatureAlgorithm, isFit: Bool, into list: inout CredentialCheckList,
        _ content: inout CredentialContent
    ) {
        var isValid = false
        if isFit {
            let done: Void? = list.attempt { () throws(CredentialError) in
                try key.key.verify(token.signature, over: token.signingInput, algorithm: algorithm)
            }
            isValid = done != nil
            if isValid { list.pass(.signature, "The signature fits the key and the signed bytes.") }
        }
        content.signatures.append(
            CredentialContent.Signature(
                key: key.identifier, algorithm: algorithm.rawValue, covers: "the header and the whole payload",
                isValid: isValid))
    }

    private func checkIssuer(
        _ key: ResolvedKey, into list: inout CredentialCheckList, _ content: inout CredentialContent
    ) {
        guard let issuer = claim.issuer else {
            guard key.isVouchedFor else { return }
            list.pass(.issuer, "The subject of the certificate is the issuer.")
            content.issuer = key.controller
            return key.checkRoots(issuer: nil, types: claim.types, in: request.trust, into: &list, &content)
        }
        let isIssuers: Void? = list.attempt(in: .issuer) { () throws(CredentialError) in
            try IssuerTrustCheck.check(issuer: issuer, against: key, in: request.trust)
        }
        if isIssuers != nil { list.pass(.issuer, "The key is one of the issuer that the token names.") }
        guard claim.purpose == .assertionMethod else { return }
        guard !key.isVouchedFor else {
            return key.checkRoots(issuer: issuer, types: claim.types, in: request.trust, into: &list, &content)
        }
        IssuerTrustCheck.checkTrust(issuer: issuer, types: claim.types, in: request.trust, into: &list, &content)
    }
}
