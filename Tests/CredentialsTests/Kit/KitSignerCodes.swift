import ByteCoding
import CBOR
import Codes
import Compression
import CryptoSuite
import Determinism
import JSON

@testable import Credentials

/// Codes of the kit under certificates of a list: health certificates and Aadhaar.
enum KitSignerCodes {
    private typealias Answer = MobileDocumentForgery.Answer
    private typealias Setting = CWTForgery.Setting

    static func all() throws -> [KitCase] { try certificates() + aadhaar() }

    /// Returns the certificate of a signer, by its own key.
    private static func certificate(
        _ key: CertificateTemplate.SigningKey, uses: [ASN1Identifier]? = nil,
        from start: WallTime = SignerAuthority.start, to end: WallTime = SignerAuthority.end, serial: UInt8 = 1
    ) throws -> Certificate {
        var template = try CertificateTemplate(
            subject: SignerAuthority.signerName, issuer: SignerAuthority.signerName, publicKey: key, notBefore: start,
            notAfter: end)
        template.serialNumber = [serial]
        template.extensions = uses.map { [.extendedKeyUsage($0, isCritical: false)] } ?? []
        return try Certificate(der: try template.sign(by: key))
    }

    private static let p256 = CertificateTemplate.SigningKey.ecdsa(SignerAuthority.key("symbolon ds"))
    private static let stranger = CertificateTemplate.SigningKey.ecdsa(SignerAuthority.key("symbolon iaca"))

    private static func large(seed: UInt64) throws -> RSA.PrivateKey {
        if seed == 7, case .rsa(let key) = Signer.large { return key }
        var random = SeededRandom(seed: seed)
        return try RSA.PrivateKey.make(bitCount: 2048, from: &random)
    }

    private static func list(
        _ purposes: [PinnedSigners.Purpose], _ certificates: [Certificate], name: String? = nil
    ) -> PinnedSigners {
        var list = PinnedSigners(path: "signers.pem", purposes: purposes, certificates: certificates)
        list.name = name
        return list
    }

    // MARK: Health certificates

    private static let usages: [UInt64: ASN1Identifier] = [
        1: ASN1Identifier(1, 3, 6, 1, 4, 1, 1847, 2021, 1, 1), 2: ASN1Identifier(1, 3, 6, 1, 4, 1, 1847, 2021, 1, 2),
        3: ASN1Identifier(1, 3, 6, 1, 4, 1, 1847, 2021, 1, 3), 4: ASN1Identifier(1, 3, 6, 1, 4, 1, 1847, 2021, 1, 4),
        11: ASN1Identifier(1, 3, 6, 1, 4, 1, 0, 1847, 2021, 1, 1),
        12: ASN1Identifier(1, 3, 6, 1, 4, 1, 0, 1847, 2021, 1, 2),
    ]

    private static func person(_ kind: String) -> CBORItem {
        .ordered([
            [.text("ver"), .text("1.3.0")], [.text("dob"), .text("1970-03-24")],
            [
                .text("nam"),
                .map([
                    .text("fn"): .text("Example"), .text("gn"): .text("Asha"), .text("fnt"): .text("EXAMPLE"),
                    .text("gnt"): .text("ASHA"),
                ]),
            ],
            [
                .text(kind),
                .array([
                    .ordered([[.text("tg"), .text("1")], [.text("co"), .text("XX")], [.text("other"), .int(2)]])
                ]),
            ],
        ])
    }

    /// The parts of a health certificate that a case may change.
    private struct Health {
        var setting = Setting()
        var certificate: Certificate
        /// The first bytes of the signer's digest, as the header names it; nil for no name.
        var identifier: [UInt8]?
        var text: ([UInt8]) throws -> [UInt8] = { try KitPrintedCodes.packed($0, prefix: "HC1:") }

        init() throws {
            certificate = try KitSignerCodes.certificate(p256)
            identifier = Array(SHA256.hash(certificate.der).prefix(8))
            setting.request.trust.issuers = []
            setting.request.trust.signerLists = [list([.healthCertificates], [certificate], name: "Ministry")]
            setting.claims = [
                [.int(1), .text("XX")], [.int(4), .int(1_760_000_000)], [.int(6), .int(1_740_000_000)],
                [.int(-260), .map([.int(1): person("v")])],
            ]
        }

        /// Signs with another certificate, which the list has, too.
        mutating func sign(
            under certificate: Certificate, _ sign: @escaping ([UInt8]) -> [UInt8] = Signer.documentSigner
        ) {
            self.certificate = certificate
            identifier = Array(SHA256.hash(certificate.der).prefix(8))
            setting.request.trust.signerLists = [list([.healthCertificates], [certificate])]
            setting.sign = sign
        }
    }

    private static func certificates() throws -> [KitCase] {
        try signedCertificates() + forgedCertificates() + certificateTimes() + certificateKinds()
    }

    private static func health(
        _ name: String, _ answer: Answer, _ change: (inout Health) throws -> Void = { _ in }
    ) throws -> KitCase {
        var health = try Health()
        try change(&health)
        if health.setting.unprotectedHeader.first?.first == .int(4) {
            health.setting.unprotectedHeader = health.identifier.map { [[.int(4), .bytes($0)]] } ?? []
        }
        return KitPrintedCodes.code(
            .cwt, name, try health.text(health.setting.encoded), health.setting.request, answer)
    }

    /// Makes a case of the token alone, in CBOR.
    private static func healthToken(_ name: String) throws -> KitCase {
        var health = try Health()
        health.setting.unprotectedHeader = [[.int(4), .bytes(health.identifier ?? [])]]
        return KitCase(.cwt, name, health.setting.encoded, health.setting.request, .genuine)
    }

    private static func used(_ name: String, _ answer: Answer, _ uses: [UInt64], kind: String = "v") throws -> KitCase {
        try health(name, answer) { health in
            health.sign(under: try certificate(p256, uses: uses.compactMap { usages[$0] }))
            health.setting.claims[3] = [.int(-260), .map([.int(1): person(kind)])]
        }
    }

    private static func signedCertificates() throws -> [KitCase] {
        let other = try certificate(stranger, serial: 2)
        let rsa = try large(seed: 7)
        return [
            try health("a vaccination", .genuine),
            try healthToken("a vaccination outside a code"),
            try health("a vaccination that is not compressed", .genuine) { health in
                health.text = { Array(("HC1:" + Base45.encode($0)).utf8) }
            },
            try health("a vaccination without tags", .genuine) { $0.setting.wrap = { $0 } },
            try health("a vaccination whose signer stands in the second list", .genuine) { health in
                health.setting.request.trust.signerLists.insert(list([.healthCertificates], [other]), at: 0)
            },
            try health("a vaccination among other signers of the list", .genuine) { health in
                health.setting.request.trust.signerLists = [
                    list([.aadhaar, .healthCertificates], [other, health.certificate])
                ]
            },
            try health("a vaccination whose algorithm and signer are not protected", .genuine) { health in
                health.setting.protectedHeader = .map([:])
                health.setting.unprotectedHeader = [[.int(4), .bytes(health.identifier ?? [])], [.int(1), .int(-7)]]
                let header = health.setting.unprotectedHeader
                health.setting.changeArray = { array in
                    guard case .array(let parts) = array else { return array }
                    return .array([parts[0], .ordered(header), parts[2], parts[3]])
                }
            },
            try health("a vaccination by PS256", .genuine) { health in
                health.sign(under: try certificate(.rsa(rsa))) { Signer.large.sign($0, algorithm: "PS256") }
                health.setting.protectedHeader = .map([.int(1): .int(-37)])
            },
        ]
    }

    private static func forgedCertificates() throws -> [KitCase] {
        let other = try certificate(stranger, serial: 2)
        return [
            try health("a vaccination whose name of the signer no list has", .notChecked(.keyUnresolved)) {
                $0.identifier = [1, 2, 3, 4, 5, 6, 7, 8]
            },
            try health("a vaccination that names no signer", .notChecked(.keyUnresolved)) { $0.identifier = nil },
            try health("a vaccination where no list is for it", .notChecked(.keyUnresolved)) { health in
                health.setting.request.trust.signerLists = [list([.aadhaar], [health.certificate])]
            },
            try health("a vaccination under the name of another signer", .refused(.sigInvalid)) { health in
                health.identifier = Array(SHA256.hash(other.der).prefix(8))
                health.setting.request.trust.signerLists = [list([.healthCertificates], [health.certificate, other])]
            },
            try health("another vaccination than the signed one", .refused(.sigInvalid)) { health in
                var claims = health.setting.claims
                claims[3] = [.int(-260), .map([.int(1): person("t")])]
                health.setting.sentPayload = .bytes(CBORItem.ordered(claims).encoded)
            },
            try health("a vaccination by an algorithm that its signer has not", .refused(.algMismatch)) {
                $0.setting.protectedHeader = .map([.int(1): .int(-37)])
            },
            try health("a vaccination with a critical label", .refused(.algCrit)) {
                $0.setting.protectedHeader = .map([.int(1): .int(-7), .int(2): .array([.int(99)])])
            },
            try health("a vaccination without an algorithm", .refused(.algMismatch)) {
                $0.setting.protectedHeader = .map([.int(3): .int(0)])
            },
        ]
    }

    private static func certificateTimes() throws -> [KitCase] {
        [
            try health("a vaccination before its signer was valid", .refused(.x5NotYet)) {
                $0.setting.claims[2] = [.int(6), .int(1_700_000_000)]
            },
            try health("a vaccination after its signer was valid", .refused(.x5Expired)) { health in
                health.setting.claims[2] = [.int(6), .int(1_790_000_000)]
                health.setting.claims[1] = [.int(4), .int(2_051_222_400)]
            },
            try health("a vaccination that does not say when it was issued", .genuine) {
                $0.setting.claims.remove(at: 2)
            },
            try health("a vaccination without a time, by a signer of the past", .refused(.x5Expired)) { health in
                health.setting.claims.remove(at: 2)
                health.sign(
                    under: try certificate(p256, to: WallTime(millisecondsSinceEpoch: 1_740_000_000_000)))
            },
            try health("a vaccination issued within the tolerance before its signer", .genuine) {
                $0.setting.claims[2] = [.int(6), .int(SignerAuthority.start.millisecondsSinceEpoch.seconds - 10)]
            },
            try health("a vaccination that is issued later", .genuine) {
                $0.setting.claims[2] = [.int(6), .int(1_750_000_000)]
            },
            try health("a vaccination whose validity is over", .refused(.timeExpired)) {
                $0.setting.claims[1] = [.int(4), .int(1_745_000_000)]
            },
        ]
    }

    private static func certificateKinds() throws -> [KitCase] {
        [
            try used("a vaccination by a signer of vaccinations", .genuine, [2]),
            try used("a test by a signer of tests", .genuine, [1], kind: "t"),
            try used("a recovery by a signer of recoveries and tests", .genuine, [3, 1], kind: "r"),
            try used("a test by a signer of tests under the other number", .genuine, [11], kind: "t"),
            try used("a vaccination by a signer of tests", .refused(.keyPurpose), [1]),
            try used("a vaccination by a signer of tests and recoveries", .refused(.keyPurpose), [1, 3]),
            try used(
                "a test by a signer of vaccinations under the other number", .refused(.keyPurpose), [12], kind: "t"),
            try used("another kind by a signer of vaccinations", .refused(.keyPurpose), [2], kind: "x"),
            try used("another kind by a signer of all", .genuine, [4], kind: "x"),
            try health("a health claim without a certificate", .notChecked(.keyUnresolved)) {
                $0.setting.claims[3] = [.int(-260), .map([.int(2): person("v")])]
            },
            try health("a health claim that is no map", .notChecked(.keyUnresolved)) {
                $0.setting.claims[3] = [.int(-260), .map([.int(1): .text("v")])]
            },
            try health("a vaccination whose entry is not in a list, and another one", .genuine) {
                $0.setting.claims[3] = [
                    .int(-260),
                    .map([
                        .int(1): .ordered([
                            [.text("v"), .map([.text("vp"): .text("1"), .int(5): .int(6)])], [.text("t"), .array([])],
                            [.text("r"), .array([.map([:]), .map([.text("fr"): .text("x")])])],
                        ])
                    ]),
                ]
            },
            try health("a vaccination of an issuer with its own key", .genuine) { health in
                health.setting.request.trust = TrustStore()
                health.setting.request.trust.issuers = [KitPrintedCodes.entry("XX", .p256)]
                health.setting.sign = { Signer.p256.sign($0) }
            },
        ]
    }

    // MARK: Aadhaar

    /// The parts of an Aadhaar code that a case may change.
    private struct Identity {
        var isSecond = true
        var texts = [
            "3", "123420250115103000123", "Asha Example", "24-03-1970", "F", "C/O: Example", "District", "", "12",
            "Straße 1", "560001", "Office", "State", "Street", "Taluk", "Town",
        ]
        var picture: [UInt8] = [0xFF, 0x4F, 0xFF, 0x51, 0, 47, 1, 2]
        var hashes = 2
        var key: RSA.PrivateKey
        var change: (inout [UInt8]) -> Void = { _ in }
        var pack: ([UInt8]) throws -> [UInt8] = { try Gzip.compress($0, level: 9) }
        var digits: ([UInt8]) -> [UInt8] = { $0 }
        var request = VerificationRequest(trust: TrustStore(), at: KitPrintedCodes.time)

        func text() throws -> [UInt8] {
            var bytes: [UInt8] = isSecond ? Array("V2".utf8) + [255] : []
            for text in texts + (isSecond ? ["4321"] : []) {
                bytes += text.unicodeScalars.map { UInt8($0.value) } + [255]
            }
            // Bytes that do not shrink, as a picture has them.
            bytes += picture + (0..<16).flatMap { SHA256.hash([UInt8($0)]) }
            bytes += [UInt8](repeating: 9, count: 32 * hashes)
            bytes += try key.signPKCS1(bytes, hash: .sha256)
            change(&bytes)
            return digits(KitSignerCodes.digits(try pack(bytes)))
        }
    }

    /// Returns a number in decimal digits whose bytes these are.
    private static func digits(_ bytes: [UInt8]) -> [UInt8] {
        var digits: [UInt8] = [0]
        for byte in bytes {
            var carry = Int(byte)
            for index in digits.indices {
                let value = Int(digits[index]) * 256 + carry
                digits[index] = UInt8(value % 10)
                carry = value / 10
            }
            while carry > 0 {
                digits.append(UInt8(carry % 10))
                carry /= 10
            }
        }
        return digits.reversed().map { $0 + 0x30 }
    }

    private static func aadhaar() throws -> [KitCase] {
        try genuineIdentities() + forgedIdentities() + damagedIdentities()
    }

    private static func identity(
        _ name: String, _ answer: Answer, _ change: (inout Identity) throws -> Void = { _ in }
    ) throws -> KitCase {
        let own = try large(seed: 7)
        let signer = try certificate(.rsa(own))
        var identity = Identity(key: own)
        identity.request.trust.signerLists = [list([.aadhaar], [signer], name: "Authority of these tests")]
        try change(&identity)
        return KitPrintedCodes.code(.aadhaar, name, try identity.text(), identity.request, answer)
    }

    private static func flagged(_ flag: String, hashes: Int) throws -> KitCase {
        try identity("an Aadhaar code with the flag \(flag)", .genuine) {
            ($0.texts[0], $0.hashes) = (flag, hashes)
            $0.picture = []
        }
    }

    private static func genuineIdentities() throws -> [KitCase] {
        [
            try identity("an Aadhaar code", .genuine),
            try identity("an Aadhaar code of the first version", .genuine) { $0.isSecond = false },
            try flagged("0", hashes: 0), try flagged("1", hashes: 1), try flagged("2", hashes: 1),
            try identity("an Aadhaar code whose texts have other forms", .genuine) {
                ($0.texts[3], $0.texts[4]) = ("1970", "X")
            },
            try identity("an Aadhaar code with a date of letters", .genuine) { $0.texts[3] = "2a-03-1970" },
            try identity("an Aadhaar code of a man, whose date has other parts", .genuine) {
                ($0.texts[3], $0.texts[4]) = ("1970-03-24", "M")
            },
            try identity("an Aadhaar code among white space", .genuine) { $0.digits = { [0x20] + $0 + [0x0D, 0x0A] } },
        ]
    }

    private static func forgedIdentities() throws -> [KitCase] {
        let (own, foreign) = (try large(seed: 7), try large(seed: 8))
        let signer = try certificate(.rsa(own))
        return [
            try identity("an Aadhaar code with another name", .notChecked(.keyUnresolved)) {
                $0.change = { $0[30] ^= 1 }
            },
            try identity("an Aadhaar code with another picture", .notChecked(.keyUnresolved)) {
                $0.change = { $0[$0.count - 400] ^= 1 }
            },
            try identity("an Aadhaar code with other hashes", .notChecked(.keyUnresolved)) {
                $0.change = { $0[$0.count - 257] ^= 1 }
            },
            try identity("an Aadhaar code with another signature", .notChecked(.keyUnresolved)) {
                $0.change = { $0[$0.count - 1] ^= 1 }
            },
            try identity("an Aadhaar code of a stranger", .notChecked(.keyUnresolved)) { $0.key = foreign },
            try identity("an Aadhaar code of the second certificate", .genuine) {
                $0.request.trust.signerLists = [list([.aadhaar], [try certificate(.rsa(foreign), serial: 3), signer])]
            },
            try identity("an Aadhaar code where a list is for others", .notChecked(.keyUnresolved)) {
                $0.request.trust.signerLists = [list([.healthCertificates], [signer])]
            },
            try identity("an Aadhaar code where there is no list", .notChecked(.keyUnresolved)) {
                $0.request.trust.signerLists = []
            },
            try identity("an Aadhaar code from before its signer", .refused(.x5NotYet)) {
                $0.texts[1] = "123420240115103000123"
            },
            try identity("an Aadhaar code from after its signer", .refused(.x5Expired)) {
                $0.texts[1] = "123420260815103000123"
            },
            try identity("an Aadhaar code without a time", .genuine) { $0.texts[1] = "1234" },
            try identity("an Aadhaar code with a time of letters, by a signer of the past", .refused(.x5Expired)) {
                $0.texts[1] = "12342025011510300012x"
                let past = WallTime(millisecondsSinceEpoch: 1_740_000_000_000)
                $0.request.trust.signerLists = [list([.aadhaar], [try certificate(.rsa(own), to: past)])]
            },
        ]
    }

    private static func damagedIdentities() throws -> [KitCase] {
        [
            try identity("an Aadhaar code with the flag 4", .notChecked(.codeAadhaar)) { $0.texts[0] = "4" },
            try identity("an Aadhaar code with a flag of letters", .notChecked(.codeAadhaar)) { $0.texts[0] = "x" },
            try identity("an Aadhaar code with too few texts", .notChecked(.codeAadhaar)) {
                ($0.texts, $0.picture) = (Array($0.texts.prefix(3)), [])
                $0.change = { bytes in
                    for index in bytes.indices.dropFirst(60) where bytes[index] == 255 { bytes[index] = 1 }
                }
            },
            try identity("an Aadhaar code without room for its hashes", .notChecked(.codeAadhaar)) {
                $0.change = { $0 = Array($0.prefix(150)) + (0..<9).flatMap { SHA256.hash([UInt8($0)]) } }
            },
            try identity("an Aadhaar code that is shorter than a signature", .notChecked(.codeAadhaar)) {
                $0.change = { $0 = (0..<8).flatMap { SHA256.hash([UInt8($0)]) } }
            },
            try identity("an Aadhaar code with bytes behind its end", .notChecked(.codeCompression)) {
                $0.pack = { try Gzip.compress($0, level: 9) + [0] }
            },
            try identity("an Aadhaar code of more digits than are read", .notChecked(.codeLimitText)) {
                $0.digits = { $0 + [UInt8](repeating: 0x31, count: 15_001 - $0.count) }
            },
            try identity("an Aadhaar code of as many digits as are read", .notChecked(.codeCompression)) {
                $0.digits = { $0 + [UInt8](repeating: 0x31, count: 15_000 - $0.count) }
            },
            try identity("an Aadhaar code where a type is asked for", .notChecked(.keyUnresolved)) {
                $0.key = try large(seed: 8)
                $0.request.policy.types = ["Other"]
            },
        ]
    }
}

extension Int64 {
    /// The whole seconds of so many milliseconds.
    fileprivate var seconds: Int { Int(self / 1000) }
}
