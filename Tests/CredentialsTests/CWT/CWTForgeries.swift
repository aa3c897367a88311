import ByteCoding
import CBOR
import CryptoSuite
import Determinism
import JSON

@testable import Credentials

extension CWTForgery {
    static let good: [CWTForgery] = [
        Self("a token", .genuine) { _ in },
        Self("72: no tag 61", .genuine) { $0.wrap = { .tagged(18, $0) } },
        Self("72: longer integers", .genuine) { s in
            s.payload = .raw(
                [0xA2, 0x18, 0x01] + CBORItem.text(Setting.issuer).encoded + [
                    0x04, 0x1B, 0, 0, 0, 0, 0x7A, 0x43, 0x2B, 0x80,
                ])
        },
        Self("72: a map of indefinite length", .genuine) { s in
            s.payload = .raw([0xBF] + CBORItem.ordered(s.claims).encoded[1...] + [0xFF])
        },
        Self("a protected key identifier", .genuine) {
            $0.protectedHeader = .map([.int(1): .int(-7), .int(4): .bytes(Array("1".utf8))])
            $0.unprotectedHeader = []
        },
        Self("the type of a token", .genuine) {
            $0.protectedHeader = .map([.int(1): .int(-7), .int(16): .text("application/cwt")])
        },
        Self("times that are not whole", .genuine) { $0.set(4, .float(2_051_222_400.5)) },
        Self("36b: no key identifier, one key", .genuine) { $0.unprotectedHeader = [] },
        Self("the name of a key in bytes that are no text", .genuine) {
            $0.unprotectedHeader = [[.int(4), .bytes([0xFF, 0xFE, 1, 2, 3, 4, 5, 6])]]
        },
        Self("an audience that is ours, without a proof of the holder", .refused(.kbMissing)) {
            $0.request.policy.audience = "https://verifier.example"
            $0.set(3, .array([.text("other"), .text("https://verifier.example")]))
        },
    ]

    static let signatures: [CWTForgery] = [
        Self("1: a byte of a claim", .refused(.sigInvalid)) { s in
            var other = s
            other.set(2, .text("did:example:subjecu"))
            s.sentPayload = .bytes(CBORItem.ordered(other.claims).encoded)
        },
        Self("2: a byte of the protected header", .refused(.sigInvalid)) {
            $0.sentProtected = .bytes(CBORItem.map([.int(1): .int(-7), .int(99): .int(1)]).encoded)
        },
        Self("28: an empty protected header as a map, and no algorithm", .refused(.algMismatch)) {
            $0.sentProtected = .bytes([0xA0])
        },
        Self("3: a bit of the signature", .refused(.sigInvalid)) { $0.changeSignature = { $0[3] ^= 1 } },
        Self("4: a short signature", .refused(.sigForm)) { $0.changeSignature = { $0.removeLast() } },
        Self("5: a long signature", .refused(.sigForm)) { $0.changeSignature = { $0.append(0) } },
        Self("6: a signature in DER", .refused(.sigForm)) {
            $0.sign = { (try? SignerAuthority.key("symbolon ds").signDER($0, hash: .sha256)) ?? [] }
        },
        Self("7: zeros", .refused(.sigInvalid)) { $0.changeSignature = { $0 = Array(repeating: 0, count: 64) } },
        Self("8: s at the order", .refused(.sigInvalid)) {
            $0.changeSignature = { $0.replaceSubrange(32..., with: Array(repeating: 0xFF, count: 32)) }
        },
        Self("9: no algorithm", .refused(.algMismatch)) { $0.protectedHeader = .map([:]) },
        Self("10: the algorithm unprotected", .refused(.algMismatch)) {
            $0.protectedHeader = .map([:])
            $0.unprotectedHeader.append([.int(1), .int(-7)])
        },
        Self("11: an unknown algorithm", .notChecked(.algUnknown)) { $0.protectedHeader = .map([.int(1): .int(-999)]) },
        Self("12: an algorithm by name", .notChecked(.algUnknown)) {
            $0.protectedHeader = .map([.int(1): .text("ES256")])
        },
        Self("13: HMAC", .refused(.algMismatch)) { $0.protectedHeader = .map([.int(1): .int(5)]) },
        Self("14: ES256 with a key of secp256k1", .refused(.algMismatch)) { s in
            let key = try ECDSA.PrivateKey(
                curve: .secp256k1, scalar: Secret(copying: SHA256.hash(Array("symbolon k1".utf8))))
            s.addIssuer(Setting.issuer, keys: [("1", key.publicKey)])
            s.sign = { (try? key.sign($0, hash: .sha256)) ?? [] }
        },
        Self("15: ES256K with a key of P-256", .refused(.algMismatch)) {
            $0.protectedHeader = .map([.int(1): .int(-47)])
        },
        Self("16: EdDSA with a key for agreements", .refused(.algMismatch)) { s in
            var entry = TrustedIssuer(Setting.issuer)
            entry.keySet = .object([
                "keys": .array([
                    .object([
                        "kty": "OKP", "crv": "X25519", "kid": "1",
                        "x": .string(Base64URL.encode([UInt8](repeating: 9, count: 32))),
                    ])
                ])
            ])
            entry.document = entry.keySet
            s.request.trust.issuers = [entry]
            s.protectedHeader = .map([.int(1): .int(-8)])
        },
        Self("17: RSA with SHA-1", .refused(.algWeak)) { $0.protectedHeader = .map([.int(1): .int(-65535)]) },
        Self("29: an unknown critical label", .refused(.algCrit)) {
            $0.protectedHeader = .map([.int(1): .int(-7), .int(2): .array([.int(99)]), .int(99): .int(0)])
        },
        Self("30: a critical label that is not there", .refused(.algCrit)) {
            $0.protectedHeader = .map([.int(1): .int(-7), .int(2): .array([.int(16)])])
        },
    ]

    static let forms: [CWTForgery] = [
        Self("18: a MAC", .refused(.mdForm)) { $0.wrap = { .tagged(61, .tagged(17, $0)) } },
        Self("19: COSE_Sign", .refused(.mdForm)) { $0.wrap = { .tagged(61, .tagged(98, $0)) } },
        Self("20: encrypted", .refused(.mdForm)) { $0.wrap = { .tagged(61, .tagged(16, $0)) } },
        Self("21: tag 61 twice", .refused(.parseCBOR)) {
            $0.wrap = { .tagged(61, .tagged(61, .tagged(18, $0))) }
        },
        Self("22: tag 61 alone", .refused(.parseCBOR)) { $0.wrap = { .tagged(61, $0) } },
        Self("22b: no tag", .refused(.parseCBOR)) { $0.wrap = { $0 } },
        Self("23: an array of three", .refused(.parseCBOR)) {
            $0.changeArray = { item in
                guard case .array(let parts) = item else { return item }
                return .array(Array(parts.dropLast()))
            }
        },
        Self("23b: an array of five", .refused(.parseCBOR)) {
            $0.changeArray = { item in
                guard case .array(let parts) = item else { return item }
                return .array(parts + [.null])
            }
        },
        Self("24: no payload", .refused(.mdForm)) { $0.sentPayload = .null },
        Self("25: a payload that is no map", .refused(.parseCBOR)) { $0.payload = .array([]) },
        Self("26: a protected header that is no bytes", .refused(.parseCBOR)) { $0.sentProtected = .map([:]) },
        Self("27: a protected header with an array", .refused(.parseCBOR)) { $0.sentProtected = .bytes([0x80]) },
        Self("31: a label in both headers", .refused(.parseCBOR)) {
            $0.protectedHeader = .map([.int(1): .int(-7), .int(4): .bytes(Array("1".utf8))])
        },
        Self("32: a label twice", .refused(.parseCBOR)) {
            $0.unprotectedHeader = Array(repeating: [.int(4), .bytes(Array("1".utf8))], count: 2)
        },
        Self("33: a claim twice", .refused(.parseCBOR)) { $0.claims.append([.int(4), .int(1)]) },
        Self("34: exp by label and by name", .refused(.parseCBOR)) { $0.claims.append([.text("exp"), .int(1)]) },
        Self("32b: 65 labels in a header", .notChecked(.limitInput)) {
            $0.unprotectedHeader = (100..<165).map { [.int($0), .null] }
        },
        Self("37: two key identifiers", .refused(.parseCBOR)) {
            $0.protectedHeader = .map([.int(1): .int(-7), .int(4): .bytes(Array("2".utf8))])
        },
        Self("65: trailing bytes", .refused(.parseTrailing)) { $0.bytes = $0.encoded + [0] },
        Self("66: a length of 2 to the 62nd", .refused(.parseCBOR)) {
            $0.bytes = [0xD2, 0x84, 0x5B, 0x40, 0, 0, 0, 0, 0, 0, 0]
        },
        Self("67: 10,000 arrays in one another", .notChecked(.limitDepth)) {
            $0.bytes = [0xD2] + Array(repeating: 0x81, count: 10_000) + [0]
        },
        Self("68: a break alone", .refused(.parseCBOR)) { $0.bytes = [0xD2, 0xFF] },
        Self("69: a simple value in two bytes", .refused(.parseCBOR)) { $0.payload = .raw([0xA1, 0x01, 0xF8, 0x18]) },
        Self("70: an issuer that is not UTF-8", .refused(.parseUTF8)) {
            $0.payload = .raw([0xA1, 0x01, 0x62, 0xC3, 0x28])
        },
        Self("71: a signed mobile document", .refused(.mdForm)) { $0.payload = .embedded(.map([:])) },
        Self("a status list", .refused(.jwtTyp)) {
            $0.protectedHeader = .map([.int(1): .int(-7), .int(16): .text("application/statuslist+cwt")])
        },
    ]

    static let claims: [CWTForgery] = [
        Self("35: the key of another issuer", .refused(.issMismatch)) { s in
            let stranger = Signer.stranger
            s.request.trust.methods = ["did:key"]
            s.unprotectedHeader = [[.int(4), .bytes(Array(stranger.method.utf8))]]
            s.sign = { stranger.sign($0) }
        },
        Self("36: no key identifier, two keys", .notChecked(.keyUnresolved)) {
            $0.addIssuer(
                Setting.issuer,
                keys: [
                    ("1", SignerAuthority.key("symbolon ds").publicKey),
                    ("2", SignerAuthority.key("symbolon stranger").publicKey),
                ])
            $0.unprotectedHeader = []
        },
        Self("38: the identifier of another key", .refused(.sigInvalid)) {
            $0.addIssuer(
                Setting.issuer,
                keys: [
                    ("1", SignerAuthority.key("symbolon ds").publicKey),
                    ("2", SignerAuthority.key("symbolon stranger").publicKey),
                ])
            $0.unprotectedHeader = [[.int(4), .bytes(Array("2".utf8))]]
        },
        Self("44: signed by a key in the header", .refused(.sigInvalid)) { s in
            let key = SignerAuthority.key("symbolon stranger")
            s.unprotectedHeader = [
                [.int(4), .bytes(Array("9".utf8))], [.int(-1), MobileDocumentBuilder.coseKey(key.publicKey)],
            ]
            s.sign = { Signer.sign($0, by: "symbolon stranger") }
        },
        Self("44b: a name in bytes that no key has, signed by a stranger", .refused(.sigInvalid)) { s in
            s.unprotectedHeader = [[.int(4), .bytes([0xFF, 0xFE, 1, 2, 3, 4, 5, 6])]]
            s.sign = { Signer.sign($0, by: "symbolon stranger") }
        },
        Self("45: an address of certificates that no key of the issuer is behind", .notChecked(.keyUnresolved)) {
            $0.unprotectedHeader = [[.int(4), .bytes(Array("9".utf8))], [.int(35), .text("https://a.example")]]
            $0.request.trust.issuers = []
        },
        Self("46: an issuer that is not trusted", .notChecked(.keyUnresolved)) { $0.request.trust.issuers = [] },
        Self("46b: a did:key that is not trusted", .notChecked(.trustIssuer)) { s in
            let signer = Signer.p256
            s.set(1, .text(signer.did))
            s.unprotectedHeader = [[.int(4), .bytes(Array(signer.method.utf8))]]
            s.sign = { signer.sign($0) }
        },
        Self("46c: a did:key whose method is trusted", .genuine) { s in
            let signer = Signer.p256
            s.request.trust.methods = ["did:key"]
            s.set(1, .text(signer.did))
            s.unprotectedHeader = [[.int(4), .bytes(Array(signer.method.utf8))]]
            s.sign = { signer.sign($0) }
        },
        Self("47: the key of another", .refused(.issMismatch)) { s in
            let signer = Signer.p256
            s.request.trust.methods = ["did:key"]
            s.unprotectedHeader = [[.int(4), .bytes(Array(signer.method.utf8))]]
            s.sign = { signer.sign($0) }
        },
        Self("48: no issuer", .refused(.vcMissingMember)) { $0.set(1, nil) },
        Self("49: past", .refused(.timeExpired)) { $0.set(4, .int(1_740_000_000)) },
        Self("50: not yet", .refused(.timeFuture)) { $0.set(5, .int(1_760_000_000)) },
        Self("51: issued in the future", .refused(.timeFuture)) { $0.set(6, .int(1_760_000_000)) },
        Self("52: a time as text", .refused(.timeFormat)) { $0.set(4, .text("2035-01-01T00:00:00Z")) },
        Self("53: no number", .refused(.timeFormat)) { $0.set(4, .float(.nan)) },
        Self("53b: infinity", .refused(.timeFormat)) { $0.set(4, .float(.infinity)) },
        Self("54: past and not whole", .refused(.timeExpired)) { $0.set(4, .float(1_740_000_000.5)) },
        Self("55: negative", .refused(.timeExpired)) { $0.set(4, .int(-1)) },
        Self("56: a bignum", .refused(.timeFormat)) { $0.set(4, .tagged(2, .bytes(Array(repeating: 255, count: 9)))) },
        Self("57: tag 1", .refused(.timeFormat)) { $0.set(4, .tagged(1, .int(2_051_222_400))) },
        Self("58: another audience", .refused(.vpDomain)) {
            $0.request.policy.audience = "https://verifier.example"
            $0.set(3, .text("https://other.example"))
        },
        Self("59: revoked by a status list", .refused(.stRevoked)) { addStatus(&$0, value: 1) },
        Self("59b: cleared by a status list", .genuine) { addStatus(&$0, value: 0) },
        Self("60: the status list of another address", .notChecked(.stUri)) { s in
            addStatus(&s, value: 0)
            var sample = StatusSample.ofKey(value: 0)
            sample.claims["sub"] = "https://issuer.example/status/2"
            s.request.trust.statusLists = [sample.pinned]
        },
        Self("64: a negative index of the status list", .refused(.stForm)) {
            $0.set(
                65535,
                .map([.text("status_list"): .map([.text("idx"): .int(-1), .text("uri"): .text("https://a.example")])]))
        },
        Self("a holder's key off its curve", .refused(.keyCurve)) { s in
            let key = SignerAuthority.key("symbolon holder").publicKey
            s.set(
                8,
                .map([
                    .int(1): .map([
                        .int(1): .int(2), .int(-1): .int(1), .int(-2): .bytes(key.x), .int(-3): .bytes(key.x),
                    ])
                ]))
        },
    ]

    static let certificates: [CWTForgery] = [
        Self("certificates of a root for the issuer", .genuine) { try certify(&$0) { _ in } },
        Self("39: a leaf signed by its own key", .notChecked(.x5SelfSigned)) {
            try certify(&$0) {
                $0.signer.issuer = SignerAuthority.signerName
                $0.rootKey = SignerAuthority.key("symbolon ds")
            }
        },
        Self("39b: a leaf signed by its own key that names the issuer", .notChecked(.x5SelfSigned)) {
            try certify(&$0) {
                $0.signer.issuer = SignerAuthority.signerName
                $0.rootKey = SignerAuthority.key("symbolon ds")
                $0.signer.extensions.append(.subjectAlternativeName(uris: [Setting.issuer], hosts: []))
            }
        },
        Self("40d: a leaf of another authority that names the issuer", .notChecked(.x5Anchor)) {
            try certify(&$0) {
                $0.signer.issuer = [.country("US"), .commonName("Other")]
                $0.rootKey = SignerAuthority.key("symbolon stranger")
                $0.signer.extensions.append(.subjectAlternativeName(uris: [Setting.issuer], hosts: []))
            }
        },
        Self("40: an authority that is not pinned", .notChecked(.x5Anchor)) { s in
            try certify(&s) { _ in }
            s.request.trust.roots = []
        },
        Self("40b: a root for another issuer", .notChecked(.x5Anchor)) { s in
            try certify(&s) { _ in }
            s.request.trust.roots[0] = TrustedRoot(
                certificate: s.request.trust.roots[0].certificate,
                purpose: .tokens(issuers: ["did:web:other"], types: []))
        },
        Self("40c: a root for all issuers, and a leaf that does not name this one", .refused(.issMismatch)) { s in
            try certify(&s) { _ in }
            s.request.trust.roots[0] = TrustedRoot(
                certificate: s.request.trust.roots[0].certificate, purpose: .tokens(issuers: [], types: []))
        },
        Self("41: a leaf that did not sign", .refused(.sigInvalid)) { s in
            try certify(&s) { _ in }
            s.sign = { Signer.stranger.sign($0) }
        },
        Self("42: an expired leaf", .refused(.x5Expired)) {
            try certify(&$0) { $0.signer.notAfter = WallTime(millisecondsSinceEpoch: 1_740_787_200_000) }
        },
        Self("43: a leaf for servers", .refused(.x5Eku)) {
            try certify(&$0) {
                $0.signer.extensions = SignerAuthority.signerExtensions(
                    uses: [ASN1Identifier(1, 3, 6, 1, 5, 5, 7, 3, 1)])
            }
        },
    ]

    /// A did:key as issuer, and a reference to its status list.
    private static func addStatus(_ setting: inout Setting, value: UInt8) {
        let sample = StatusSample.ofKey(value: value)
        let signer = sample.signer
        setting.request.policy.setDemand(.required, on: .status)
        setting.request.trust.methods = ["did:key"]
        setting.request.trust.statusLists = [sample.pinned]
        setting.set(1, .text(signer.did))
        setting.set(65535, sample.reference)
        setting.unprotectedHeader = [[.int(4), .bytes(Array(signer.method.utf8))]]
        setting.sign = { signer.sign($0) }
    }

    private static func certify(
        _ setting: inout Setting, _ change: (inout SignerAuthority) throws -> Void
    ) throws {
        var authority = try SignerAuthority()
        setting.request.trust.issuers = []
        setting.request.trust.roots = [
            TrustedRoot(certificate: try authority.rootDER(), purpose: .tokens(issuers: [Setting.issuer], types: []))
        ]
        try change(&authority)
        setting.unprotectedHeader = [[.int(33), .bytes(try authority.signerDER())]]
    }
}
