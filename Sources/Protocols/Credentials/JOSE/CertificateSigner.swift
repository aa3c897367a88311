import JSON

/// Finds the key of a token that brings its certificates (`x5c`, RFC 7515, section 4.1.6).
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
    /// Throws `credential.parse-base64`, `credential.limit-certificates` and the codes of keys and certificates.
    func key(into list: inout CheckList) throws(CredentialError) -> ResolvedKey {
        _ = try certificates()
        throw CredentialError(.x5Chain, "Certificates are not read yet.")
    }

    private func certificates() throws(CredentialError) -> [[UInt8]] {
        guard let texts = token.header["x5c"]?.array, !texts.isEmpty else {
            throw CredentialError(.x5Chain, "The header has no array of certificates.")
        }
        guard texts.count <= request.policy.limits.maximumCertificates else {
            throw CredentialError(.limitCertificates, "The header has \(texts.count) certificates.")
        }
        var certificates: [[UInt8]] = []
        for value in texts {
            guard let text = value.string else {
                throw CredentialError(.x5Chain, "A certificate of the header is no text.")
            }
            certificates.append(try StrictBase64.padded(text, "A certificate of the header"))
        }
        return certificates
    }
}
