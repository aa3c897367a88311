public import CBOR
import COSE
public import CryptoSuite
public import Determinism

/// An authority with a signer that issues mobile documents for tests and demonstrations; its certificates say so.
///
/// Source: ISO/IEC 18013-5, clause 12.3.4 and annex B.
public struct TestMobileIssuer: Sendable {
    /// A fault of what is issued, for readers to find.
    public enum TestFault: String, Sendable, CaseIterable {
        /// The revocation list names the signer.
        case revoked
        /// The signer's certificate has ended, after it signed.
        case expired
        /// The document names another country than the certificate of its signer.
        case country
        /// The list of authorities is older than its next date.
        case staleList = "stale-list"
    }

    /// The country of authority and signer: a code that ISO 3166-1 leaves to its users.
    public static let country = "ZZ"
    /// The type and the namespace of the mobile driving licence.
    public static let licenceType = "org.iso.18013.5.1.mDL"
    private static let licenceNamespace = "org.iso.18013.5.1"

    /// The certificate of the authority, in DER: what a reader trusts.
    public let authority: [UInt8]
    private let authorityKey: CertificateTemplate.SigningKey
    private let signer: [UInt8]
    private let signerKey: CertificateTemplate.SigningKey
    private let time: WallTime
    private let fault: TestFault?

    private static let day: Int64 = 86_400_000
    private static let name: [CertificateTemplate.NamePart] = [
        .country(country), .commonName("Symbolon test authority"),
    ]
    private static let address = "https://authority.example"

    /// Draws the keys of an authority and its signer, whose certificates are valid from 90 days before `time`.
    ///
    /// Throws the errors of drawing keys and of signing.
    public init(
        at time: WallTime, fault: TestFault? = nil, random: inout some RandomSource
    ) throws(CryptoError) {
        self.time = time
        self.fault = fault
        let rootKey = CertificateTemplate.SigningKey.ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))
        signerKey = .ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))
        func moved(_ days: Int64) -> WallTime { Self.moved(time, by: days) }
        authorityKey = rootKey
        let (rootIdentifier, signerIdentifier) = (
            SHA1.hash(try rootKey.subjectPublicKeyInfo()), SHA1.hash(try signerKey.subjectPublicKeyInfo())
        )
        var root = try CertificateTemplate(
            subject: Self.name, issuer: Self.name, publicKey: rootKey, notBefore: moved(-90), notAfter: moved(3560))
        root.serialNumber = Self.serialNumber(from: &random)
        root.extensions = [
            .basicConstraints(isAuthority: true, pathLength: 0), .keyUsage([.keyCertSign, .crlSign]),
            .subjectKeyIdentifier(rootIdentifier), .issuerAlternativeName(uris: [Self.address]),
        ]
        authority = try root.sign(by: rootKey)
        var template = try CertificateTemplate(
            subject: [.country(Self.country), .commonName("Symbolon test signer")], issuer: Self.name,
            publicKey: signerKey, notBefore: moved(-90), notAfter: moved(fault == .expired ? -1 : 365))
        template.serialNumber = Self.serialNumber(from: &random)
        template.extensions = [
            .keyUsage(.digitalSignature), .authorityKeyIdentifier(rootIdentifier),
            .subjectKeyIdentifier(signerIdentifier), .revocationList(uri: Self.address + "/crl"),
            .issuerAlternativeName(uris: [Self.address]), .extendedKeyUsage([.mobileDocumentSigner]),
        ]
        signer = try template.sign(by: rootKey)
    }

    /// Returns a grey picture as JPEG, 40 by 48 pixels, with a comment that makes it at least so many bytes long.
    ///
    /// - Parameter count: at most 60,000.
    public static func portrait(byteCount count: Int = 0) -> [UInt8] {
        let table = [0xFF, 0xDB, 0, 67, 0] + [UInt8](repeating: 16, count: 64)
        let frame: [UInt8] = [0xFF, 0xC0, 0, 11, 8, 0, 48, 0, 40, 1, 1, 0x11, 0]
        let sizes: [UInt8] = [0xFF, 0xC4, 0, 39, 0, 1, 1] + [UInt8](repeating: 0, count: 14) + [0, 5]
        let ends: [UInt8] = [0x10, 1] + [UInt8](repeating: 0, count: 16)
        let scan: [UInt8] =
            [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 0xA8] + [UInt8](repeating: 0, count: 7) + [0x3F, 0xFF, 0xD9]
        let picture = table + frame + sizes + ends + scan
        let padding = min(max(0, count - picture.count - 6), 60_000)
        let comment: [UInt8] = [0xFF, 0xFE, UInt8((padding + 2) >> 8), UInt8((padding + 2) & 0xFF)]
        return [0xFF, 0xD8] + comment + [UInt8](repeating: 0x2E, count: padding) + picture
    }

    /// Returns the revocation list of the authority, in DER; it names the signer when that is the fault.
    ///
    /// Throws the errors of signing.
    public func revocationList() throws(CryptoError) -> [UInt8] {
        let revoked = try fault == .revoked ? [Certificate(der: signer).serialNumber] : []
        var list = RevocationListTemplate(
            issuer: Self.name, thisUpdate: moved(-1), nextUpdate: moved(89), revokedSerialNumbers: revoked)
        list.extensions = [
            .authorityKeyIdentifier(SHA1.hash(try authorityKey.subjectPublicKeyInfo())),
            .init(ASN1Identifier(2, 5, 29, 20), isCritical: false, value: [0x02, 0x01, 0x01]),
        ]
        return try list.sign(by: authorityKey)
    }

    /// Returns a list with the authority alone (VICAL, annex C), whose signer's certificate the authority issued.
    ///
    /// Throws the errors of drawing a key and of signing.
    public func authorityList(random: inout some RandomSource) throws(CryptoError) -> [UInt8] {
        let key = CertificateTemplate.SigningKey.ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))
        var template = try CertificateTemplate(
            subject: [.country(Self.country), .commonName("Symbolon test list signer")], issuer: Self.name,
            publicKey: key, notBefore: moved(-90), notAfter: moved(365))
        template.serialNumber = Self.serialNumber(from: &random)
        let identifier = SHA1.hash(try authorityKey.subjectPublicKeyInfo())
        template.extensions = [
            .keyUsage(.contentCommitment), .authorityKeyIdentifier(identifier),
            .subjectKeyIdentifier(SHA1.hash(try key.subjectPublicKeyInfo())),
            .extendedKeyUsage([.authorityListSigner]),
        ]
        let root = try Certificate(der: authority)
        let entry: [[CBORItem]] = [
            [.text("certificate"), .bytes(authority)], [.text("serialNumber"), .tagged(2, .bytes(root.serialNumber))],
            [.text("ski"), .bytes(identifier)],
            [.text("docType"), .array([.text(Self.licenceType)])],
            [.text("issuingAuthority"), .text("Symbolon test authority")],
            [.text("issuingCountry"), .text(Self.country)],
        ]
        let age: Int64 = fault == .staleList ? -40 : -1
        let list: CBORItem = .ordered([
            [.text("version"), .text("1.0")], [.text("vicalProvider"), .text("Symbolon test authority")],
            [.text("date"), instant(age)], [.text("nextUpdate"), instant(age + 30)],
            [.text("certificateInfos"), .array([.ordered(entry)])],
        ])
        return try COSESign1.make(
            over: list.encoded, isDetached: false, by: key, certificates: [try template.sign(by: authorityKey)]
        ).encoded
    }

    private func moved(_ days: Int64) -> WallTime { Self.moved(time, by: days) }

    private static func moved(_ time: WallTime, by days: Int64) -> WallTime {
        WallTime(millisecondsSinceEpoch: time.millisecondsSinceEpoch + days * Self.day)
    }

    private func instant(_ days: Int64) -> CBORItem {
        let milliseconds = moved(days).millisecondsSinceEpoch / 1000 * 1000
        return .tagged(0, .text(CivilDateTime(WallTime(millisecondsSinceEpoch: milliseconds)).text))
    }

    private static func serialNumber(from random: inout some RandomSource) -> [UInt8] {
        [0x40] + random.bytes(count: 15)
    }

    /// Returns a mobile driving licence of a holder who is of age, as it is kept by its holder, with a key of its own.
    ///
    /// The elements are those that the standard makes mandatory, three ages, and the portrait.
    ///
    /// - Parameters:
    ///   - provesByMAC: true for a device key that makes MACs; false for one that signs.
    ///   - isSingleUse: true for a copy that is shown once.
    public func licence(
        portrait: [UInt8], provesByMAC: Bool = false, isSingleUse: Bool = false, random: inout some RandomSource
    ) throws(CryptoError) -> HeldMobileDocument {
        func date(_ days: Int64) -> CBORItem {
            let text = CivilDateTime(moved(days)).text
            return .tagged(1004, .text(String(decoding: Array(text.utf8.prefix(10)), as: UTF8.self)))
        }
        let privileges: CBORItem = .array([
            .ordered([
                [.text("vehicle_category_code"), .text("B")], [.text("issue_date"), date(-400)],
                [.text("expiry_date"), date(3000)],
            ])
        ])
        return try issue(
            type: Self.licenceType, namespace: Self.licenceNamespace,
            elements: [
                ("family_name", .text("Sample")), ("given_name", .text("Holder")),
                ("birth_date", date(-365 * 34)), ("issue_date", date(-1)), ("expiry_date", date(365)),
                ("issuing_country", .text(fault == .country ? "XX" : Self.country)),
                ("issuing_authority", .text("Symbolon test authority")),
                ("document_number", .text("SAMPLE-0001")), ("portrait", .bytes(portrait)),
                ("driving_privileges", privileges), ("un_distinguishing_sign", .text(Self.country)),
                ("age_over_18", .bool(true)), ("age_over_21", .bool(true)), ("age_over_65", .bool(false)),
            ], provesByMAC: provesByMAC, isSingleUse: isSingleUse, random: &random)
    }

    /// Issues a document of any type, with a device key that is drawn for it.
    ///
    /// Throws the errors of drawing a key and of signing.
    public func issue(
        type: String, namespace: String, elements: [(name: String, value: CBORItem)], provesByMAC: Bool,
        isSingleUse: Bool = false, random: inout some RandomSource
    ) throws(CryptoError) -> HeldMobileDocument {
        let key = try ECDSA.PrivateKey.make(.p256, from: &random)
        return try issue(
            type: type, namespace: namespace, elements: elements,
            to: provesByMAC ? .agreement(.ecdsa(key)) : .signing(.ecdsa(key)), isSingleUse: isSingleUse,
            random: &random)
    }

    /// Issues a document of any type to a device with a key that the caller gives.
    ///
    /// Throws the errors of signing, and `crypto.invalid-key` for a key of RSA, which COSE keys of devices do not have.
    package func issue(
        type: String, namespace: String, elements: [(name: String, value: CBORItem)],
        to deviceKey: HeldMobileDocument.DeviceKey, isSingleUse: Bool = false, random: inout some RandomSource
    ) throws(CryptoError) -> HeldMobileDocument {
        let publicKey = try deviceKey.publicKey()
        var items: [[UInt8]] = []
        for (number, element) in elements.enumerated() {
            items.append(
                CBORItem.embedded(
                    .ordered([
                        [.text("digestID"), .int(number)], [.text("random"), .bytes(random.bytes(count: 32))],
                        [.text("elementIdentifier"), .text(element.name)], [.text("elementValue"), element.value],
                    ])
                ).encoded)
        }
        // An expired signer signed while its certificate was valid.
        let start: Int64 = fault == .expired ? -30 : 0
        let object: CBORItem = .ordered([
            [.text("version"), .text("1.0")], [.text("digestAlgorithm"), .text("SHA-256")],
            [
                .text("valueDigests"),
                .ordered([
                    [.text(namespace), .ordered(items.enumerated().map { [.int($0), .bytes(SHA256.hash($1))] })]
                ]),
            ],
            [.text("deviceKeyInfo"), .ordered([[.text("deviceKey"), publicKey.item]])],
            [.text("docType"), .text(type)],
            [
                .text("validityInfo"),
                .ordered([
                    [.text("signed"), instant(start)], [.text("validFrom"), instant(start)],
                    [.text("validUntil"), instant(365)],
                ]),
            ],
        ])
        let auth = try COSESign1.make(
            over: CBORItem.embedded(object).encoded, isDetached: false, by: signerKey, certificates: [signer])
        let signed = CBORItem.ordered([
            [.text("nameSpaces"), .ordered([[.text(namespace), .array(items.map { .raw($0) })]])],
            [.text("issuerAuth"), auth],
        ]).encoded
        do {
            return try HeldMobileDocument(issuerSigned: signed, deviceKey: deviceKey, isSingleUse: isSingleUse)
        } catch {
            throw CryptoError(.invalidKey, "the document that was made cannot be read")
        }
    }
}
