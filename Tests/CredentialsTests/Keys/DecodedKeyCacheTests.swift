import ByteCoding
import JSON
import Testing

@testable import Credentials

@Suite struct DecodedKeyCacheTests {
    private func key(_ method: String, _ trust: TrustStore) throws(CredentialError) -> ResolvedKey {
        try KeyResolver(trust).key(method, for: .assertionMethod)
    }

    private func multikey(_ number: Int) -> String {
        Multibase.encode([0xED, 0x01, UInt8(number & 255), UInt8(number >> 8)] + [UInt8](repeating: 1, count: 30))
    }

    /// A document with a method in each of the forms that are made before, and one in hexadecimal digits.
    private func document(of did: String) throws -> JSONValue {
        let curve = try #require(Signer.p256.did.split(separator: ":").last)
        return [
            "id": .string(did),
            "assertionMethod": [
                ["id": "#a", "type": "Multikey", "publicKeyMultibase": .string(String(curve))],
                [
                    "id": "#b", "type": "JsonWebKey2020",
                    "publicKeyJwk": [
                        "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
                    ],
                ],
                [
                    "id": "#c", "type": "Ed25519VerificationKey2018",
                    "publicKeyHex": .string(String(repeating: "07", count: 32)),
                ],
            ],
        ]
    }

    @Test func `a public key prepared in the trust store is the same as one made at each verification`() throws {
        var trust = TrustStore()
        var issuer = TrustedIssuer("did:web:issuer.example")
        issuer.document = try document(of: issuer.identifier)
        trust.issuers = [issuer] + [Signer.edwards, .k1, .p256, .p384, .large].map { TrustedIssuer($0.did) }
        var prepared = trust
        prepared.makeKeys()
        // P-256 occurs twice; the key in hexadecimal digits is made each time.
        #expect(prepared.knownKeys.count == 6)
        let methods =
            ["#a", "#b", "#c"].map { issuer.identifier + $0 }
            + [Signer.edwards, .k1, .p256, .p384, .large].map(\.method)
        for method in methods {
            let made = try key(method, trust)
            #expect(try key(method, prepared) == made)
        }
    }

    @Test func `a did:key with a point off its curve is not prepared, and verification refuses it`() {
        let bytes = [0x80, 0x24, 2] + [UInt8](repeating: 255, count: 32)
        let text = Multibase.encode(bytes)
        var trust = TrustStore()
        trust.issuers = [TrustedIssuer("did:key:" + text)]
        trust.makeKeys()
        #expect(trust.knownKeys.count == 0)
        #expect(throws: CredentialError.self) { try key("did:key:\(text)#\(text)", trust) }
    }

    @Test func `1,024 prepared public keys are kept, and one more is made at each verification`() throws {
        var trust = TrustStore()
        trust.issuers = (0..<1024).map { TrustedIssuer("did:key:" + multikey($0)) }
        trust.makeKeys()
        #expect(trust.knownKeys.count == 1024)
        trust.issuers.append(TrustedIssuer("did:key:" + multikey(1024)))
        trust.makeKeys()
        #expect(trust.knownKeys.count == 1024)
        let last = multikey(1024)
        #expect(try key("did:key:\(last)#\(last)", trust).key == VerificationKey(multikey: last))
    }
}
