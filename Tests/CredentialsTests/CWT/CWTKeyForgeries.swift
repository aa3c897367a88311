import ByteCoding
import CBOR
import CryptoSuite
import JSON

@testable import Credentials

/// Tokens in CBOR whose key is named in other ways or ended, and whose headers and claims are rare ones.
enum CWTKeyForgeries {
    typealias Setting = CWTForgery.Setting

    private static let ds = SignerAuthority.key("symbolon ds").publicKey
    private static let stranger = SignerAuthority.key("symbolon stranger").publicKey

    /// A token by a did:key whose method is trusted, with this name of its key.
    private static func keyed(_ name: [UInt8]) -> @Sendable (inout Setting) throws -> Void {
        { setting in
            let signer = Signer.p256
            setting.request.trust.methods = ["did:key"]
            setting.set(1, .text(signer.did))
            setting.unprotectedHeader = [[.int(4), .bytes(name)]]
            setting.sign = { signer.sign($0) }
        }
    }

    /// A token by the second of two keys.
    private static func second(name: [UInt8], _ kid: String = "2") -> @Sendable (inout Setting) throws -> Void {
        { setting in
            setting.addIssuer(Setting.issuer, keys: [("1", ds), (kid, stranger)])
            setting.unprotectedHeader = [[.int(4), .bytes(name)]]
            setting.sign = { Signer.sign($0, by: "symbolon stranger") }
        }
    }

    /// A token by a key of a document with these members more, issued at a time.
    private static func documented(
        _ more: JSONObject, issuedAt: Int = 1_735_689_600
    ) -> @Sendable (inout Setting) throws -> Void {
        { setting in
            let method = Setting.issuer + "#1"
            var key: JSONObject = [
                "id": .string(method), "type": "JsonWebKey2020", "controller": .string(Setting.issuer),
                "publicKeyJwk": .object(Setting.jwk(ds, "1")),
            ]
            for member in more { key[member.name] = member.value }
            setting.request.trust.issuers[0].keySet = nil
            setting.request.trust.issuers[0].document = .object([
                "id": .string(Setting.issuer), "verificationMethod": .array([.object(key)]),
                "assertionMethod": .strings([method]),
            ])
            setting.set(5, nil)
            setting.set(6, .int(issuedAt))
        }
    }

    /// A token that brings its certificate, under a root for its issuer.
    private static func certified(
        digest: (@Sendable (Certificate) -> CBORItem)? = nil, issuedAt: Int = 1_735_689_600
    ) -> @Sendable (inout Setting) throws -> Void {
        { setting in
            let authority = try SignerAuthority()
            let leaf = try authority.signerDER()
            setting.request.trust.issuers = []
            setting.request.trust.roots = [
                TrustedRoot(certificate: try authority.rootDER(), purpose: .tokens(issuers: [Setting.issuer]))
            ]
            setting.unprotectedHeader = [[.int(33), .bytes(leaf)]]
            if let digest { setting.unprotectedHeader.append([.int(34), digest(try Certificate(der: leaf))]) }
            setting.set(5, nil)
            setting.set(6, .int(issuedAt))
        }
    }

    private static func typed(_ type: CBORItem) -> @Sendable (inout Setting) throws -> Void {
        { $0.protectedHeader = .map([.int(1): .int(-7), .int(16): type]) }
    }

    static let all: [CWTForgery] = [
        .init("a name in bytes for the key of a did:key", .notChecked(.keyUnresolved), keyed([0xFF, 0xFE])),
        .init("another name for the key of a did:key", .notChecked(.keyUnresolved), keyed(Array("other".utf8))),
        .init("the second of two keys under a name that none has", .genuine, second(name: Array("9".utf8))),
        .init("the second of two keys by its name in bytes", .genuine, second(name: [0xFF, 0xFE], "__4")),
        .init(
            "the second of two keys by its name in hexadecimal digits", .genuine, second(name: [0xFF, 0xFE], "fffe")),
        .init("a name in bytes, and the other key's signature", .refused(.sigInvalid)) {
            try second(name: [0xFF, 0xFE], "__4")(&$0)
            $0.sign = { Signer.documentSigner($0) }
        },
        .init("one key for another algorithm, under a name that it does not have", .notChecked(.keyUnresolved)) {
            try second(name: Array("9".utf8))(&$0)
            var jwk = Setting.jwk(stranger, "2")
            jwk["alg"] = "ES384"
            $0.request.trust.issuers[0].keySet = .object(["keys": .array([.object(jwk)])])
            $0.request.trust.issuers[0].document = $0.request.trust.issuers[0].keySet
        },
        .init("a stranger's key beside two keys under a name that none has", .refused(.sigInvalid)) {
            try second(name: Array("9".utf8))(&$0)
            $0.sign = { Signer.sign($0, by: "symbolon iaca") }
        },
        .init("a key of a document", .genuine, documented([:])),
        .init("a key that was revoked", .refused(.keyRevoked), documented(["revoked": "2025-03-01T00:00:00Z"])),
        .init(
            "a key that ends within the tolerance, before the token was issued", .refused(.keyRevoked),
            documented(
                ["expires": "2025-06-01T00:00:20Z"], issuedAt: 1_748_736_040)),
        .init(
            "a certificate with its digest", .genuine,
            certified(digest: {
                .array([.int(-16), .bytes(SHA256.hash($0.der))])
            })),
        .init(
            "a certificate with the digest of another", .refused(.jwtX5t),
            certified(digest: { _ in
                .array([.int(-16), .bytes([UInt8](repeating: 1, count: 32))])
            })),
        .init(
            "a certificate with its digest under another name", .refused(.jwtX5t),
            certified(digest: {
                .array([.int(-15), .bytes(SHA256.hash($0.der))])
            })),
        .init(
            "a certificate with its digest by SHA-512", .genuine,
            certified(digest: {
                .array([.int(-44), .bytes(SHA2.sha512.hash($0.der))])
            })),
        .init(
            "a certificate with its digest and more", .refused(.jwtX5t),
            certified(digest: {
                .array([.int(-16), .bytes(SHA256.hash($0.der)), .null])
            })),
        .init("a token issued before its certificate", .refused(.mdSignedTime), certified(issuedAt: 1_700_000_000)),
        .init("certificates that are a text", .refused(.x5Chain)) { $0.unprotectedHeader = [[.int(33), .text("x")]] },
        .init("the type of a token by its number", .genuine, typed(.int(61))),
        .init("the type of a token by its name", .genuine, typed(.text("application/cwt"))),
        .init("the number of another type", .refused(.jwtTyp), typed(.int(60))),
        .init("a claim with a name of its own", .genuine) {
            $0.claims.append([.text("https://claims.example/role"), .text("pilot")])
        },
        .init("an issuer that is a number", .refused(.vcType)) { $0.set(1, .int(5)) },
        .init("a subject that is a number", .refused(.vcType)) { $0.set(2, .int(5)) },
        .init("a payload of two items", .refused(.parseCBOR)) { $0.sentPayload = .bytes([0xA0, 0xA0]) },
        .init("a number under one label in both headers", .refused(.parseCBOR)) {
            $0.protectedHeader = .map([.int(1): .int(-7), .int(99): .int(1)])
            $0.unprotectedHeader.append([.int(99), .int(2)])
        },
    ]
}
