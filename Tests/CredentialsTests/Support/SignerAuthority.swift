import CryptoSuite
import Determinism
import Testing

/// A certificate authority of mobile documents and its document signer, with keys derived from names.
struct SignerAuthority {
    static let start = WallTime(millisecondsSinceEpoch: 1_734_220_800_000)  // 2024-12-15
    static let end = WallTime(millisecondsSinceEpoch: 1_769_904_000_000)  // 2026-02-01
    static let rootEnd = WallTime(millisecondsSinceEpoch: 2_019_686_400_000)  // 2034-01-01

    static func key(_ name: String) -> ECDSA.PrivateKey {
        guard
            let key = try? ECDSA.PrivateKey(
                curve: .p256, scalar: Secret(copying: SHA256.hash(Array(name.utf8))))
        else { preconditionFailure("no key of this name") }
        return key
    }

    var rootKey = key("symbolon iaca")
    var signerKey = CertificateTemplate.SigningKey.ecdsa(key("symbolon ds"))
    var root: CertificateTemplate
    var signer: CertificateTemplate

    static let rootName: [CertificateTemplate.NamePart] = [
        .country("US"), .stateOrProvince("US-NY"), .commonName("Test IACA"),
    ]
    static let signerName: [CertificateTemplate.NamePart] = [
        .country("US"), .stateOrProvince("US-NY"), .commonName("Test DS"),
    ]

    init() throws {
        root = try CertificateTemplate(
            subject: Self.rootName, issuer: Self.rootName, publicKey: .ecdsa(rootKey), notBefore: Self.start,
            notAfter: Self.rootEnd)
        root.extensions = [
            .basicConstraints(isAuthority: true, pathLength: 0), .keyUsage([.keyCertSign, .crlSign]),
            .subjectKeyIdentifier([1, 2, 3, 4]), .issuerAlternativeName(uris: ["https://iaca.example"]),
        ]
        signer = try CertificateTemplate(
            subject: Self.signerName, issuer: Self.rootName, publicKey: signerKey, notBefore: Self.start,
            notAfter: Self.end)
        signer.serialNumber = [2]
        signer.extensions = Self.signerExtensions()
    }

    /// Writes a state into the names of both certificates.
    mutating func name(state: String) {
        let part = CertificateTemplate.NamePart.stateOrProvince(state)
        (root.subject[1], root.issuer[1], signer.issuer[1], signer.subject[1]) = (part, part, part, part)
    }

    static func signerExtensions(
        usage: KeyUsage = .digitalSignature, uses: [ASN1Identifier]? = [.mobileDocumentSigner],
        authority: [UInt8] = [1, 2, 3, 4]
    ) -> [CertificateTemplate.Extension] {
        [
            .keyUsage(usage), .authorityKeyIdentifier(authority), .subjectKeyIdentifier([5, 6, 7, 8]),
            .revocationList(uri: "https://iaca.example/crl"), .issuerAlternativeName(uris: ["https://iaca.example"]),
        ] + (uses.map { [.extendedKeyUsage($0)] } ?? [])
    }

    func rootDER() throws -> [UInt8] { try root.sign(by: .ecdsa(rootKey)) }
    func signerDER() throws -> [UInt8] { try signer.sign(by: .ecdsa(rootKey)) }
}
