import ByteCoding
import CryptoSuite
import JSON

@testable import Credentials

/// Tokens whose key is named or written in a way that no key may be.
enum KeyForgeries {
    typealias Entry = Forgery<JWTSample>

    static let all = names + sets + written

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
        kid: String? = "1", _ document: @escaping @Sendable (JSONObject) -> JSONObject
    ) -> @Sendable (inout JWTSample) -> Void {
        { sample in
            var jwk = Signer.p256.jwk
            jwk["kid"] = "1"
            var entry = TrustedIssuer(issuer)
            entry.document = .object(document(jwk))
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
        begin: String = "PUBLIC KEY", end: String = "PUBLIC KEY",
        _ change: @escaping @Sendable (inout [UInt8]) -> Void = { _ in }
    ) -> @Sendable (inout JWTSample) -> Void {
        pinned { document in
            guard case .ecdsa(let key) = Signer.p256,
                var bytes = try? CertificateTemplate.SigningKey.ecdsa(key).subjectPublicKeyInfo()
            else { return }
            change(&bytes)
            document["publicKeyJwk"] = nil
            document["publicKeyPem"] = .string(
                "-----BEGIN \(begin)-----\n\(Base64.encode(bytes))\n-----END \(end)-----\n")
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

    static let twins: [Entry] = [
        Entry(19, "a key in PEM", .sigInvalid, .genuine, pem()),
        Entry(20, "a key by a did:jwk", .sigInvalid, .genuine, jwk()),
    ]
}
