import CBOR
import COSE
import CryptoSuite

extension COSEHeaders {
    /// Returns the signature algorithm in the protected header.
    ///
    /// Throws `credential.alg-mismatch` when there is none there, or a MAC, `credential.alg-unknown` for one that is
    /// not known, and `credential.alg-weak` for RSA with SHA-1.
    ///
    /// - Parameter acceptsUnprotected: true where the algorithm may stand in the unprotected header, as the format of
    ///   health certificates allows.
    package func algorithm(acceptsUnprotected: Bool = false) throws(CredentialError) -> SignatureAlgorithm {
        let other = acceptsUnprotected ? unprotected[Label.algorithm] : nil
        guard let value = protected?[Label.algorithm] ?? other else {
            let reason =
                unprotected[Label.algorithm] == nil
                ? "The protected header names no algorithm." : "The algorithm stands outside the protected header."
            throw CredentialError(.algMismatch, reason)
        }
        let rsaWithSHA1 = -65535
        guard value.int != rsaWithSHA1 else {
            throw CredentialError(.algWeak, "The algorithm is RSA with SHA-1.", at: value.place)
        }
        guard let algorithm = value.int.flatMap(SignatureAlgorithm.init(coseIdentifier:)) else {
            // 4 to 7 are MACs, which no public key serves; a text or another number may be of a newer program.
            throw CredentialError(
                value.int.map((4...7).contains) == true ? .algMismatch : .algUnknown,
                "The algorithm is none that is known.", at: value.place)
        }
        return algorithm
    }

    /// Throws `credential.alg-mismatch` for an algorithm that names another curve than that of the key (RFC 9864).
    func checkCurve(of key: VerificationKey) throws(CredentialError) {
        let value = protected?[Label.algorithm] ?? unprotected[Label.algorithm]
        guard case .ecdsa(let key) = key, let value,
            let curve = value.int.flatMap({ SignatureAlgorithm.curves[$0] }), curve != key.curve
        else { return }
        throw CredentialError(.algMismatch, "The algorithm is for another curve than that of the key.", at: value.place)
    }

    /// Throws `credential.alg-crit` unless the list of critical labels, if there is one, is valid.
    ///
    /// It is protected and names known labels of the protected header alone, at least one and each once.
    package func checkCritical() throws(CredentialError) {
        guard unprotected[Label.critical] == nil else {
            throw CredentialError(.algCrit, "The list of critical labels is not protected.")
        }
        guard let list = protected?[Label.critical] else { return }
        let labels = list.array?.map(\.int) ?? []
        guard !labels.isEmpty, Set(labels).count == labels.count else {
            throw CredentialError(.algCrit, "The list of critical labels is empty or doubled.", at: list.place)
        }
        let known = [
            Label.algorithm, Label.contentType, Label.keyIdentifier, Label.type, Label.certificates, Label.thumbprint,
        ]
        for label in labels {
            guard let label, known.contains(label), protected?[label] != nil else {
                throw CredentialError(.algCrit, "A critical label is not understood or not there.", at: list.place)
            }
        }
    }

    /// Returns the key identifier (RFC 9052, section 3.1), as bytes of any form; nil without one.
    ///
    /// Throws `credential.parse-cbor` for one that is no byte string.
    func keyIdentifier() throws(CredentialError) -> [UInt8]? {
        guard let value = value(Label.keyIdentifier) else { return nil }
        guard let bytes = value.bytes else {
            throw CredentialError(.parseCBOR, "The identifier of the key is not a byte string.", at: value.place)
        }
        return bytes
    }

    /// Records `credential.jwt-x5t` when the header x5t (RFC 9360, section 2) is not the certificate's digest.
    func checkThumbprint(of leaf: Certificate, into list: inout CredentialCheckList) {
        guard let value = value(Label.thumbprint) else { return }
        let parts = value.array ?? []
        if parts.count == 2, let number = parts[0].int, let found = parts[1].bytes {
            // Of another digest nothing can be said here.
            guard let digest = Self.digests[number] else { return }
            if Array(digest.kind.hash(leaf.der).prefix(digest.count)) == found { return }
        }
        list.fail(.jwtX5t, "The header names another certificate than the first one of its chain.", at: value.place)
    }

    /// The digests by their numbers, and how many bytes stand of each (RFC 9054, section 2).
    private static let digests: [Int: (kind: SHA2, count: Int)] = [
        -15: (.sha256, 8), -16: (.sha256, 32), -43: (.sha384, 48), -44: (.sha512, 64),
    ]

    /// Returns the certificates of the header x5bag (RFC 9360, section 2), which have no order; nil without it.
    ///
    /// Throws as `certificates()`.
    func certificateBag() throws(CredentialError) -> [[UInt8]]? { try certificates(Label.certificateBag, "x5bag") }

    /// Returns the certificates of the header x5chain (RFC 9360, section 2), the leaf first; nil without it.
    ///
    /// An empty array of the header is returned as one: `CertificateChecks` refuses it.
    ///
    /// Throws `credential.x5-chain` for another form and `credential.limit-certificates`.
    package func certificates() throws(CredentialError) -> [[UInt8]]? {
        try certificates(Label.certificates, "x5chain")
    }

    private func certificates(_ label: Int, _ name: String) throws(CredentialError) -> [[UInt8]]? {
        guard let value = value(label) else { return nil }
        if let single = value.bytes { return [single] }
        guard let elements = value.array else {
            throw CredentialError(.x5Chain, "The header \(name) holds no certificates.", at: value.place)
        }
        guard elements.count <= VerificationLimits.maximumCertificates else {
            throw CredentialError(.limitCertificates, "The header has \(elements.count) certificates.", at: value.place)
        }
        let certificates = elements.compactMap(\.bytes)
        guard certificates.count == elements.count else {
            throw CredentialError(.x5Chain, "The header \(name) holds other items.", at: value.place)
        }
        return certificates
    }
}
