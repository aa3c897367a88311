public import CryptoSuite
public import Determinism

/// An authority of readers for tests and demonstrations, whose names say so.
public struct TestReaderIssuer: Sendable {
    /// The certificate of the authority, in DER: what a holder trusts.
    public let authority: [UInt8]
    /// The certificate of the reader, in DER.
    public let certificate: [UInt8]

    /// Draws the key of an authority, which issues one certificate for a reader's key; both are valid from a day before
    /// `time`, the reader's for 1,186 days (ISO/IEC 18013-5, annex B.1.5).
    ///
    /// Throws the errors of drawing keys and of signing.
    public init(
        reader name: String, key: CertificateTemplate.SigningKey, at time: WallTime, random: inout some RandomSource
    ) throws(CryptoError) {
        func moved(_ days: Int64) -> WallTime {
            WallTime(millisecondsSinceEpoch: time.millisecondsSinceEpoch + days * 86_400_000)
        }
        let rootKey = CertificateTemplate.SigningKey.ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))
        let (rootIdentifier, readerIdentifier) = (
            SHA1.hash(try rootKey.subjectPublicKeyInfo()), SHA1.hash(try key.subjectPublicKeyInfo())
        )
        let issuer: [CertificateTemplate.NamePart] = [.commonName("Symbolon test authority of readers")]
        var root = try CertificateTemplate(
            subject: issuer, issuer: issuer, publicKey: rootKey, notBefore: moved(-1), notAfter: moved(3650))
        root.serialNumber = [0x40] + random.bytes(count: 15)
        root.extensions = [
            .basicConstraints(isAuthority: true, pathLength: 0), .keyUsage([.keyCertSign, .crlSign]),
            .subjectKeyIdentifier(rootIdentifier),
        ]
        authority = try root.sign(by: rootKey)
        var reader = try CertificateTemplate(
            subject: [.commonName("\(name) (test)")], issuer: issuer, publicKey: key, notBefore: moved(-1),
            notAfter: moved(1185))
        reader.serialNumber = [0x40] + random.bytes(count: 15)
        reader.extensions = [
            .keyUsage(.digitalSignature), .authorityKeyIdentifier(rootIdentifier),
            .subjectKeyIdentifier(readerIdentifier), .extendedKeyUsage([.mobileDocumentReader]),
        ]
        certificate = try reader.sign(by: rootKey)
    }
}
