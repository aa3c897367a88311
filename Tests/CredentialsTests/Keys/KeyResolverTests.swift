import ByteCoding
import CryptoSuite
import JSON
import Testing

@testable import Credentials

@Suite struct KeyResolverTests {
    private func key(
        _ method: String, _ trust: TrustStore = TrustStore(), for purpose: KeyPurpose = .assertionMethod
    ) throws(CredentialError) -> ResolvedKey {
        try KeyResolver(trust).key(method, for: purpose)
    }

    private func code(
        _ method: String, _ trust: TrustStore = TrustStore(), for purpose: KeyPurpose = .assertionMethod
    ) -> CredentialError.Code? {
        do throws(CredentialError) {
            _ = try key(method, trust, for: purpose)
            return nil
        } catch { return error.code }
    }

    @Test func `did keys of each curve hold the key that their text says`() throws {
        #expect(Signer.edwards.did == "did:key:z6MkehRgf7yJbgaGfYsdoAsKdBPE3dj2CYhowQdcjqSJgvVd")
        #expect(Signer.k1.did == "did:key:zQ3shgAY6u8RCmiQBgqwC37tEJPsKtVSj1cBUuseSADdJw8K7")
        #expect(Signer.p256.did == "did:key:zDnaeoRpSvEFboxtUcn1XBdLAAAe7HD6hUZPpztsKKK8ApYN4")
        for (signer, kind) in [
            (Signer.edwards, "Ed25519"), (.k1, "secp256k1"), (.p256, "P-256"), (.p384, "P-384"), (.large, "RSA"),
        ] {
            let found = try key(signer.method)
            #expect(found.key.kind == kind)
            #expect(found.controller == signer.did)
        }
    }

    @Test func `an RSA did key encodes the DER of modulus and exponent`() throws {
        guard case .rsa(let secret) = Signer.large else { return }
        func integer(_ bytes: [UInt8]) -> [UInt8] {
            let body = bytes[0] >= 0x80 ? [0] + bytes : bytes
            return [2]
                + (body.count < 128 ? [UInt8(body.count)] : [0x82, UInt8(body.count >> 8), UInt8(body.count & 255)])
                + body
        }
        let content = integer(secret.publicKey.modulus) + integer(secret.publicKey.exponent)
        let text = Multibase.encode(
            [0x85, 0x24, 0x30, 0x82, UInt8(content.count >> 8), UInt8(content.count & 255)] + content)
        #expect(try key("did:key:\(text)#\(text)").key == .rsa(secret.publicKey))
    }

    @Test func `a did key with another fragment, length, codec or base is refused`() {
        let (did, other) = (Signer.edwards.did, Signer.p256.did.dropFirst(8))
        #expect(code(did) == .keyForm)
        #expect(code(did + "#" + other) == .keyForm)
        for (bytes, wanted) in [
            ([0xED, 0x01] + [UInt8](repeating: 1, count: 31), CredentialError.Code.keyForm),
            ([0x80, 0x24, 4] + [UInt8](repeating: 1, count: 32), .keyForm),
            ([0x80, 0x24, 2] + [UInt8](repeating: 255, count: 32), .keyCurve),
            ([0x90, 0x24, 2], .keyUnresolved), ([0x80], .keyForm), ([0x85, 0x24, 1, 2], .keyForm),
            ([0xEC, 0x01] + [UInt8](repeating: 9, count: 32), .algMismatch),
        ] {
            let text = Multibase.encode(bytes)
            #expect(code("did:key:\(text)#\(text)") == wanted, "\(bytes)")
        }
        #expect(code("did:key:m0#m0") == .parseBase64)
    }

    @Test func `a did jwk is refused when it holds a private key, is for encryption, or is no JWK`() throws {
        func did(_ jwk: JSONObject) -> String { "did:jwk:" + Base64URL.encode(jwk.encoded) + "#0" }
        var jwk = Signer.p256.jwk
        #expect(code(did(jwk)) == nil)
        jwk["use"] = "enc"
        #expect(code(did(jwk)) == .keyPurpose)
        jwk["use"] = "sig"
        jwk["key_ops"] = .strings(["encrypt"])
        #expect(code(did(jwk)) == .keyPurpose)
        jwk["key_ops"] = .strings(["verify"])
        jwk["alg"] = "ES256"
        #expect(try key(did(jwk)).onlyAlgorithm == "ES256")
        jwk["d"] = "AA"
        #expect(code(did(jwk)) == .keyPrivate)
        #expect(code("did:jwk:e30#0") == .keyForm)
        #expect(code("did:jwk:e30=#0") == .parseBase64)
        #expect(code("did:jwk:e30#1") == .keyForm)
        #expect(code(did(["kty": "oct", "k": "AA"])) == .algMismatch)
        #expect(code(did(["kty": "EC", "crv": "P-257", "x": "AA", "y": "AA"])) == .keyUnresolved)
        #expect(code(did(["kty": "OKP", "crv": "Ed25519", "x": "AA"])) == .keyForm)
    }

    private static let web = "did:web:issuer.example"

    private func document(_ method: JSONObject, listed: JSONValue) -> JSONObject {
        var method = method
        if method["id"] == nil { method["id"] = .string(Self.web + "#k") }
        return [
            "id": .string(Self.web), "verificationMethod": .array([.object(method)]), "assertionMethod": listed,
        ]
    }

    private func trust(
        _ document: JSONObject, _ relationships: TrustedIssuer.KeyListingForm = .listed
    ) -> TrustStore {
        var issuer = TrustedIssuer(Self.web)
        issuer.document = .object(document)
        issuer.relationships = relationships
        var store = TrustStore()
        store.issuers = [issuer]
        return store
    }

    private var multikey: JSONObject {
        ["type": "Multikey", "publicKeyMultibase": .string(String(Signer.edwards.did.dropFirst(8)))]
    }

    @Test func `a pinned DID document gives the key that it lists for the purpose, and no other`() throws {
        let method = Self.web + "#k"
        #expect(try key(method, trust(document(multikey, listed: .strings([method])))).controller == Self.web)
        #expect(code(method, trust(document(multikey, listed: .strings(["#k"])))) == nil)
        let listed = trust(document(multikey, listed: .strings([method])))
        #expect(code(method, listed, for: .authentication) == .keyNotListed)
        #expect(code(Self.web + "#other", listed) == .keyUnresolved)
        #expect(code("did:web:other.example#k", listed) == .keyUnresolved)
        #expect(code(Self.web, listed) == .keyUnresolved)
    }

    @Test func `a DID document that lists its own DID as key is accepted only if the trust store allows it`() {
        let object = document(multikey, listed: .strings([Self.web]))
        #expect(code(Self.web + "#k", trust(object)) == .keyNotListed)
        #expect(code(Self.web + "#k", trust(object, .controllerListed)) == nil)
    }

    @Test func `a verification method embedded in a relationship is found only for that purpose`() {
        var method = multikey
        method["id"] = "#e"
        let object = document(multikey, listed: .array([.object(method)]))
        #expect(code(Self.web + "#e", trust(object)) == nil)
        #expect(code(Self.web + "#e", trust(object), for: .authentication) == .keyUnresolved)
    }

    @Test func `a DID document of another DID, and a key of another controller, are refused`() {
        var object = document(multikey, listed: .strings(["#k"]))
        object["id"] = "did:web:other.example"
        #expect(code(Self.web + "#k", trust(object)) == .keyController)
        var method = multikey
        method["controller"] = "did:web:other.example"
        #expect(code(Self.web + "#k", trust(document(method, listed: .strings(["#k"])))) == .keyController)
    }

    @Test func `a verification method with two key forms, none, or a private key is refused`() {
        var method = multikey
        method["publicKeyHex"] = "00"
        #expect(code(Self.web + "#k", trust(document(method, listed: .strings(["#k"])))) == .keyForm)
        #expect(code(Self.web + "#k", trust(document(["type": "Multikey"], listed: .strings(["#k"])))) == .keyForm)
        var leaked = multikey
        leaked["privateKeyMultibase"] = "z1"
        #expect(code(Self.web + "#k", trust(document(leaked, listed: .strings(["#k"])))) == .keyPrivate)
    }

    @Test func `each form of a verification method's key gives the same public key`() throws {
        let ed = String(Signer.edwards.did.dropFirst(8))
        guard case .ed25519(let seed) = Signer.edwards, case .ecdsa(let k1) = Signer.k1 else { return }
        let raw = try Ed25519.publicKey(for: seed)
        let info = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00] + raw
        let pem = "-----BEGIN PUBLIC KEY-----\r\n\(Base64.encode(info))\r\n-----END PUBLIC KEY-----\r\n"
        let forms: [JSONObject] = [
            ["type": "Ed25519VerificationKey2020", "publicKeyMultibase": .string(ed)],
            ["type": "Ed25519VerificationKey2018", "publicKeyBase58": .string(Base58.encode(raw))],
            ["type": "Ed25519VerificationKey2018", "publicKeyHex": .string(Hex.encode(raw))],
            ["type": "Ed25519VerificationKey2018", "publicKeyPem": .string(pem)],
            ["type": "JsonWebKey2020", "publicKeyJwk": .object(Signer.edwards.jwk)],
        ]
        for form in forms {
            #expect(
                try key(Self.web + "#k", trust(document(form, listed: .strings(["#k"])))).key == .ed25519(raw),
                "\(form)")
        }
        let hex: JSONObject = [
            "type": "EcdsaSecp256k1VerificationKey2019", "publicKeyHex": .string(Hex.encode(k1.publicKey.compressed)),
        ]
        #expect(
            try key(Self.web + "#k", trust(document(hex, listed: .strings(["#k"])))).key == .ecdsa(k1.publicKey))
        #expect(
            code(Self.web + "#k", trust(document(["type": "X", "publicKeyHex": "00"], listed: .strings(["#k"]))))
                == .keyForm)
        #expect(
            code(Self.web + "#k", trust(document(["type": "X", "publicKeyPem": "x"], listed: .strings(["#k"]))))
                == .keyForm)
    }

    @Test func `a revoked verification key is refused at each time from its revocation on`() throws {
        var method = multikey
        method["revoked"] = "2025-01-01T00:00:00Z"
        let found = try key(Self.web + "#k", trust(document(method, listed: .strings(["#k"]))))
        #expect(found.endsAt == 1_735_689_600)
        #expect((try? found.checkPeriod(at: [1_735_689_599])) != nil)
        #expect((try? found.checkPeriod(at: [1_735_689_600])) == nil)
        method["revoked"] = "yesterday"
        #expect(code(Self.web + "#k", trust(document(method, listed: .strings(["#k"])))) == .timeFormat)
    }

    @Test func `a pinned key signs for the issuers that its pin names and belongs to its controller`() throws {
        let address = "https://issuer.example/key.json"
        var object = multikey
        object["id"] = .string(address)
        object["controller"] = "https://issuer.example/controller"
        var store = TrustStore()
        store.keys = [
            PinnedKey(address: address, document: .object(object), issuers: ["https://issuer.example/controller"])
        ]
        let found = try key(address, store)
        #expect(
            (try? IssuerTrustCheck.check(issuer: "https://issuer.example/controller", against: found, in: store)) != nil
        )
        #expect((try? IssuerTrustCheck.check(issuer: "https://other.example", against: found, in: store)) == nil)
        store.keys = [PinnedKey(address: address, document: .object(object), issuers: ["https://other.example"])]
        #expect(code(address, store) == .keyController)
        object["id"] = "https://issuer.example/other.json"
        store.keys = [
            PinnedKey(address: address, document: .object(object), issuers: ["https://issuer.example/controller"])
        ]
        #expect(code(address, store) == .keyController)
    }

    @Test(.enabled(if: Samples.arePresent)) func `the key documents that deployed credential issuers publish are read`()
        throws
    {
        for (file, kind) in [
            ("didEdPublicKey", "Ed25519"), ("didEcKey", "secp256k1"), ("didMosipKey", "Ed25519"),
        ] {
            let value = try Samples.json("credentials/inji/ldp_vc/public_key/\(file).json")
            let id = try #require(value["id"]?.string)
            var issuer = TrustedIssuer(id)
            issuer.document = value
            issuer.relationships = .controllerListed
            var store = TrustStore()
            store.issuers = [issuer]
            let method = try #require(value["verificationMethod"]?[0]?["id"]?.string)
            #expect(try key(method, store).key.kind == kind, "\(file)")
        }
        for (file, kind) in [("httpsMockKey", "RSA"), ("httpsMockKey2", "Ed25519"), ("idaPublicKey", "RSA")] {
            let value = try Samples.json("credentials/inji/ldp_vc/public_key/\(file).json")
            let (id, controller) = (value["id"]?.string ?? "", value["controller"]?.string ?? "")
            var store = TrustStore()
            store.keys = [PinnedKey(address: id, document: value, issuers: [controller])]
            #expect(try key(id, store).key.kind == kind, "\(file)")
        }
    }
}
