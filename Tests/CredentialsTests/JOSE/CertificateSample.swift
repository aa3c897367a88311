import ByteCoding
import CryptoSuite
import Determinism
import JSON

@testable import Credentials

/// A chain of a root and a leaf for `https://issuer.example`, good until it is changed.
struct CertificateSample {
    static let root = Signer.p384
    var host: String? = "issuer.example"
    var uris: [String] = []
    var serialNumber: [UInt8] = [1]
    /// The extended uses of the leaf's key; empty for a leaf that names none.
    var uses: [ASN1Identifier] = []
    var name = "Issuer"
    var notBefore = 1_700_000_000.0
    var notAfter = 1_800_000_000.0
    var usage: KeyUsage = [.digitalSignature]
    var leafKey = Signer.p256
    var rootKey = Signer.p384
    var isSelfSigned = false
    /// The certificate between the leaf and the root; nil for none.
    var between: Between?
    /// True when the leaf names an issuer that the chain lacks, and its own key signs it.
    var isForeign = false

    /// A certificate that issues the leaf: one that may, or one that is no authority.
    enum Between {
        case authority, stranger
    }
    var authorityUsage: KeyUsage = [.keyCertSign]
    /// True when the root limits the names of its leaves in an extension that is not marked critical.
    var limitsNames = false

    static func time(_ seconds: Double) -> WallTime { WallTime(millisecondsSinceEpoch: Int64(seconds * 1000)) }

    private static func key(_ signer: Signer) -> CertificateTemplate.SigningKey {
        switch signer {
        case .ecdsa(let key): .ecdsa(key)
        case .ed25519(let seed): .ed25519(seed)
        case .rsa(let key): .rsa(key)
        }
    }

    /// The root's certificate, as DER.
    func rootCertificate() throws -> [UInt8] {
        var template = try CertificateTemplate(
            subject: [.commonName("Root")], issuer: [.commonName("Root")], publicKey: Self.key(rootKey),
            notBefore: Self.time(1_700_000_000), notAfter: Self.time(2_000_000_000))
        template.extensions = [.basicConstraints(isAuthority: true), .keyUsage(authorityUsage)]
        if limitsNames {
            template.extensions.append(
                .init(ASN1Identifier(2, 5, 29, 30), isCritical: false, value: [0x30, 0]))
        }
        return try template.sign(by: Self.key(rootKey))
    }

    /// The chain, leaf first, without the root.
    func chain() throws -> [[UInt8]] {
        let issuer = isForeign ? "Nobody" : isSelfSigned ? name : between == nil ? "Root" : "Between"
        let ownKey = isSelfSigned || isForeign ? leafKey : nil
        var template = try CertificateTemplate(
            subject: [.commonName(name)], issuer: [.commonName(issuer)], publicKey: Self.key(leafKey),
            notBefore: Self.time(notBefore), notAfter: Self.time(notAfter))
        template.serialNumber = serialNumber
        template.extensions = [.keyUsage(usage)]
        if !uses.isEmpty { template.extensions.append(.extendedKeyUsage(uses)) }
        if host != nil || !uris.isEmpty {
            template.extensions.append(.subjectAlternativeName(uris: uris, hosts: host.map { [$0] } ?? []))
        }
        guard let between else { return [try template.sign(by: Self.key(ownKey ?? rootKey))] }
        var issuing = try CertificateTemplate(
            subject: [.commonName("Between")], issuer: [.commonName("Root")], publicKey: Self.key(.stranger),
            notBefore: Self.time(1_700_000_000), notAfter: Self.time(1_800_000_000))
        issuing.extensions = [.keyUsage([.keyCertSign])]
        if between == .authority { issuing.extensions.append(.basicConstraints(isAuthority: true)) }
        return [try template.sign(by: Self.key(ownKey ?? .stranger)), try issuing.sign(by: Self.key(rootKey))]
    }

    /// A list of the root with these serial numbers.
    func revocationList(of serials: [[UInt8]]) throws -> [UInt8] {
        let list = RevocationListTemplate(
            issuer: [.commonName("Root")], thisUpdate: Self.time(1_735_000_000), nextUpdate: Self.time(1_800_000_000),
            revokedSerialNumbers: serials)
        return try list.sign(by: Self.key(rootKey))
    }

    /// Puts the chain into an SD-JWT and the root into its trust store, in place of the pinned keys.
    func put(into sample: inout SDSample) {
        guard let root = try? rootCertificate(), let chain = try? chain() else { return }
        sample.header["kid"] = nil
        sample.header["x5c"] = .strings(chain.map { Base64.encode($0) })
        sample.request.trust.issuers = []
        sample.request.trust.roots = [TrustedRoot(certificate: root, purpose: .tokens(issuers: [], types: []))]
    }
}
