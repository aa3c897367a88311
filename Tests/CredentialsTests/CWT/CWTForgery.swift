import ByteCoding
import CBOR
import CryptoSuite
import Determinism
import JSON
import Testing

@testable import Credentials

/// A CWT with one fault, or a good one that lies close to a fault.
struct CWTForgery: CustomTestStringConvertible, Sendable {
    let name: String
    let answer: MobileDocumentForgery.Answer
    let make: @Sendable (inout Setting) throws -> Void

    init(
        _ name: String, _ answer: MobileDocumentForgery.Answer,
        _ make: @escaping @Sendable (inout Setting) throws -> Void
    ) {
        (self.name, self.answer, self.make) = (name, answer, make)
    }

    var testDescription: String { name }

    /// Everything that a forgery can change.
    struct Setting {
        static let issuer = "did:web:issuer.example"

        var claims: [[CBORItem]] = [
            [.int(1), .text(issuer)], [.int(2), .text("did:example:subject")], [.int(4), .int(2_051_222_400)],
            [.int(5), .int(1_735_689_600)], [.int(6), .int(1_735_689_600)],
        ]
        var protectedHeader: CBORItem = .map([.int(1): .int(-7)])
        var unprotectedHeader: [[CBORItem]] = [[.int(4), .bytes(Array("1".utf8))]]
        var payload: CBORItem?
        var sign: ([UInt8]) -> [UInt8] = { Signer.documentSigner($0) }
        var changeSignature: (inout [UInt8]) -> Void = { _ in }
        var sentProtected: CBORItem?
        var sentPayload: CBORItem?
        /// Wraps the array of four.
        var wrap: (CBORItem) -> CBORItem = { .tagged(61, .tagged(18, $0)) }
        var changeArray: (CBORItem) -> CBORItem = { $0 }
        var bytes: [UInt8]?
        var request: VerificationRequest

        init() {
            request = VerificationRequest(
                trust: TrustStore(), at: WallTime(millisecondsSinceEpoch: 1_748_736_000_000))
            addIssuer(Self.issuer, keys: [("1", SignerAuthority.key("symbolon ds").publicKey)])
        }

        /// Trusts an issuer with keys of P-256 in a key set.
        mutating func addIssuer(_ identifier: String, keys: [(String, ECDSA.PublicKey)]) {
            var entry = TrustedIssuer(identifier)
            entry.keySet = .object(["keys": .array(keys.map { .object(Self.jwk($0.1, $0.0)) })])
            entry.document = entry.keySet
            request.trust.issuers.removeAll { $0.identifier == identifier }
            request.trust.issuers.append(entry)
        }

        static func jwk(_ key: ECDSA.PublicKey, _ kid: String) -> JSONObject {
            [
                "kty": "EC", "crv": key.curve == .p256 ? "P-256" : "secp256k1", "kid": .string(kid),
                "x": .string(Base64URL.encode(key.x)), "y": .string(Base64URL.encode(key.y)),
            ]
        }

        var encoded: [UInt8] {
            if let bytes { return bytes }
            let payload = (self.payload ?? .ordered(claims)).encoded
            let protected = protectedHeader == .map([:]) ? [] : protectedHeader.encoded
            var signature = sign(
                CBORItem.array([.text("Signature1"), .bytes(protected), .bytes([]), .bytes(payload)]).encoded)
            changeSignature(&signature)
            return wrap(
                changeArray(
                    .array([
                        sentProtected ?? .bytes(protected), .ordered(unprotectedHeader),
                        sentPayload ?? .bytes(payload), .bytes(signature),
                    ]))
            ).encoded
        }

        var report: CredentialReport { CWTVerifier(request).verify(encoded) }

        mutating func set(_ label: Int, _ value: CBORItem?) {
            claims.removeAll { $0[0] == .int(label) }
            if let value { claims.append([.int(label), value]) }
        }
    }
}
