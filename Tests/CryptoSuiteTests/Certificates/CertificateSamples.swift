import ByteCoding
import CryptoSuite
import Determinism
import TestSupport
import Testing

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

/// Keys and certificates of an authority and of a document signer, all from seeds.
struct CertificateSamples {
    static let start = WallTime(millisecondsSinceEpoch: 1_700_000_000_000)
    static let day: Int64 = 86_400_000

    static func after(days: Int64) -> WallTime {
        WallTime(millisecondsSinceEpoch: start.millisecondsSinceEpoch + days * day)
    }

    let rootKey: CertificateTemplate.SigningKey
    let signerKey: CertificateTemplate.SigningKey
    let otherKey: CertificateTemplate.SigningKey
    /// The authority, which keeps the whole profile.
    var root: CertificateTemplate
    /// The document signer, which keeps the whole profile.
    var signer: CertificateTemplate

    static let rootName: [CertificateTemplate.NamePart] = [
        .country("NL"), .stateOrProvince("Utrecht"), .commonName("Root"),
    ]

    init() throws {
        var random = SeededRandom(seed: 11)
        rootKey = .ecdsa(try ECDSA.PrivateKey.make(.p384, from: &random))
        signerKey = .ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))
        otherKey = .ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))
        root = try CertificateTemplate(
            subject: Self.rootName, issuer: Self.rootName, publicKey: rootKey, notBefore: Self.start,
            notAfter: Self.after(days: 3650))
        root.extensions = [
            .basicConstraints(isAuthority: true, pathLength: 0), .keyUsage([.keyCertSign, .crlSign]),
            .subjectKeyIdentifier([1, 2, 3]), .issuerAlternativeName(uris: ["https://root.example"]),
        ]
        signer = try CertificateTemplate(
            subject: [.country("NL"), .stateOrProvince("Utrecht"), .commonName("Signer")], issuer: Self.rootName,
            publicKey: signerKey, notBefore: Self.start, notAfter: Self.after(days: 457))
        signer.extensions = [
            .keyUsage(.digitalSignature), .extendedKeyUsage([.mobileDocumentSigner]), .subjectKeyIdentifier([4]),
            .authorityKeyIdentifier([1, 2, 3]), .issuerAlternativeName(uris: ["https://root.example"]),
            .revocationList(uri: "https://root.example/crl"),
        ]
    }

    func rootCertificate() throws -> Certificate { try Certificate(der: try root.sign(by: rootKey)) }

    func signerCertificate() throws -> Certificate { try Certificate(der: try signer.sign(by: rootKey)) }

    /// The certificates that an Inji sample brings with it.
    static func injiChain(_ name: String) throws -> [Certificate] {
        struct Header: Decodable { let x5c: [String] }
        let token = try OutsideVectors.contents(of: "credentials/inji/sd-jwt_vc/\(name)")
        let text = String(decoding: token.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
        let header = try JSONDecoder().decode(Header.self, from: Data(try #require(Base64URL.decode(text))))
        return try header.x5c.map { try Certificate(der: Array(try #require(Data(base64Encoded: $0)))) }
    }
}

extension CertificateTemplate {
    /// Takes an extension out.
    mutating func remove(_ identifier: ASN1Identifier) { extensions.removeAll { $0.identifier == identifier } }

    /// Puts an extension in the place of the one of its kind.
    mutating func replace(_ entry: Extension) {
        remove(entry.identifier)
        extensions.append(entry)
    }
}
