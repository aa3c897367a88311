import CBOR
import COSE
import Credentials
import CryptoSuite
import Determinism

/// An authority with its signer, of which a forgery changes certificates, keys and trust.
struct ForgedIssuer {
    static let start = WallTime(millisecondsSinceEpoch: ForgedReading.now.millisecondsSinceEpoch - 40 * day)
    static let end = WallTime(millisecondsSinceEpoch: ForgedReading.now.millisecondsSinceEpoch + 400 * day)
    static let day: Int64 = 86_400_000
    static let rootName: [CertificateTemplate.NamePart] = [
        .country("US"), .stateOrProvince("US-NY"), .commonName("Authority"),
    ]

    var root: CertificateTemplate
    var signer: CertificateTemplate
    /// The key that signs the signer's certificate; the authority's but in forgeries.
    var issuing: CertificateTemplate.SigningKey
    /// The key that signs the document; the signer's but in forgeries.
    var signing: CertificateTemplate.SigningKey
    var types: [String] = [ForgedReading.type]
    /// The certificates in the signature; nil for the signer's alone, and an empty list for none.
    var chain: [[UInt8]]?
    var revocationLists: [[UInt8]] = []

    /// Returns a key that its number decides: 1 the authority's, 2 the signer's, 3 the device's, 9 a stranger's.
    static func key(_ number: UInt64, _ curve: ECDSA.Curve = .p256) throws -> ECDSA.PrivateKey {
        var random = SeededRandom(seed: number)
        return try ECDSA.PrivateKey.make(curve, from: &random)
    }

    init(signing: CertificateTemplate.SigningKey? = nil) throws {
        issuing = .ecdsa(try Self.key(1))
        self.signing = try signing ?? .ecdsa(Self.key(2))
        root = try CertificateTemplate(
            subject: Self.rootName, issuer: Self.rootName, publicKey: issuing, notBefore: Self.start,
            notAfter: Self.end)
        root.extensions = [
            .basicConstraints(isAuthority: true, pathLength: 0), .keyUsage([.keyCertSign, .crlSign]),
            .subjectKeyIdentifier([1]), .issuerAlternativeName(uris: ["https://authority.example"]),
        ]
        signer = try CertificateTemplate(
            subject: [.country("US"), .stateOrProvince("US-NY"), .commonName("Signer")], issuer: Self.rootName,
            publicKey: self.signing, notBefore: Self.start, notAfter: Self.end)
        signer.serialNumber = [2]
        signer.extensions = Self.extensions()
    }

    static func extensions(
        usage: KeyUsage = .digitalSignature, uses: [ASN1Identifier] = [.mobileDocumentSigner]
    ) -> [CertificateTemplate.Extension] {
        [
            .keyUsage(usage), .authorityKeyIdentifier([1]), .subjectKeyIdentifier([2]),
            .revocationList(uri: "https://authority.example/crl"),
            .issuerAlternativeName(uris: ["https://authority.example"]), .extendedKeyUsage(uses),
        ]
    }

    func rootDER() throws -> [UInt8] { try root.sign(by: .ecdsa(Self.key(1))) }

    func trusted() throws -> TrustedRoot {
        TrustedRoot(certificate: try rootDER(), purpose: .mobileDocuments(types: types, country: nil))
    }

    private static func time(_ days: Int64) -> CBORItem {
        let milliseconds = (ForgedReading.now.millisecondsSinceEpoch + days * day) / 1000 * 1000
        return .tagged(0, .text(CivilDateTime(WallTime(millisecondsSinceEpoch: milliseconds)).text))
    }

    /// Returns the times of a document's validity, in days from now.
    static func validity(signed: Int64 = -10, from: Int64 = -10, until: Int64 = 100) -> CBORItem {
        ForgedReading.map(["signed": time(signed), "validFrom": time(from), "validUntil": time(until)])
    }

    /// Returns the issuer's signature over a document's digests.
    func auth(
        digests: CBORItem, device: ECDSA.PublicKey, _ changeObject: (inout [String: CBORItem]) -> Void,
        _ changeAuth: (inout [CBORItem]) -> Void
    ) throws -> CBORItem {
        var object: [String: CBORItem] = [
            "version": .text("1.0"), "digestAlgorithm": .text("SHA-256"), "valueDigests": digests,
            "deviceKeyInfo": ForgedReading.map(["deviceKey": COSEKey.ecdsa(device).item]),
            "docType": .text(ForgedReading.type), "validityInfo": Self.validity(),
        ]
        changeObject(&object)
        let made = try COSESign1.make(
            over: CBORItem.embedded(ForgedReading.map(object)).encoded, isDetached: false, by: signing,
            certificates: chain ?? [signer.sign(by: issuing)])
        guard case .array(var parts) = made else { return made }
        changeAuth(&parts)
        return .array(parts)
    }
}

extension ForgedIssuer {
    /// Lets the forger issue the signer's certificate by an authority of his own, which stands in the chain.
    mutating func makeOwnAuthority() throws {
        issuing = .ecdsa(try Self.key(9))
        var own = root
        own.subject = [.country("US"), .stateOrProvince("US-NY"), .commonName("Own authority")]
        own.issuer = own.subject
        own.publicKey = try issuing.subjectPublicKeyInfo()
        signer.issuer = own.subject
        chain = [try signer.sign(by: issuing), try own.sign(by: issuing)]
    }
}
