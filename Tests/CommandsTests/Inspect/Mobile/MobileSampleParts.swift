import Bluetooth
import ByteCoding
import CBOR
import COSE
import CryptoSuite
import Determinism
import Testing

@testable import MobileSession

/// Parts of structures of ISO/IEC 18013-5, from which good and deviant samples are built.
enum MobileSampleParts {
    /// The time at which the sample documents are signed: 2026-09-21T14:13:20Z.
    static let time = WallTime(millisecondsSinceEpoch: 1_790_000_000_000)
    static let service = BluetoothUUID(high: 0x0102_0304_0506_4708, low: 0x890A_0B0C_0D0E_0F10)
    static let namespace = "org.iso.18013.5.1"
    static let type = "org.iso.18013.5.1.mDL"

    /// Returns the text of a time some days from `time`.
    static func instant(_ days: Int64) -> String {
        CivilDateTime(WallTime(millisecondsSinceEpoch: time.millisecondsSinceEpoch + days * 86_400_000)).text
    }

    static func signingKey(_ seed: UInt64) throws -> CertificateTemplate.SigningKey {
        var random = SeededRandom(seed: seed)
        return .ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))
    }

    static func publicKey(_ seed: UInt64) throws -> COSEKey {
        var random = SeededRandom(seed: seed)
        return .ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random).publicKey)
    }

    static func keyBytes(_ seed: UInt64) throws -> CBORItem { .embedded(try publicKey(seed).item) }

    /// Returns the place of a part that is in bytes once.
    static func place(of part: [UInt8], in bytes: [UInt8]) throws -> Int {
        let places = bytes.indices.filter { bytes[$0...].starts(with: part) }
        try #require(places.count == 1, "\(places.count) places of \(Hex.encode(part))")
        return places[0]
    }

    static func place(of part: CBORItem, in bytes: [UInt8]) throws -> Int {
        try place(of: part.encoded, in: bytes)
    }

    // MARK: Codes

    static let usualOptions: [[CBORItem]] = [
        [.int(0), .bool(true)], [.int(1), .bool(false)], [.int(10), .bytes(service.bytes)],
    ]

    static func engagement(
        options: [[CBORItem]] = usualOptions, methods: CBORItem? = nil, more: [[CBORItem]] = []
    ) throws -> [UInt8] {
        let usual: CBORItem = .array([.array([.int(2), .int(1), .ordered(options)])])
        return CBORItem.ordered(
            [
                [.int(0), .text("1.0")], [.int(1), .array([.int(1), try keyBytes(1)])],
                [.int(2), methods ?? usual],
            ] + more
        ).encoded
    }

    static func code(_ scheme: String, _ engagement: [UInt8]) -> [UInt8] {
        Array((scheme + Base64URL.encode(engagement)).utf8)
    }

    static func transcript(engagement: CBORItem) throws -> CBORItem {
        .array([engagement, try keyBytes(2), .null])
    }

    // MARK: Signatures

    static func certificate(serialNumber: [UInt8] = [0x40, 1, 2, 3]) throws -> [UInt8] {
        let key = try signingKey(3)
        let name: [CertificateTemplate.NamePart] = [.country("ZZ"), .commonName("sample")]
        let day: Int64 = 86_400_000
        var template = try CertificateTemplate(
            subject: name, issuer: name, publicKey: key,
            notBefore: WallTime(millisecondsSinceEpoch: time.millisecondsSinceEpoch - day),
            notAfter: WallTime(millisecondsSinceEpoch: time.millisecondsSinceEpoch + 400 * day))
        template.serialNumber = serialNumber
        return try template.sign(by: key)
    }

    static let algorithm: CBORItem = .ordered([[.int(1), .int(-7)]])

    /// Returns an object of COSE whose signature nothing checks.
    static func cose(
        protected: CBORItem = algorithm, unprotected: [[CBORItem]], payload: CBORItem? = nil
    ) -> CBORItem {
        .array([
            .bytes(protected.encoded), .ordered(unprotected), payload.map { .bytes($0.encoded) } ?? .null,
            .bytes([UInt8](repeating: 7, count: 64)),
        ])
    }

    static func chain() throws -> [[CBORItem]] { [[.int(33), .bytes(try certificate())]] }

    // MARK: Requests and answers

    static let items: CBORItem = .ordered([
        [.text("docType"), .text(type)],
        [.text("nameSpaces"), .ordered([[.text(namespace), .ordered([[.text("family_name"), .bool(false)]])]])],
    ])

    static func request(signature: CBORItem? = nil, all: CBORItem? = nil) -> [UInt8] {
        var document: [[CBORItem]] = [[.text("itemsRequest"), .embedded(items)]]
        if let signature { document.append([.text("readerAuth"), signature]) }
        var members: [[CBORItem]] = [
            [.text("version"), .text(all == nil ? "1.0" : "1.1")],
            [.text("docRequests"), .array([.ordered(document)])],
        ]
        if let all { members.append([.text("readerAuthAll"), all]) }
        return CBORItem.ordered(members).encoded
    }

    /// Returns a time of the validity, with the tag of a time.
    static func time(_ text: String) -> CBORItem { .tagged(0, .text(text)) }

    static let usualValidity: [(name: String, text: String)] = [
        ("signed", instant(0)), ("validFrom", instant(0)), ("validUntil", instant(100)),
    ]

    /// Returns an answer with one document.
    static func response(
        element: (name: String, value: CBORItem) = ("family_name", .text("Sample")),
        validity: [(name: String, text: String)] = usualValidity, headers: [[CBORItem]]? = nil
    ) throws -> [UInt8] {
        let item: CBORItem = .embedded(
            .ordered([
                [.text("digestID"), .int(0)], [.text("random"), .bytes([UInt8](repeating: 9, count: 16))],
                [.text("elementIdentifier"), .text(element.name)], [.text("elementValue"), element.value],
            ]))
        let digests: CBORItem = .ordered([[.int(0), .bytes(SHA256.hash(item.encoded))]])
        let object: CBORItem = .ordered([
            [.text("version"), .text("1.0")], [.text("digestAlgorithm"), .text("SHA-256")],
            [.text("valueDigests"), .ordered([[.text(namespace), digests]])],
            [.text("deviceKeyInfo"), .ordered([[.text("deviceKey"), try publicKey(4).item]])],
            [.text("docType"), .text(type)],
            [.text("validityInfo"), .ordered(validity.map { [.text($0.name), time($0.text)] })],
        ])
        let signed: CBORItem = .ordered([
            [.text("nameSpaces"), .ordered([[.text(namespace), .array([item])]])],
            [.text("issuerAuth"), cose(unprotected: try headers ?? chain(), payload: .embedded(object))],
        ])
        let proof: CBORItem = .ordered([[.text("deviceSignature"), cose(unprotected: [])]])
        let document: CBORItem = .ordered([
            [.text("docType"), .text(type)], [.text("issuerSigned"), signed],
            [
                .text("deviceSigned"),
                .ordered([[.text("nameSpaces"), .embedded(.map([:]))], [.text("deviceAuth"), proof]]),
            ],
        ])
        return DeviceResponse.encoded(documents: [document])
    }

    static func establishment(count: Int = 40) throws -> [UInt8] {
        SessionEstablishment.encoded(
            readerKeyBytes: try keyBytes(2).encoded, data: [UInt8](repeating: 5, count: count))
    }
}
