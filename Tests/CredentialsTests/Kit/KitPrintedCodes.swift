import ByteCoding
import CBOR
import Codes
import Compression
import CryptoSuite
import Determinism
import JSON

@testable import Credentials

/// Codes of the kit in formats that no token alone has: claim 169 with all its attributes, encrypted and issuer-less
/// tokens. `KitSignerCodes` and `KitCardCodes` have the other formats, `KitCodeTexts` the layers.
enum KitPrintedCodes {
    typealias Answer = MobileDocumentForgery.Answer
    typealias Setting = CWTForgery.Setting

    /// The time of the requests: 2025-06-01T00:00:00Z.
    static let time = WallTime(millisecondsSinceEpoch: 1_748_736_000_000)
    private static let issuer = "https://id.example"

    static func all() throws -> [KitCase] { try persons() + forgedPersons() + issuerless() + encrypted() }

    /// Makes a case of the text of a code.
    static func code(
        _ format: CredentialFormat, _ name: String, _ text: [UInt8], _ request: VerificationRequest, _ answer: Answer
    ) -> KitCase { KitCase(format, name, [], request, answer).coded(text) }

    /// Returns the text of base 45 that packs bytes.
    static func packed(_ bytes: [UInt8], prefix: String = "") throws -> [UInt8] {
        Array((prefix + Base45.encode(try Zlib.compress(bytes, level: 9))).utf8)
    }

    private static func make(
        _ name: String, _ answer: Answer, prefix: String = "", _ change: (inout Setting) throws -> Void
    ) throws -> KitCase {
        var setting = person()
        try change(&setting)
        return code(.cwt, name, try packed(setting.encoded, prefix: prefix), setting.request, answer)
    }

    // MARK: Claim 169

    static func entry(_ identifier: String, _ signer: Signer) -> TrustedIssuer {
        var entry = TrustedIssuer(identifier)
        entry.pemKey = try? VerificationKey(pem: Array(signer.publicKeyPEM().utf8))
        return entry
    }

    /// A token of an issuer with a key in PEM, whose header names no key.
    static func person(_ attributes: [[CBORItem]] = [[.int(4), .text("Asha Example")]]) -> Setting {
        var setting = Setting()
        setting.request.trust.issuers = [entry(issuer, .p256)]
        setting.claims = [
            [.int(1), .text(issuer)], [.int(4), .int(2_051_222_400)], [.int(169), .ordered(attributes)],
        ]
        setting.unprotectedHeader = []
        setting.sign = { Signer.p256.sign($0) }
        return setting
    }

    private static let attributes: [[CBORItem]] = [
        [.int(1), .text("1")], [.int(2), .text("1.0")], [.int(3), .text("en")], [.int(4), .text("Asha B Example")],
        [.int(5), .text("Asha")], [.int(6), .text("B")], [.int(7), .text("Example")], [.int(8), .text("19700324")],
        [.int(9), .int(2)], [.int(10), .text("1 Example Road\nTown")], [.int(11), .text("a@a.example")],
        [.int(12), .text("+15550100")], [.int(13), .text("PH")], [.int(14), .int(1)], [.int(15), .text("11")],
        [.int(16), .bytes([0xFF, 0xD8, 0xFF, 0xE0, 1, 2])], [.int(17), .int(1)],
        [.int(18), .array([.int(0), .int(10)])],
        [.int(21), .text("PH-00")], [.int(22), .text("citizen")], [.int(23), .text("PH")],
        [.int(50), .array([.map([.int(0): .bytes([1])])])],
        [.int(51), .array([.map([.int(0): .bytes([1])]), .map([.int(0): .bytes([2])])])],
    ]

    private static func persons() throws -> [KitCase] {
        func shown(_ name: String, _ attributes: [[CBORItem]]) throws -> KitCase {
            try make(name, .genuine) { $0.claims[2] = [.int(169), .ordered(attributes)] }
        }
        let picture: CBORItem = .bytes([0xFF, 0xD8, 0xFF, 0xE0, 9])
        return [
            try shown("a person with all attributes", attributes),
            try shown(
                "a person with two names in two languages",
                [
                    [.int(3), .text("en")], [.int(4), .text("Asha")], [.int(19), .text("আশা")], [.int(20), .text("bn")],
                ]),
            try shown("a person with a second name alone", [[.int(19), .text("আশা")], [.int(20), .text("bn")]]),
            try shown(
                "a person whose attributes have other types",
                [
                    [.int(4), .int(7)], [.int(8), .int(1970)], [.int(9), .int(4)], [.int(14), .int(0)],
                    [.int(16), .int(1)],
                    [.int(17), .text("JPEG")], [.int(18), .array([.int(11)])],
                ]),
            try shown(
                "a person with attributes that are not known",
                [
                    [.int(4), .text("Asha")], [.int(24), .text("x")], [.int(49), .int(1)], [.int(66), .int(2)],
                    [.text("extra"), .text("y")], [.text(""), .text("z")],
                ]),
            try shown("a face in hexadecimal digits", [[.int(16), .text("ffd8ffe00102")]]),
            try shown("a face in another text", [[.int(16), .text("no digits")]]),
            try shown("a face that is no picture", [[.int(16), .bytes([1, 2, 3])]]),
            try shown("a face among the biometric data", [[.int(62), .array([.map([.int(0): picture])])]]),
            try shown("a thumb that begins as a picture", [[.int(50), .array([.map([.int(0): picture])])]]),
            try shown(
                "a face that is no picture among the biometric data",
                [
                    [.int(62), .array([.map([.int(0): .bytes([1])])])]
                ]),
            try shown(
                "a face and another one among the biometric data",
                [
                    [.int(16), .bytes([0xFF, 0xD8, 0xFF, 0xE0, 1])], [.int(62), .array([.map([.int(0): picture])])],
                ]),
            try shown("biometric data that are no list", [[.int(65), .text("x")]]),
            try shown("dates of birth in other forms", [[.int(8), .text("1970-03-24")]]),
            try shown("a date of birth of nine digits", [[.int(8), .text("197003245")]]),
            try shown("a date of birth with letters", [[.int(8), .text("1970032x")]]),
            try shown("a code with as many claims as are taken", (0..<252).map { [.int(1000 + $0), .int($0)] }),
            try make("a claim 169 that is no map", .genuine) { $0.claims[2] = [.int(169), .text("Asha")] },
        ]
    }

    /// Makes a case of a token alone, in CBOR.
    private static func outside(_ name: String, _ attributes: [[CBORItem]]) -> KitCase {
        let setting = person(attributes)
        return KitCase(.cwt, name, setting.encoded, setting.request, .genuine)
    }

    private static func forgedPersons() throws -> [KitCase] {
        [
            try make("a code with one claim more", .notChecked(.codeLimitClaims)) {
                $0.claims[2] = [.int(169), .ordered((0..<254).map { [.int(1000 + $0), .int($0)] })]
            },
            outside("a person outside a code", [[.int(4), .text("Asha Outside")]]),
            try make("an unsigned code", .refused(.algNone)) {
                ($0.protectedHeader, $0.changeSignature) = (.map([:]), { $0 = [] })
            },
            try make("a code with an empty signature", .refused(.sigForm)) { $0.changeSignature = { $0 = [] } },
            try make("another name of the person", .refused(.sigInvalid)) { setting in
                let other = [
                    setting.claims[0], setting.claims[1], [.int(169), .ordered([[.int(4), .text("Other")]])],
                ]
                setting.sentPayload = .bytes(CBORItem.ordered(other).encoded)
            },
            try make("a person of a stranger", .refused(.sigInvalid)) { $0.sign = { Signer.stranger.sign($0) } },
            try make("a person of an issuer that is not trusted", .notChecked(.keyUnresolved)) {
                $0.claims[0] = [.int(1), .text("https://other.example")]
            },
            try make("a person whose validity is over", .refused(.timeExpired)) {
                $0.claims[1] = [.int(4), .int(1_700_000_000)]
            },
            try make("a person whose code is issued later", .refused(.timeFuture)) {
                $0.claims.append([.int(6), .int(1_800_000_000)])
            },
            try make("a person whose end is a text", .refused(.timeFormat)) {
                $0.claims[1] = [.int(4), .text("2035")]
            },
            try make("a person under another type", .refused(.jwtTyp)) {
                $0.unprotectedHeader = [[.int(16), .text("x")]]
            },
            try make("the name of a key that another one has", .refused(.sigInvalid)) {
                $0.unprotectedHeader = [[.int(4), .bytes(Array("k".utf8))]]
                $0.sign = { Signer.stranger.sign($0) }
            },
            try make("the name of a key that the PEM file has not", .genuine) {
                $0.unprotectedHeader = [[.int(4), .bytes(Array("k".utf8))]]
            },
            try make("EdDSA under a key of P-256", .refused(.algMismatch)) {
                $0.protectedHeader = .map([.int(1): .int(-8)])
                $0.sign = { Signer.edwards.sign($0) }
            },
        ]
    }

    // MARK: Tokens without an issuer

    private static func issuerless() throws -> [KitCase] {
        func make(
            _ name: String, _ answer: Answer, _ change: (inout Setting) throws -> Void = { _ in }
        ) throws -> KitCase {
            try Self.make(name, answer) { setting in
                setting.claims.removeFirst()
                setting.request.trust.issuers[0].acceptsIssuerless = true
                setting.request.trust.issuers[0].name = "Registry"
                try change(&setting)
            }
        }
        return [
            try make("a code without an issuer", .genuine),
            try make("a code without an issuer that no entry takes", .notChecked(.keyUnresolved)) {
                $0.request.trust.issuers[0].acceptsIssuerless = false
            },
            try make("a code without an issuer by a stranger", .refused(.sigInvalid)) {
                $0.sign = { Signer.stranger.sign($0) }
            },
            try make("a code without an issuer, of the second entry that takes it", .genuine) {
                var other = entry("https://other.example", .large)
                other.acceptsIssuerless = true
                $0.request.trust.issuers.insert(other, at: 0)
            },
            try make("a code without an issuer, of an entry that does not take it", .refused(.algMismatch)) {
                var other = entry("https://other.example", .edwards)
                other.acceptsIssuerless = true
                $0.request.trust.issuers[0].acceptsIssuerless = false
                $0.request.trust.issuers.append(other)
            },
            try make("a code without an issuer, of an entry without a key", .notChecked(.keyUnresolved)) {
                $0.request.trust.issuers[0].pemKey = nil
            },
        ]
    }

    // MARK: Encrypted tokens

    static let shortKey = [UInt8](0x40..<0x50)
    static let longKey = [UInt8](0x20..<0x40)

    /// The parts of an encrypted code that a case may change.
    private struct Encryption {
        var key = KitPrintedCodes.shortKey
        var protected: [[CBORItem]] = [[.int(1), .int(1)]]
        var unprotected: [[CBORItem]] = [[.int(5), .bytes([UInt8](1...12))]]
        var nonce = [UInt8](1...12)
        var wrap: (CBORItem) -> CBORItem = { .tagged(16, $0) }
        var parts: ([CBORItem]) -> [CBORItem] = { $0 }
        var sentProtected: [UInt8]?

        func sealed(_ token: [UInt8]) throws -> [UInt8] {
            let header = CBORItem.ordered(protected).encoded
            let data = CBORItem.array([.text("Encrypt0"), .bytes(header), .bytes([])]).encoded
            let sealed = try AuthenticatedCipher.aesGCM.seal(
                token, key: Secret(copying: key), nonce: nonce, additionalData: data)
            return wrap(
                .array(parts([.bytes(sentProtected ?? header), .ordered(unprotected), .bytes(sealed)]))
            ).encoded
        }
    }

    private static func encrypted() throws -> [KitCase] {
        func make(
            _ name: String, _ answer: Answer, keys: [[UInt8]] = [longKey, shortKey], of setting: Setting = person(),
            _ change: (inout Encryption) -> Void = { _ in }
        ) throws -> KitCase {
            var encryption = Encryption()
            change(&encryption)
            var request = setting.request
            request.trust.decryptionKeys = keys.map { Secret(copying: $0) }
            return code(.cwt, name, try packed(try encryption.sealed(setting.encoded)), request, answer)
        }
        var (stranger, plain, expired) = (person(), person(), person())
        stranger.sign = { Signer.stranger.sign($0) }
        plain.wrap = { $0 }
        expired.claims[1] = [.int(4), .int(1_700_000_000)]
        return [
            try make("an encrypted code by a key of 16 bytes", .genuine),
            try make("an encrypted code by a key of 32 bytes", .genuine) {
                ($0.key, $0.protected) = (longKey, [[.int(1), .int(3)]])
            },
            try make("an encrypted code within the tag of tokens", .genuine) {
                $0.wrap = { .tagged(61, .tagged(16, $0)) }
            },
            try make("an encrypted code of a token without tags", .genuine, of: plain),
            try make("an encrypted code without a key for it", .notChecked(.codeEncrypted), keys: []),
            try make("an encrypted code under another key", .notChecked(.codeEncrypted), keys: [longKey]) {
                $0.key = [UInt8](repeating: 1, count: 16)
            },
            try make("an encrypted code whose bytes were changed", .notChecked(.codeEncrypted)) {
                $0.parts = { parts in
                    guard case .bytes(var bytes) = parts[2] else { return parts }
                    bytes[0] ^= 1
                    return [parts[0], parts[1], .bytes(bytes)]
                }
            },
            try make("an encrypted code under another header", .notChecked(.codeEncrypted)) {
                $0.sentProtected = CBORItem.ordered([[.int(1), .int(1)], [.int(4), .bytes([1])]]).encoded
            },
            try make("an encrypted code of a forged token", .refused(.sigInvalid), of: stranger),
            try make("an encrypted code of a token whose validity is over", .refused(.timeExpired), of: expired),
            try make("an encrypted code by another algorithm", .notChecked(.algUnknown)) {
                $0.protected = [[.int(1), .int(2)]]
            },
            try make("an encrypted code whose algorithm is not protected", .notChecked(.algUnknown)) {
                $0.protected = []
                $0.unprotected.append([.int(1), .int(1)])
            },
            try make("an encrypted code with a vector of 11 bytes", .refused(.parseCBOR)) {
                $0.unprotected = [[.int(5), .bytes([UInt8](1...11))]]
            },
            try make("an encrypted code without a vector", .refused(.parseCBOR)) { $0.unprotected = [] },
            try make("an encrypted code of four parts", .refused(.mdForm)) { $0.parts = { $0 + [.array([])] } },
            try make("an encrypted code without its bytes", .refused(.mdForm)) {
                $0.parts = { [$0[0], $0[1], .null] }
            },
            try make("an encrypted code with a critical label", .refused(.algCrit)) {
                $0.protected.append([.int(2), .array([.int(99)])])
            },
        ]
    }
}
