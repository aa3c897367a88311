import ByteCoding
import CryptoSuite
import JSON

@testable import Credentials

/// Tokens whose key is named or written in a way that no key may be.
enum KeyForgeries {
    typealias Entry = Forgery<JWTSample>

    static let all = names + sets + written + encoded

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

    private static let encoded: [Entry] = [
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

    static let twins: [Entry] = [
        Entry(21, "an RSA key by a did:key", .sigInvalid, .genuine, integers()),
        Entry(19, "a key in PEM", .sigInvalid, .genuine, pem()),
        Entry(20, "a key by a did:jwk", .sigInvalid, .genuine, jwk()),
    ]
}
