import ByteCoding
import CBOR
import CryptoSuite
import JSON

@testable import Credentials

/// Mobile documents that came in a session, whose transcript the reader has: proofs of the device, good and forged.
struct KitSessions {
    private static let device = SignerAuthority.key("symbolon device")
    private static let readerScalar = SHA256.hash(Array("symbolon reader".utf8))
    private static let reader = SignerAuthority.key("symbolon reader")
    private static let transcript = CBORItem.array([.null, .null, .text("session")])
    private static let names = CBORItem.embedded(.map([.text("example"): .map([.text("pin"): .int(1)])]))
    private static let protected = CBORItem.map([.int(1): .int(-7)])

    /// The reader's private key as JWK.
    private static var readerJWK: [UInt8] {
        var jwk = Signer.ecdsa(reader).jwk
        jwk["d"] = .string(Base64URL.encode(readerScalar))
        return jwk.encoded
    }

    private var key = device
    private var session = transcript
    private var type = MobileDocumentBuilder.mdl
    private var namespaces = names
    private var authorizations: CBORItem? = .map([.text("nameSpaces"): .array([.text("example")])])
    private var header = protected
    private var unprotected = CBORItem.map([:])
    private var payload = CBORItem.null
    private var tag: UInt64?
    private var macReader = reader
    private var changeProof: (inout [UInt8]) -> Void = { _ in }
    private var knowsSession = true
    private var knowsReaderKey = false
    private var isMAC = false
    /// True for a device whose key is of Ed25519.
    private var isEdwards = false
    private var isDemanded = true
    private var deviceAuth: ((CBORItem) -> CBORItem)?
    /// The transcript as the reader hands it over, and the key that the issuer named in place of the device's.
    private var handedTranscript: CBORItem?
    private var deviceKey: CBORItem?
    /// True for a response of two documents, each with the proof.
    private var isDoubled = false

    private var signedBytes: [UInt8] {
        CBORItem.embedded(.array([.text("DeviceAuthentication"), session, .text(type), namespaces])).encoded
    }

    /// COSE_Sign1 or COSE_Mac0 without its payload.
    private func proof() throws -> CBORItem {
        let bytes = header.encoded
        let message = CBORItem.array([
            .text(isMAC ? "MAC0" : "Signature1"), .bytes(bytes), .bytes([]), .bytes(signedBytes),
        ]).encoded
        var code: [UInt8]
        if isMAC {
            let secret = try ECDH.sharedSecret(privateKey: key, publicKey: macReader.publicKey)
            let salt = SHA256.hash(CBORItem.embedded(session).encoded)
            let macKey = try HKDF.deriveSHA256(inputKey: secret, salt: salt, info: Array("EMacKey".utf8), count: 32)
            code = HMACSHA256.authenticate(message, key: macKey)
        } else {
            code = isEdwards ? Signer.edwards.sign(message) : try key.sign(message, hash: .sha256)
        }
        changeProof(&code)
        let item = CBORItem.array([.bytes(bytes), unprotected, payload, .bytes(code)])
        return tag.map { .tagged($0, item) } ?? item
    }

    /// Lets the device sign one element in the namespace of licences.
    private mutating func sign(_ name: String) {
        let namespace = CBORItem.text(MobileDocumentBuilder.namespace)
        namespaces = .embedded(.map([namespace: .map([.text(name): .int(1)])]))
        authorizations = .map([.text("nameSpaces"): .array([namespace])])
    }

    private func kitCase(_ name: String, _ answer: MobileDocumentForgery.Answer) throws -> KitCase {
        var setting = try MobileDocumentForgery.Setting()
        setting.builder.authorizations = authorizations
        if let deviceKey { setting.builder.deviceKey = deviceKey }
        let proof = try proof()
        setting.builder.deviceSigned = .ordered([
            [.text("nameSpaces"), namespaces],
            [
                .text("deviceAuth"),
                deviceAuth?(proof) ?? .map([.text(isMAC ? "deviceMac" : "deviceSignature"): proof]),
            ],
        ])
        setting.request.policy.requiresHolderProof = isDemanded
        let jwk = knowsReaderKey ? Self.readerJWK : nil
        if knowsSession {
            setting.request.session = try MobileDocumentSession(transcript: Self.transcript.encoded, readerJWK: jwk)
        }
        let document = setting.builder.document
        let item = isDoubled ? MobileDocumentBuilder.response([document, document]) : document
        var made = KitCase(.mobileDocument, name, item.encoded, setting.request, answer)
        made.readerKey = knowsSession ? jwk : nil
        made.transcript = handedTranscript?.encoded
        return made
    }

    /// A key whose second coordinate is odd where that of the device is even, or even where it is odd.
    private static let other: ECDSA.PrivateKey = {
        let isOdd = { (key: ECDSA.PrivateKey) in (key.publicKey.y.last ?? 0) & 1 == 1 }
        let names = (1...16).map { SignerAuthority.key("symbolon device \($0)") }
        return names.first { isOdd($0) != isOdd(device) } ?? device
    }()

    private static func edwardsKey() throws -> [UInt8] {
        guard case .ed25519(let seed) = Signer.edwards else { return [] }
        return try Ed25519.publicKey(for: seed)
    }

    /// A key with one bit of its second coordinate (RFC 9053, section 7.1.1).
    private static func compressed(_ key: ECDSA.PrivateKey) -> CBORItem {
        .map([
            .int(1): .int(2), .int(-1): .int(1), .int(-2): .bytes(key.publicKey.x),
            .int(-3): .bool((key.publicKey.y.last ?? 0) & 1 == 1),
        ])
    }

    private static func make(
        _ name: String, _ answer: MobileDocumentForgery.Answer, mac: Bool = false,
        _ change: (inout KitSessions) throws -> Void = { _ in }
    ) throws -> KitCase {
        var sessions = KitSessions()
        if mac {
            sessions.isMAC = true
            sessions.knowsReaderKey = true
            sessions.header = .map([.int(1): .int(5)])
        }
        try change(&sessions)
        return try sessions.kitCase(name, answer)
    }

    static func all() throws -> [KitCase] { try sessions() + signatures() + codes() }

    private static let critical = CBORItem.map([.int(1): .int(-7), .int(2): .array([.int(99)]), .int(99): .int(1)])

    private static func sessions() throws -> [KitCase] {
        [
            try make("a device that signed in the session, whose transcript has its tag", .genuine) {
                $0.handedTranscript = .embedded(transcript)
            },
            try make("a device whose key signs nothing", .notChecked(.kbUnchecked)) {
                $0.deviceKey = .map([.int(1): .int(1), .int(-1): .int(4), .int(-2): .bytes([UInt8](1...32))])
            },
            try make("two documents whose device signed in the session", .genuine) { $0.isDoubled = true },
            try make("two documents whose device signed in another session", .refused(.sigInvalid)) {
                $0.isDoubled = true
                $0.session = .array([.null, .null, .text("before")])
            },
            try make("a device that signed with a key of Ed25519", .genuine) {
                $0.isEdwards = true
                $0.header = .map([.int(1): .int(-8)])
                $0.deviceKey = .map([
                    .int(1): .int(1), .int(-1): .int(6), .int(-2): .bytes(try edwardsKey()),
                ])
            },
            try make("a device whose key is written with a bit of its second coordinate", .genuine) {
                $0.deviceKey = compressed(device)
            },
            try make("another device whose key is written with a bit of its second coordinate", .genuine) {
                ($0.key, $0.deviceKey) = (other, compressed(other))
            },
            try make("a device that signed in another session", .refused(.sigInvalid)) {
                $0.session = .array([.null, .null, .text("before")])
            },
            try make("a device that signed in a session that is not known", .notChecked(.kbUnchecked)) {
                $0.knowsSession = false
            },
        ]
    }

    private static func signatures() throws -> [KitCase] {
        let elements = { (name: String) in
            CBORItem.map([.text("dataElements"): .map([.text("example"): .array([.text(name)])])])
        }
        return [
            try make("a device that signed in the session", .genuine),
            try make("a device whose key may sign this element", .genuine) { $0.authorizations = elements("pin") },
            try make("a device that signed no element", .genuine) {
                ($0.namespaces, $0.authorizations) = (.embedded(.map([:])), nil)
            },
            try make("an element that the device may not sign", .refused(.mdKeyAuth)) { $0.authorizations = nil },
            try make("an element beside those that the device may sign", .refused(.mdKeyAuth)) {
                $0.authorizations = elements("other")
            },
            try make("a namespace beside those that the device may sign", .refused(.mdKeyAuth)) {
                $0.authorizations = .map([.text("nameSpaces"): .array([.text("other")])])
            },
            try make("an element that the issuer signed too", .refused(.mdDoubled)) { $0.sign("family_name") },
            try make("an element beside those that the issuer signed", .genuine) { $0.sign("pin") },
            try make("an element of the issuer's name in another namespace", .genuine) {
                $0.namespaces = .embedded(.map([.text("example"): .map([.text("family_name"): .int(1)])]))
            },
            try make("a device of another document", .refused(.sigInvalid)) {
                $0.key = SignerAuthority.key("symbolon stranger")
            },
            try make("a device that signed for another type", .refused(.sigInvalid)) { $0.type = "other" },
            try make("a bit of the device's signature", .refused(.sigInvalid)) { $0.changeProof = { $0[3] ^= 1 } },
            try make("a bit of the device's signature, and nothing asked", .refused(.sigInvalid)) {
                $0.changeProof = { $0[3] ^= 1 }
                $0.isDemanded = false
            },
            try make("a payload of the device's own", .refused(.mdForm)) { $0.payload = .bytes([1]) },
            try make("a device's signature with a critical label", .refused(.algCrit)) { $0.header = critical },
            try make("a device's signature of another algorithm", .refused(.algMismatch)) {
                $0.header = .map([.int(1): .int(-35)])
            },
            try make("a device's signature whose algorithm is not protected", .refused(.algMismatch)) {
                $0.header = .map([:])
                $0.unprotected = protected
            },
            try make("a device that proves nothing", .refused(.mdForm)) { $0.deviceAuth = { _ in .map([:]) } },
            try make("a device that proves itself in both ways", .refused(.mdForm)) {
                $0.deviceAuth = { .map([.text("deviceSignature"): $0, .text("deviceMac"): $0]) }
            },
            try make("namespaces of the device that are no map", .refused(.mdForm)) {
                $0.namespaces = .embedded(.array([]))
            },
            try make("a namespace of the device that is no map", .refused(.mdForm)) {
                $0.namespaces = .embedded(.map([.text("example"): .int(1)]))
            },
            try make("a namespace of the device without a name", .refused(.mdForm)) {
                $0.namespaces = .embedded(.map([.int(1): .map([:])]))
            },
            try make("an element of the device without a name", .refused(.mdForm)) {
                $0.namespaces = .embedded(.map([.text("example"): .map([.int(1): .int(1)])]))
            },
        ]
    }

    private static func codes() throws -> [KitCase] {
        [
            try make("a MAC of the device in the session", .genuine, mac: true),
            try make("a MAC of the device with its tag", .genuine, mac: true) { $0.tag = 17 },
            try make("a MAC of the device without the reader's key", .notChecked(.kbUnchecked), mac: true) {
                $0.knowsReaderKey = false
            },
            try make("a MAC of another device", .refused(.sigInvalid), mac: true) {
                $0.key = SignerAuthority.key("symbolon stranger")
            },
            try make("a MAC for another reader", .refused(.sigInvalid), mac: true) {
                $0.macReader = SignerAuthority.key("symbolon stranger")
            },
            try make("a MAC of a device whose key is on another curve than the reader's", .refused(.kbSig), mac: true) {
                $0.deviceKey = .map([.int(1): .int(1), .int(-1): .int(4), .int(-2): .bytes([UInt8](1...32))])
            },
            try make("a MAC of a device whose key cannot be read", .refused(.keyCurve), mac: true) {
                $0.deviceKey = .map([.int(1): .int(1), .int(-1): .int(4), .int(-2): .bytes([UInt8](1...31))])
            },
            try make("a MAC in another session", .refused(.sigInvalid), mac: true) {
                $0.session = .array([.null, .null, .text("before")])
            },
            try make("a bit of the MAC", .refused(.sigInvalid), mac: true) { $0.changeProof = { $0[3] ^= 1 } },
            try make("a MAC cut to eight bytes", .refused(.sigInvalid), mac: true) {
                $0.changeProof = { $0 = Array($0.prefix(8)) }
            },
            try make("a MAC of another algorithm", .refused(.algMismatch), mac: true) {
                $0.header = .map([.int(1): .int(4)])
            },
            try make("a MAC whose algorithm is not protected", .refused(.algMismatch), mac: true) {
                $0.unprotected = $0.header
                $0.header = .map([:])
            },
            try make("a MAC with a critical label", .refused(.algCrit), mac: true) {
                $0.header = .map([.int(1): .int(5), .int(2): .array([.int(99)]), .int(99): .int(1)])
            },
            try make("a MAC with the tag of a signature", .refused(.mdForm), mac: true) { $0.tag = 18 },
            try make("a MAC with a payload of the device's own", .refused(.mdForm), mac: true) {
                $0.payload = .bytes([1])
            },
            try make("a signature where the MAC stands", .refused(.sigInvalid), mac: true) {
                $0.changeProof = { $0 = Array(repeating: 1, count: 32) }
            },
        ]
    }
}
