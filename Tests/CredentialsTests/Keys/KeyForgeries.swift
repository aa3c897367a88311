import ByteCoding
import CryptoSuite
import JSON

@testable import Credentials

/// Tokens whose key is named or written in a way that no key may be.
enum KeyForgeries {
    typealias Entry = Forgery<JWTSample>

    static let all = names + sets + written + encoded + methods + pemForgeries

    private static let issuer = "https://issuer.example"

    /// Names the signer's key by a did:jwk.
    private static func jwk(
        fragment: String = "#0", _ change: @escaping @Sendable (inout JSONObject) -> Void = { _ in }
    ) -> @Sendable (inout JWTSample) -> Void {
        { sample in
            var jwk = Signer.p256.jwk
            change(&jwk)
            let did = "did:jwk:" + Base64URL.encode(jwk.encoded)
            sample.payload["issuer"] = .string(did)
            sample.header["kid"] = .string(did + fragment)
        }
    }

    /// Lets the issuer be one with an address, whose document this is.
    private static func document(
        kid: String? = "1", _ document: @escaping @Sendable (JSONObject) -> JSONObject,
        keys: (@Sendable (JSONObject) -> JSONObject)? = nil
    ) -> @Sendable (inout JWTSample) -> Void {
        { sample in
            var jwk = Signer.p256.jwk
            jwk["kid"] = "1"
            var entry = TrustedIssuer(issuer)
            entry.document = .object(document(jwk))
            entry.keySet = keys.map { .object($0(jwk)) }
            sample.request.trust.issuers = [entry]
            sample.header["kid"] = kid.map { .string($0) }
            sample.payload["issuer"] = .string(issuer)
        }
    }

    /// Pins a key document for the issuer.
    private static func pinned(
        at address: String = issuer + "/key", _ change: @escaping @Sendable (inout JSONObject) -> Void
    ) -> @Sendable (inout JWTSample) -> Void {
        { sample in
            var document: JSONObject = [
                "id": .string(address), "type": "JsonWebKey2020", "controller": .string(issuer),
                "publicKeyJwk": .object(Signer.p256.jwk),
            ]
            change(&document)
            sample.request.trust.keys = [
                PinnedKey(address: address, document: .object(document), issuers: [issuer])
            ]
            sample.header["kid"] = .string(address)
            sample.payload["issuer"] = .string(issuer)
        }
    }

    /// The key in PEM, after a change of its bytes.
    private static func pem(
        of signer: Signer = .p256, begin: String = "PUBLIC KEY", end: String = "PUBLIC KEY",
        _ change: @escaping @Sendable (inout [UInt8]) -> Void = { _ in }
    ) -> @Sendable (inout JWTSample) -> Void {
        pinned { document in
            document["publicKeyJwk"] = nil
            document["publicKeyPem"] = .string(
                signer.publicKeyPEM(change)
                    .replacing("BEGIN PUBLIC KEY", with: "BEGIN \(begin)")
                    .replacing("END PUBLIC KEY", with: "END \(end)"))
        }
    }

    private static let names: [Entry] = [
        Entry(0, "a fragment of another key than the issuer's", .keyUnresolved) { $0.header["kid"] = "#other" },
        Entry(0, "a second key of a did:jwk", .keyForm, nil, jwk(fragment: "#1")),
        Entry(
            0, "a key document with another identifier", .keyController, nil,
            pinned { $0["id"] = .string(issuer + "/other") }),
        Entry(
            0, "a pinned key of another controller", .keyController, nil,
            pinned { $0["controller"] = "https://other.example" }),
        Entry(
            0, "a key named by a path of a DID", .keyUnresolved, nil,
            pinned(at: "did:web:issuer.example/keys#1") { _ in }),
    ]

    private static let sets: [Entry] = [
        Entry(
            0, "two keys of one name in a key set", .keyUnresolved, nil,
            document { ["keys": .array([.object($0), .object($0)])] }),
        Entry(0, "a text in a key set", .keyForm, nil, document { ["keys": .array([.object($0), "x"])] }),
        Entry(
            0, "metadata that brings its keys twice", .keyForm, nil,
            document { key in
                [
                    "issuer": .string(issuer), "jwks": .object(["keys": .array([.object(key)])]),
                    "jwks_uri": .string(issuer + "/keys"),
                ]
            }),
        Entry(
            0, "a key for another algorithm alone", .algMismatch, nil,
            document { key in
                var key = key
                key["alg"] = "ES384"
                return ["keys": .array([.object(key)])]
            }),
    ]

    private static let written: [Entry] = [
        Entry(
            0, "coordinates of a key cut at another place", .keyForm, nil,
            jwk { jwk in
                guard case .ecdsa(let key) = Signer.p256 else { return }
                let (x, y) = (key.publicKey.x, key.publicKey.y)
                jwk["x"] = .string(Base64URL.encode(Array(x.dropLast())))
                jwk["y"] = .string(Base64URL.encode(Array(x.suffix(1)) + y))
            }),
        Entry(0, "a compressed point that begins with 5", .keyForm) { sample in
            guard case .ecdsa(let key) = Signer.p256 else { return }
            let text = Multibase.encode([0x80, 0x24, 5] + key.publicKey.x)
            sample.payload["issuer"] = .string("did:key:" + text)
            sample.header["kid"] = .string("did:key:" + text + "#" + text)
        },
        Entry(0, "a block of PEM that begins as a certificate", .keyForm, nil, pem(begin: "CERTIFICATE")),
        Entry(0, "a block of PEM that ends as a certificate", .keyForm, nil, pem(end: "CERTIFICATE")),
        Entry(0, "a byte behind a key in PEM", .keyForm, nil, pem { $0.append(0) }),
        Entry(
            0, "an element more in a key in PEM", .keyForm, nil,
            pem { bytes in
                bytes[1] += 2
                bytes += [5, 0]
            }),
        Entry(
            0, "a bit that is not used in a key in PEM", .keyForm, nil,
            pem { bytes in
                // Behind the sequence of the algorithm: the tag, the length, then how many bits are not used.
                bytes[2 + 2 + Int(bytes[3]) + 2] = 1
            }),
    ]

    /// Names the signer's RSA key by a did:key of these elements.
    private static func integers(
        _ change:
            @escaping @Sendable (_ modulus: inout [UInt8], _ exponent: inout [UInt8], _ rest: inout [UInt8]) -> Void = {
                _, _, _ in
            },
        _ wrap: @escaping @Sendable ([UInt8]) -> [UInt8] = {
            [0x30, 0x82, UInt8($0.count >> 8), UInt8($0.count & 255)] + $0
        }
    ) -> @Sendable (inout JWTSample) -> Void {
        { sample in
            guard case .rsa(let key) = Signer.large else { return }
            var modulus = [0x02, 0x82, 0x01, 0x01, 0x00] + key.publicKey.modulus
            var exponent: [UInt8] = [0x02, 0x03, 0x01, 0x00, 0x01]
            var rest: [UInt8] = []
            change(&modulus, &exponent, &rest)
            let text = Multibase.encode([0x85, 0x24] + wrap(modulus + exponent + rest))
            sample.signer = .large
            sample.header["alg"] = "RS256"
            sample.header["kid"] = .string("did:key:" + text + "#" + text)
            sample.payload["issuer"] = .string("did:key:" + text)
        }
    }

    /// Lets the issuer be one with an address, whose key the trust file has in PEM.
    private static func inPEM(
        signer: Signer = .p256, kid: String? = nil
    ) -> @Sendable (inout JWTSample) -> Void {
        { sample in
            var entry = TrustedIssuer(issuer)
            entry.pemKey = try? VerificationKey(pem: Array(Signer.p256.publicKeyPEM().utf8))
            sample.request.trust.issuers = [entry]
            sample.signer = signer
            sample.header["alg"] = .string(signer.algorithm)
            sample.header["kid"] = kid.map { .string($0) }
            sample.payload["issuer"] = .string(issuer)
        }
    }

    private static let pemForgeries: [Entry] = [
        Entry(0, "another key than the issuer's in PEM", .sigInvalid, nil, inPEM(signer: .stranger)),
        Entry(0, "an algorithm of another curve than the issuer's key in PEM", .algMismatch, nil, inPEM(signer: .p384)),
        Entry(
            0, "a did:key beside the issuer's key in PEM", .issMismatch, nil,
            inPEM(signer: .stranger, kid: Signer.stranger.method)),
    ]

    private static let pemTwins: [Entry] = [
        Entry(0, "the issuer's key in PEM", .sigInvalid, .genuine, inPEM()),
        Entry(0, "the issuer's key in PEM under any name", .sigInvalid, .genuine, inPEM(kid: "1")),
    ]

    /// Names the signer's key by a did:key with these bytes in base64url.
    private static func base64URL(_ bytes: [UInt8]) -> @Sendable (inout JWTSample) -> Void {
        { sample in
            let text = "u" + Base64URL.encode(bytes)
            sample.payload["issuer"] = .string("did:key:" + text)
            sample.header["kid"] = .string("did:key:" + text + "#" + text)
        }
    }

    /// Lets a signer with a did:key issue.
    private static func keyed(by signer: Signer) -> @Sendable (inout JWTSample) -> Void {
        { sample in
            sample.signer = signer
            sample.header["alg"] = .string(signer.algorithm)
            sample.header["kid"] = .string(signer.method)
            sample.payload["issuer"] = .string(signer.did)
        }
    }

    private static let encoded: [Entry] = [
        Entry(
            0, "a key of Ed25519 in PEM with a byte less", .keyForm, nil,
            pem(of: .edwards, Signer.shortenKey)),
        Entry(0, "an element more in an RSA key", .keyForm, nil, integers { _, _, rest in rest = [5, 1, 0] }),
        Entry(
            0, "a byte behind an RSA key", .keyForm, nil,
            integers({ _, _, _ in }, { [0x30, 0x82, UInt8($0.count >> 8), UInt8($0.count & 255)] + $0 + [0] })),
        Entry(
            0, "a length of three bytes in an RSA key", .keyForm, nil,
            integers({ _, _, _ in }, { [0x30, 0x83, 0, UInt8($0.count >> 8), UInt8($0.count & 255)] + $0 })),
        Entry(
            0, "an RSA key that ends in its length", .keyForm, nil, integers({ _, _, _ in }, { _ in [0x30, 0x82, 1] })),
        Entry(0, "an exponent that is no integer", .keyForm, nil, integers { _, exponent, _ in exponent[0] = 3 }),
        Entry(0, "an exponent without a byte", .keyForm, nil, integers { _, exponent, _ in exponent = [2, 0] }),
        Entry(0, "an exponent longer than its key", .keyForm, nil, integers { _, exponent, _ in exponent[1] = 5 }),
        Entry(
            0, "a coordinate with padding", .parseBase64, nil,
            jwk { jwk in jwk["x"] = .string((jwk["x"]?.string ?? "") + "=") }),
        Entry(0, "a did:jwk with padding", .parseBase64) { sample in
            // Of three names of different lengths, one gives a text that is padded.
            for name in ["1", "12", "123"] {
                var jwk = Signer.p256.jwk
                jwk["kid"] = .string(name)
                let did = "did:jwk:" + Base64URL.encode(jwk.encoded, isPadded: true)
                sample.payload["issuer"] = .string(did)
                sample.header["kid"] = .string(did + "#0")
                if did.hasSuffix("=") { return }
            }
        },
    ]

    // MARK: - Methods of DID documents

    private static let did = "did:web:issuer.example"

    /// Lets the issuer be one with a DID document of this method.
    private static func method(
        kid: String? = did + "#1", _ more: JSONObject = [:], listed: JSONValue = .strings([did + "#1"]),
        in document: JSONObject = [:], signer: Signer = .p256, algorithm: String? = nil,
        _ change: @escaping @Sendable (inout JWTSample) -> Void = { _ in }
    ) -> @Sendable (inout JWTSample) -> Void {
        { sample in
            var method: JSONObject = [
                "id": .string(did + "#1"), "type": "JsonWebKey2020", "controller": .string(did),
            ]
            for member in more { method[member.name] = member.value == .null ? nil : member.value }
            if !method.names.contains(where: { $0.hasPrefix("publicKey") }) {
                method["publicKeyJwk"] = .object(signer.jwk)
            }
            var whole: JSONObject = [
                "id": .string(did), "verificationMethod": .array([.object(method)]), "assertionMethod": listed,
            ]
            for member in document {
                whole[member.name] = member.value == .null ? nil : member.value
            }
            if whole["publicKey"] != nil { whole["publicKey"] = .array([.object(method)]) }
            var entry = TrustedIssuer(did)
            entry.document = .object(whole)
            sample.request.trust.issuers = [entry]
            sample.header["alg"] = .string(algorithm ?? signer.algorithm)
            sample.header["kid"] = kid.map { .string($0) }
            sample.payload["issuer"] = .string(did)
            sample.signer = signer
            change(&sample)
        }
    }

    private static let otherMethod: JSONObject = [
        "id": .string(did + "#2"), "type": "JsonWebKey2020", "controller": .string(did),
        "publicKeyJwk": .object(Signer.p384.jwk),
    ]

    /// The raw key of a signer, compressed where it is a point.
    private static func raw(_ signer: Signer) -> [UInt8] {
        switch signer {
        case .ecdsa(let key): key.publicKey.compressed
        case .ed25519(let seed): (try? Ed25519.publicKey(for: seed)) ?? []
        case .rsa: []
        }
    }

    private static func controllerListed(_ sample: inout JWTSample) {
        sample.request.trust.issuers[0].relationships = .controllerListed
    }

    private static let methods: [Entry] = [
        Entry(
            0, "a document that lists its owner in the place of a key", .keyNotListed, nil,
            method(
                listed: .strings([did]))),
        Entry(
            0, "a document that lists neither its owner nor the key", .keyNotListed, nil,
            method(
                listed: .strings([did + "#2"]), controllerListed)),
        Entry(0, "a document that lists keys in an object", .keyForm, nil, method(listed: .object([:]))),
        Entry(
            0, "a key of another controller than the document's", .keyController, nil,
            method(
                ["controller": "did:web:other.example"], in: ["controller": .strings(["did:web:third.example"])])),
        Entry(
            0, "a method for another algorithm", .algMismatch, nil,
            method(
                ["publicKeyJwk": .object(jwk(["alg": "ES384"]))])),
        Entry(0, "a method for encryption", .keyPurpose, nil, method(["publicKeyJwk": .object(jwk(["use": "enc"]))])),
        Entry(0, "a key in base 58 with another letter", .keyForm, nil, method(["publicKeyBase58": "0"])),
        Entry(0, "a key in hexadecimal digits with another letter", .keyForm, nil, method(["publicKeyHex": "0g"])),
        Entry(
            0, "a point in hexadecimal digits under the type of no curve", .keyForm, nil,
            method(
                ["type": "JsonWebKey2020", "publicKeyHex": .string(Hex.encode(raw(.p256)))])),
        Entry(0, "a key of another kind of value", .keyForm, nil, method(["publicKeyHex": .int(5)])),
        Entry(
            0, "a key that ends within the tolerance, before the token was issued", .keyRevoked, nil,
            method(
                ["expires": "2025-01-01T00:03:00Z"], { $0.payload["iat"] = .int(1_735_689_800) })),
        Entry(
            0, "a key beside its secret part", .keyPrivate, nil,
            method(["secretKeyMultibase": "z1"])),
        Entry(0, "a key whose end is a number", .timeFormat, nil, method(["expires": .int(5)])),
        Entry(
            0, "a key that is a shared secret", .algMismatch, nil,
            method(["publicKeyJwk": .object(["kty": "oct", "k": "AAAA"])])),
        Entry(
            0, "an RSA key without its exponent", .keyForm, nil,
            method(["publicKeyJwk": .object(["kty": "RSA", "n": Signer.large.jwk["n"] ?? .null])])),
        Entry(
            0, "a key of Ed25519 in base 58 under the type of another kind", .keyForm, nil,
            method(
                ["type": "JsonWebKey2020", "publicKeyBase58": .string(Base58.encode(raw(.edwards)))],
                signer: .edwards)),
        Entry(0, "the name of a key that the document does not have", .keyUnresolved, nil, method(kid: "2")),
        Entry(
            0, "metadata whose key set is not here", .keyUnresolved, nil,
            document { _ in
                ["issuer": .string(issuer), "jwks_uri": .string(issuer + "/keys")]
            }),
    ]

    private static func jwk(_ more: JSONObject, of signer: Signer = .p256) -> JSONObject {
        var jwk = signer.jwk
        for member in more { jwk[member.name] = member.value }
        return jwk
    }

    private static let methodTwins: [Entry] = [
        Entry(0, "a key of a document", .sigInvalid, .genuine, method()),
        Entry(
            0, "a document that lists its owner, where that is taken", .sigInvalid, .genuine,
            method(
                listed: .strings([did]), controllerListed)),
        Entry(0, "a document that lists a key in a text", .sigInvalid, .genuine, method(listed: .string(did + "#1"))),
        Entry(
            0, "a document that lists a key by its fragment", .sigInvalid, .genuine, method(listed: .strings(["#1"]))),
        Entry(0, "the fragment of a document's key", .sigInvalid, .genuine, method(kid: "1")),
        Entry(0, "the fragment of a document's key with its sign", .sigInvalid, .genuine, method(kid: "#1")),
        Entry(0, "no name of the key of a document", .sigInvalid, .genuine, method(kid: nil)),
        Entry(
            0, "no name of the key that a document holds where it lists it", .sigInvalid, .genuine,
            method(
                kid: nil,
                listed: .array([
                    .object([
                        "id": .string(did + "#1"), "type": "JsonWebKey2020", "controller": .string(did),
                        "publicKeyJwk": .object(Signer.p256.jwk),
                    ])
                ]), in: ["verificationMethod": .null])),
        Entry(
            0, "no name of the one of two keys that fits", .sigInvalid, .genuine,
            method(
                kid: nil, listed: .strings([did + "#1", did + "#2"])
            ) { sample in
                guard var document = sample.request.trust.issuers[0].document?.object else { return }
                document["verificationMethod"] = .array(
                    (document["verificationMethod"]?.array ?? []) + [.object(otherMethod)])
                sample.request.trust.issuers[0].document = .object(document)
            }),
        Entry(
            0, "the former name of the list of keys", .sigInvalid, .genuine,
            method(
                in: ["verificationMethod": .null, "publicKey": .array([])])),
        Entry(
            0, "a key of the document's controller", .sigInvalid, .genuine,
            method(
                ["controller": "did:web:other.example"], in: ["controller": "did:web:other.example"])),
        Entry(
            0, "a key of one of the document's controllers", .sigInvalid, .genuine,
            method(
                ["controller": "did:web:other.example"],
                in: ["controller": .strings(["did:web:third.example", "did:web:other.example"])])),
        Entry(0, "a key without a type", .sigInvalid, .genuine, method(["type": .null])),
        Entry(0, "a key that ends later", .sigInvalid, .genuine, method(["expires": "2030-01-01T00:00:00Z"])),
        Entry(
            0, "a key that was revoked later and whose end comes later still", .sigInvalid, .genuine,
            method(["revoked": "2030-01-01T00:00:00Z", "expires": "2031-01-01T00:00:00Z"])),
        Entry(
            0, "a key for EdDSA under the other name of the algorithm", .sigInvalid, .genuine,
            method(
                ["publicKeyJwk": .object(jwk(["alg": "EdDSA"], of: .edwards))], signer: .edwards, algorithm: "Ed25519")),
        Entry(
            0, "metadata beside its key set", .sigInvalid, .genuine,
            document(
                { _ in ["issuer": .string(issuer), "jwks_uri": .string(issuer + "/keys")] },
                keys: { key in
                    ["keys": .array([.object(key)])]
                })),
        Entry(0, "a pinned key whose address the credential names as its issuer", .sigInvalid, .genuine) { sample in
            pinned(at: issuer + "#1") { $0["controller"] = nil }(&sample)
            let address = issuer + "#1"
            sample.request.trust.keys = sample.request.trust.keys.map {
                PinnedKey(address: address, document: $0.document, issuers: [address])
            }
            sample.payload["issuer"] = .string(address)
        },
        Entry(
            0, "a key of Ed25519 in base 58", .sigInvalid, .genuine,
            method(
                ["type": "Ed25519VerificationKey2018", "publicKeyBase58": .string(Base58.encode(raw(.edwards)))],
                signer: .edwards)),
        Entry(
            0, "a key of secp256k1 in hexadecimal digits", .sigInvalid, .genuine,
            method(
                ["type": "EcdsaSecp256k1VerificationKey2019", "publicKeyHex": .string(Hex.encode(raw(.k1)))],
                signer: .k1)),
        Entry(
            0, "a key of P-256 in hexadecimal digits", .sigInvalid, .genuine,
            method(
                ["type": "EcdsaSecp256r1VerificationKey2019", "publicKeyHex": .string(Hex.encode(raw(.p256)))])),
        Entry(
            0, "another key of P-256 in hexadecimal digits", .sigInvalid, .genuine,
            method(
                ["type": "EcdsaSecp256r1VerificationKey2019", "publicKeyHex": .string(Hex.encode(raw(.holder)))],
                signer: .holder)),
        Entry(
            0, "a third key of P-256 in hexadecimal digits", .sigInvalid, .genuine,
            method(
                ["type": "EcdsaSecp256r1VerificationKey2019", "publicKeyHex": .string(Hex.encode(raw(.stranger)))],
                signer: .stranger)),
        Entry(
            0, "an RSA key in PEM", .sigInvalid, .genuine,
            method(
                ["publicKeyPem": .string(Signer.large.publicKeyPEM())], signer: .large, algorithm: "RS256")),
        Entry(
            0, "a key for Ed25519 under the other name of its algorithm", .sigInvalid, .genuine,
            method(
                ["publicKeyJwk": .object(jwk(["alg": "Ed25519"], of: .edwards))], signer: .edwards)),
        Entry(0, "the second of two pinned keys", .sigInvalid, .genuine) { sample in
            pinned { _ in }(&sample)
            let own = sample.request.trust.keys[0]
            let other = PinnedKey(address: own.address + "/other", document: own.document, issuers: own.issuers)
            sample.request.trust.keys = [other, own]
        },
        Entry(0, "a pinned key without a controller, for one of two issuers", .sigInvalid, .genuine) { sample in
            pinned { $0["controller"] = nil }(&sample)
            let own = sample.request.trust.keys[0]
            sample.request.trust.keys = [
                PinnedKey(address: own.address, document: own.document, issuers: ["https://other.example", issuer])
            ]
        },
    ]

    static let twins: [Entry] =
        methodTwins + pemTwins + [
            Entry(0, "a did:key in base64url", .sigInvalid, .genuine) { sample in
                guard case .ecdsa(let key) = Signer.p256 else { return }
                base64URL([0x80, 0x24] + key.publicKey.compressed)(&sample)
            },
            Entry(0, "a did:key of P-521", .sigInvalid, .genuine, keyed(by: .p521)),
            Entry(0, "a did:key whose point begins with 2", .sigInvalid, .genuine, keyed(by: .even)),
            Entry(
                0, "an RSA key whose exponent begins with a zero", .sigInvalid, .genuine,
                integers { _, exponent, _ in
                    exponent = [0x02, 0x04, 0x00, 0x01, 0x00, 0x01]
                }),
            Entry(21, "an RSA key by a did:key", .sigInvalid, .genuine, integers()),
            Entry(19, "a key in PEM", .sigInvalid, .genuine, pem()),
            Entry(20, "a key by a did:jwk", .sigInvalid, .genuine, jwk()),
        ]
}
