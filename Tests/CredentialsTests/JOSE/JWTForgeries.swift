import ByteCoding
import CryptoSuite
import JSON

@testable import Credentials

/// Forgeries of a token (JWT), by the numbers of the list that test kits share.
enum JWTForgeries {
    typealias Entry = Forgery<JWTSample>

    static let all =
        form + signature + parsing + header + keys + mapping + type + presentation + status + TokenBindingForgeries.all
        + TokenFormForgeries.all + KeyForgeries.all + TimeForgeries.all

    private static func edit(_ change: @escaping @Sendable (String) -> String) -> @Sendable (inout JWTSample) -> Void {
        { $0.edit = change }
    }

    private static func signature(_ change: @escaping @Sendable (inout [UInt8]) -> Void)
        -> @Sendable (inout JWTSample) -> Void
    {
        edit { TokenEdit.part(2, of: $0, change) }
    }

    private static func algorithm(_ value: JSONValue?) -> @Sendable (inout JWTSample) -> Void {
        { $0.header["alg"] = value }
    }

    private static let form: [Entry] = [
        Entry(
            1, "payload byte", .sigInvalid, nil,
            edit { token in
                TokenEdit.part(1, of: token) { bytes in
                    let text = String(decoding: bytes, as: UTF8.self)
                    bytes = Array(text.split(separator: "Ada").joined(separator: "Eve").utf8)
                }
            }),
        Entry(
            2, "header byte", .sigInvalid, nil,
            edit { token in TokenEdit.part(0, of: token) { $0 = Array("{ ".utf8) + $0.dropFirst() } }),
        Entry(3, "signature bit", .sigInvalid, nil, signature { $0[20] ^= 4 }),
        Entry(4, "signature empty", .sigForm, nil, signature { $0 = [] }),
        Entry(
            5, "two parts", .jwtForm, nil, edit { $0.split(separator: ".").dropLast().joined(separator: ".") }),
        Entry(6, "four parts", .jwtForm, nil, edit { $0 + ".AAAA" }),
        Entry(
            7, "alg none", .algNone, nil,
            { sample in
                sample.header["alg"] = "none"
                sample.edit = { TokenEdit.part(2, of: $0) { $0 = [] } }
            }),
        Entry(8, "alg None", .algNone, nil, algorithm("None")), Entry(8, "alg nONE", .algNone, nil, algorithm("nONE")),
        Entry(9, "HS256", .algMismatch, nil, algorithm("HS256")),
        Entry(10, "RS256 with an EC key", .algMismatch, nil, algorithm("RS256")),
        Entry(11, "ES256K with a P-256 key", .algMismatch, nil, algorithm("ES256K")),
        Entry(12, "EdDSA with an X25519 key", .algMismatch) { sample in
            let key = Multibase.encode([0xEC, 0x01] + [UInt8](repeating: 9, count: 32))
            sample.header["alg"] = "EdDSA"
            sample.header["kid"] = .string("did:key:\(key)#\(key)")
            sample.payload["issuer"] = .string("did:key:\(key)")
        },
        Entry(13, "alg an array", .algMismatch, nil, algorithm(.strings(["ES256"]))),
        Entry(14, "alg missing", .algMismatch, nil, algorithm(nil)),
        Entry(74, "five parts", .jwtForm, nil, edit { $0 + ".AAAA.AAAA" }),
    ]

    private static func large(_ algorithm: String) -> @Sendable (inout JWTSample) -> Void {
        { sample in
            sample.signer = .large
            sample.header["alg"] = .string(algorithm)
            sample.header["kid"] = .string(Signer.large.method)
            sample.payload["issuer"] = .string(Signer.large.did)
        }
    }

    private static func encoded(
        _ algorithm: String, _ sign: @escaping @Sendable (RSA.PrivateKey, [UInt8]) -> [UInt8]?
    ) -> @Sendable (inout JWTSample) -> Void {
        { sample in
            large(algorithm)(&sample)
            sample.edit = { token in
                guard case .rsa(let key) = Signer.large, let end = token.lastIndex(of: ".") else { return token }
                return TokenEdit.part(2, of: token) { $0 = sign(key, Array(token[..<end].utf8)) ?? [] }
            }
        }
    }

    private static let signature: [Entry] = [
        Entry(
            15, "DER", .sigForm, nil,
            signature { $0 = [0x30, 0x45, 0x02, 0x20] + $0.prefix(32) + [2, 0x21, 0] + $0.suffix(32) }),
        Entry(16, "zeros", .sigInvalid, nil, signature { $0 = [UInt8](repeating: 0, count: 64) }),
        Entry(
            17, "s not below the order", .sigInvalid, nil,
            signature { $0 = $0.prefix(32) + [UInt8](repeating: 255, count: 32) }),
        Entry(18, "63 bytes", .sigForm, nil, signature { $0.removeLast() }),
        Entry(19, "65 bytes", .sigForm, nil, signature { $0.append(0) }),
        Entry(
            20, "PS256 without salt", .sigInvalid, nil,
            encoded("PS256") { key, input in try? key.signPSS(input, hash: .sha256, salt: []) }),
        Entry(
            20, "PS256 with a salt of 20", .sigInvalid, nil,
            encoded("PS256") { key, input in
                try? key.signPSS(input, hash: .sha256, salt: [UInt8](repeating: 1, count: 20))
            }),
        Entry(
            22, "PKCS#1 with bytes behind the digest", .sigInvalid, nil,
            encoded("RS256") { key, input in
                var text = RSAEncoding.pkcs1(digest: SHA256.hash(input), hash: .sha256, count: 200)
                text += [UInt8](repeating: 0xAB, count: 56)
                return try? key.sign(encoded: text)
            }),
        Entry(
            23, "longer than the modulus", .sigForm, nil,
            encoded("RS256") { key, input in (try? key.signPKCS1(input, hash: .sha256)).map { [0] + $0 } }),
    ]

    private static let parsing: [Entry] = [
        Entry(24, "padding", .parseBase64, nil, edit { $0 + "=" }),
        Entry(
            25, "the other alphabet", .parseBase64, nil,
            edit { TokenEdit.text(2, of: $0) { "+/" + $0.dropFirst(2) } }),
        Entry(
            26, "newline inside", .parseBase64, nil,
            edit { TokenEdit.text(1, of: $0) { $0.prefix(8) + "\n" + $0.dropFirst(8) } }),
        Entry(27, "trailing bits", .parseBase64, nil, edit { $0.dropLast() + "B" }),
        Entry(28, "header an array", .jwtForm) { $0.headerText = "[]" },
        Entry(29, "payload no JSON", .parseJSON) { $0.payloadBytes = Array("hello".utf8) },
        Entry(30, "payload UTF-16", .parseUTF8) { sample in
            sample.payloadBytes = sample.payload.text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        },
        Entry(31, "alg twice", .parseDuplicateKey) { sample in
            sample.headerText = "{\"alg\":\"none\"," + sample.header.text.dropFirst()
        },
        Entry(32, "exp twice", .parseDuplicateKey) { sample in
            sample.payloadBytes = Array(("{\"exp\":1,\"exp\":2," + sample.payload.text.dropFirst()).utf8)
        },
        Entry(73, "arrays in arrays", .limitDepth) { sample in
            sample.payloadBytes = Array(
                ("{\"a\":" + String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000) + "}").utf8)
        },
    ]

    private static let header: [Entry] = [
        Entry(33, "crit unknown", .algCrit) { sample in
            sample.header["crit"] = .strings(["x"])
            sample.header["x"] = .int(1)
        },
        Entry(34, "crit empty", .algCrit) { $0.header["crit"] = .array([]) },
        Entry(35, "b64 false", .algB64) { sample in
            sample.header["b64"] = .bool(false)
            sample.header["crit"] = .strings(["b64"])
        },
        Entry(36, "zip", .algCrit) { $0.header["zip"] = "DEF" },
        Entry(37, "own key in the header", .sigInvalid) { sample in
            sample.signer = .stranger
            sample.header["jwk"] = .object(Signer.stranger.jwk)
        },
        Entry(38, "address of a key set", .sigInvalid) { sample in
            sample.signer = .stranger
            sample.header["jku"] = "https://attacker.example/keys"
        },
        Entry(39, "address of a certificate", .sigInvalid) { sample in
            sample.signer = .stranger
            sample.header["x5u"] = "https://attacker.example/cert"
        },
    ]

    private static let keys: [Entry] = [
        Entry(42, "key of another trusted issuer", .issMismatch) { sample in
            sample.signer = .edwards
            sample.header["alg"] = "EdDSA"
            sample.header["kid"] = .string(Signer.edwards.method)
        },
        Entry(43, "kid with a path", .keyUnresolved) { sample in
            sample.header["kid"] = .string(Signer.p256.did + "/../" + Signer.p256.method)
        },
        Entry(44, "no kid and two keys", .keyUnresolved) { sample in
            sample.header["kid"] = nil
            sample.payload["issuer"] = "https://issuer.example"
            sample.pin([Signer.p256.jwk, Signer.stranger.jwk], for: "https://issuer.example")
        },
        Entry(45, "key of a trusted DID and another iss", .jwtMapping) { $0.payload["iss"] = "https://issuer.example" },
        Entry(63, "issuer not trusted", .trustIssuer) { $0.request.trust.methods = [] },
        Entry(76, "RSA key of 1024 bits", .algWeak) { sample in
            let jwk: JSONObject = [
                "kty": "RSA", "n": .string(Base64URL.encode([UInt8](repeating: 0xC5, count: 128))), "e": "AQAB",
            ]
            let did = "did:jwk:" + Base64URL.encode(jwk.encoded)
            sample.header["alg"] = "RS256"
            sample.header["kid"] = .string(did + "#0")
            sample.payload["issuer"] = .string(did)
        },
    ]

    private static func former(_ change: @escaping @Sendable (inout JWTSample) -> Void)
        -> @Sendable (inout JWTSample) -> Void
    {
        { sample in
            sample = .former
            change(&sample)
        }
    }

    private static let mapping: [Entry] = [
        Entry(46, "iss and issuer", .jwtMapping, nil, former { $0.setFormer("issuer", .string(Signer.edwards.did)) }),
        Entry(47, "sub and subject", .jwtMapping, nil, former { $0.payload["sub"] = "did:example:eve" }),
        Entry(48, "jti and id", .jwtMapping, nil, former { $0.payload["jti"] = "urn:uuid:2" }),
        Entry(49, "exp and expirationDate", .jwtMapping, nil, former { $0.payload["exp"] = .int(2_051_222_401) }),
        Entry(50, "nbf and issuanceDate", .jwtMapping, nil, former { $0.payload["nbf"] = .int(1_735_689_000) }),
        Entry(51, "vc in vc+jwt", .jwtForm) { $0.payload["vc"] = .object(JWTSample.credential) },
        Entry(52, "no vc in a JWT", .jwtForm) { $0.header["typ"] = "JWT" },
    ]

    private static let type: [Entry] = [
        Entry(53, "type of a presentation", .jwtTyp) { $0.header["typ"] = "vp+jwt" },
        Entry(54, "type of an SD-JWT", .jwtTyp) { $0.header["typ"] = "dc+sd-jwt" },
        Entry(55, "type missing", .jwtTyp) { $0.header["typ"] = nil },
        Entry(56, "exp past", .timeExpired) { $0.payload["exp"] = .int(1_735_689_650) },
        Entry(57, "nbf future", .timeFuture) { $0.payload["nbf"] = .int(1_735_700_000) },
        Entry(58, "iat future", .timeFuture) { $0.payload["iat"] = .int(1_735_700_000) },
        Entry(59, "exp a text", .timeFormat) { $0.payload["exp"] = "2051222400" },
        Entry(60, "validUntil past and exp future", .timeExpired) { sample in
            sample.payload["exp"] = .int(2_051_222_400)
            sample.payload["validUntil"] = "2025-01-01T00:00:10Z"
        },
        Entry(61, "no VerifiableCredential", .vcType) { $0.payload["type"] = .strings(["Example"]) },
        Entry(62, "first context", .vcContextFirst) {
            $0.payload["@context"] = .strings(["https://www.w3.org/2018/credentials/v1"])
        },
        Entry(75, "proof of a holder's key", .jwtTyp) { $0.header["typ"] = "kb+jwt" },
        Entry(77, "issuanceDate in version 2.0", .vcType) { $0.payload["issuanceDate"] = "2025-01-01T00:00:00Z" },
        Entry(78, "validFrom after validUntil", .timeOrder) { $0.payload["validFrom"] = "2036-01-01T00:00:00Z" },
        Entry(79, "a day that the calendar does not have", .timeFormat) {
            $0.payload["validFrom"] = "2025-02-30T00:00:00Z"
        },
        Entry(80, "no issuer", .vcMissingMember) { $0.payload["issuer"] = nil },
        Entry(81, "type other than asked", .vcType) { $0.request.policy.types = ["Other"] },
    ]

    private static func presenting(
        _ change: @escaping @Sendable (inout JWTSample) -> Void
    ) -> @Sendable (inout JWTSample) -> Void {
        { sample in
            sample = .presentation(of: JWTSample().text)
            change(&sample)
        }
    }

    private static let presentation: [Entry] = [
        Entry(64, "other audience", .vpDomain, nil, presenting { $0.payload["aud"] = "https://other.example" }),
        Entry(65, "other nonce", .vpChallenge, nil, presenting { $0.payload["nonce"] = "n-2" }),
        Entry(66, "nonce missing", .vpChallenge, nil, presenting { $0.payload["nonce"] = nil }),
        Entry(67, "iss and holder", .jwtMapping, nil, presenting { $0.payload["iss"] = .string(Signer.edwards.did) }),
        Entry(68, "credential inside changed", .sigInvalid) { sample in
            let inner = TokenEdit.part(2, of: JWTSample().text) { $0[5] ^= 1 }
            sample = .presentation(of: inner)
        },
        Entry(
            69, "signer not the subject", .holderUnbound, nil,
            presenting { sample in
                sample.signer = .stranger
                sample.header["kid"] = .string(Signer.stranger.method)
                sample.payload["holder"] = .string(Signer.stranger.did)
            }),
        Entry(70, "media type", .jwtTyp) { $0 = .presentation(of: JWTSample().text, media: "jwt") },
        Entry(82, "a presentation inside", .jwtTyp) { sample in
            sample = .presentation(of: JWTSample.presentation(of: JWTSample().text).text)
        },
        Entry(83, "no credential", .vcMissingMember, nil, presenting { $0.payload["verifiableCredential"] = nil }),
    ]

    private static let status: [Entry] = [
        Entry(71, "revoked", .stRevoked) { BitstringSample(bits: [5]).put(into: &$0, index: 5) },
        Entry(72, "list of another issuer", .stSig) { sample in
            var list = BitstringSample(bits: [])
            list.signer = .edwards
            list.put(into: &sample, index: 5)
        },
        Entry(84, "suspended", .stSuspended) { sample in
            var list = BitstringSample(bits: [5])
            list.purpose = "suspension"
            list.put(into: &sample, index: 5)
        },
        Entry(85, "list for another purpose", .stPurpose) { sample in
            var list = BitstringSample(bits: [])
            list.listPurpose = "suspension"
            list.put(into: &sample, index: 5)
        },
        Entry(86, "index beyond", .stRange) { BitstringSample(bits: []).put(into: &$0, index: 131_072) },
        Entry(87, "short list", .stLength) { sample in
            var list = BitstringSample(bits: [])
            list.byteCount = 13
            list.put(into: &sample, index: 5)
        },
        Entry(88, "list of another address", .stUri) { sample in
            var list = BitstringSample(bits: [])
            list.id = "https://issuer.example/other"
            list.put(into: &sample, index: 5)
        },
        Entry(89, "no list at hand", .stUnknown) { sample in
            BitstringSample(bits: []).put(into: &sample, index: 5)
            sample.request.trust.statusLists = []
        },
        Entry(90, "no list at hand and status required", .stUnknown) { sample in
            BitstringSample(bits: []).put(into: &sample, index: 5)
            sample.request.trust.statusLists = []
            sample.request.policy.setDemand(.required, on: .status)
        },
    ]

    static let twins: [Entry] =
        TokenBindingForgeries.twins + KeyForgeries.twins + [
            Entry(1, "RS256", .sigInvalid, .genuine, large("RS256")),
            Entry(2, "PS256", .sigInvalid, .genuine, large("PS256")),
            Entry(3, "ES256K", .sigInvalid, .genuine) { sample in
                sample.signer = .k1
                sample.header["alg"] = "ES256K"
                sample.header["kid"] = .string(Signer.k1.method)
                sample.payload["issuer"] = .string(Signer.k1.did)
            },
            Entry(4, "ES384", .sigInvalid, .genuine) { sample in
                sample.signer = .p384
                sample.header["alg"] = "ES384"
                sample.header["kid"] = .string(Signer.p384.method)
                sample.payload["issuer"] = .string(Signer.p384.did)
            },
            Entry(5, "exp 1e300", .sigInvalid, .genuine) {
                $0.payload["exp"] = .number(JSONNumber(text: "1e300") ?? JSONNumber(1))
            },
            Entry(6, "claims outside alone", .sigInvalid, .genuine) { sample in
                sample = .former
                for name in ["id", "issuer", "issuanceDate", "expirationDate"] { sample.setFormer(name, nil) }
            },
            Entry(7, "issuer an object", .sigInvalid, .genuine) {
                $0.payload["issuer"] = .object(["id": .string(Signer.p256.did), "name": "Example"])
            },
            Entry(8, "pinned key set and no kid", .sigInvalid, .genuine) { sample in
                sample.header["kid"] = nil
                sample.payload["issuer"] = "https://issuer.example"
                sample.pin([Signer.p256.jwk, Signer.p384.jwk], for: "https://issuer.example")
            },
            Entry(9, "status good", .sigInvalid, .genuine) { BitstringSample(bits: [4, 6]).put(into: &$0, index: 5) },
            Entry(10, "own key in the header and right signature", .sigInvalid, .genuine) {
                $0.header["jwk"] = .object(Signer.stranger.jwk)
            },
            Entry(11, "audience an array", .sigInvalid, .genuine) { sample in
                sample = .presentation(of: JWTSample().text)
                sample.payload["aud"] = .strings(["https://verifier.example", "https://other.example"])
            },
            Entry(12, "presentation of version 1.1", .sigInvalid, .genuine) { sample in
                let credential = JWTSample.former.text
                sample = .presentation(of: credential)
                sample.header["typ"] = "JWT"
                sample.payload = [
                    "iss": .string(Signer.holder.did), "aud": "https://verifier.example", "nonce": "n-1",
                    "vp": .object([
                        "@context": .strings(["https://www.w3.org/2018/credentials/v1"]),
                        "type": .strings(["VerifiablePresentation"]), "verifiableCredential": .strings([credential]),
                    ]),
                ]
            },
        ]
}
