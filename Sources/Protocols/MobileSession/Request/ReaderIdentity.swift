import Credentials
public import CryptoSuite
public import Determinism

extension DeviceRequestWriter.ReaderIdentity {
    /// The most certificates of a chain.
    public static let maximumCertificates = 4

    /// Makes an identity of two texts in PEM: the private key, and its certificate with those of the issuers behind it.
    ///
    /// The key is PKCS #8 or ECPrivateKey without a passphrase, of ECDSA, Ed25519 or Ed448. A self-signed certificate
    /// at the end is left out. Throws `mdoc.reader-identity` where one of the two cannot be read, where the key is not
    /// the certificate's, and where the certificate is not one of a reader at `time` (ISO/IEC 18013-5, annex B.1.5).
    public init(key: String, certificates: String, at time: WallTime) throws(MobileSessionError) {
        guard var der = PEMText.privateKey(key) else {
            throw Self.unusable("The key is not one private key in PEM without a passphrase.")
        }
        defer { _ = Secret(consuming: &der) }
        var chain = PEMText.certificates(certificates)
        let read = chain.compactMap { try? Certificate(der: $0) }
        guard let leaf = read.first, read.count == chain.count else {
            throw Self.unusable(
                certificates.contains("CERTIFICATE REQUEST-----")
                    ? "The file holds a request for a certificate, and not the certificate that an authority made of it."
                    : "The certificate is not in PEM, or one of its chain cannot be read.")
        }
        if read.count > 1, read.last?.isSelfIssued == true { chain.removeLast() }
        guard chain.count <= Self.maximumCertificates else {
            throw Self.unusable("The chain has more than \(Self.maximumCertificates) certificates.")
        }
        do throws(CryptoError) {
            self.init(key: try CertificateTemplate.SigningKey(privateKey: der), certificates: chain)
            guard try SubjectPublicKey(der: self.key.subjectPublicKeyInfo()) == leaf.publicKey else {
                throw CryptoError(.invalidKey, "the key is not that of the certificate")
            }
        } catch {
            throw Self.unusable("The key cannot be used: \(error.reason).")
        }
        let path = CertificatePath(chain: read, anchors: [], purpose: .readerAuthentication, time: time)
        // Who trusts the chain is the holder's affair.
        if let failure = path.failures.first(where: { ![.anchor, .selfSigned].contains($0.rule) }) {
            throw Self.unusable("A holder would call the certificate wrong: \(failure.reason).")
        }
    }

    private static func unusable(_ reason: String) -> MobileSessionError {
        MobileSessionError(.readerIdentity, reason)
    }

    /// The name of the reader in its certificate, as a holder shows it.
    public var name: String {
        guard let leaf = certificates.first.flatMap({ try? Certificate(der: $0) }) else { return "" }
        return leaf.subject.commonName ?? leaf.subject.description
    }

    /// Returns a request for a certificate of a reader (PKCS #10) in DER, for the authority of the readers.
    ///
    /// It asks for what ISO/IEC 18013-5, annex B.1.5, demands of the key's use. Throws the errors of signing.
    public static func certificateRequest(
        name: String, key: CertificateTemplate.SigningKey
    ) throws(CryptoError) -> [UInt8] {
        try CertificateTemplate.request(
            for: [.commonName(name)],
            extensions: [.keyUsage(.digitalSignature), .extendedKeyUsage([.mobileDocumentReader])], by: key)
    }
}
