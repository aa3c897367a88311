import ByteCoding
import Compression
import Credentials
import CryptoSuite
import Determinism
import JSON
import TestSupport
import Testing

@testable import Codes

/// Cards that these tests make and sign.
struct SmartHealthCardTests {
    private static let issuer = "https://health.example"

    private static func key(_ name: String) throws -> ECDSA.PrivateKey {
        try ECDSA.PrivateKey(curve: .p256, scalar: Secret(copying: SHA256.hash(Array(name.utf8))))
    }

    private static func jwk(_ key: ECDSA.PublicKey, kid: String) -> JSONValue {
        [
            "kty": "EC", "crv": "P-256", "kid": .string(kid), "x": .string(Base64URL.encode(key.x)),
            "y": .string(Base64URL.encode(key.y)),
        ]
    }

    private static func request() throws -> VerificationRequest {
        var entry = TrustedIssuer(issuer)
        entry.document = ["keys": .array([jwk(try key("card").publicKey, kid: "k")])]
        var trust = TrustStore()
        trust.issuers = [entry]
        return VerificationRequest(trust: trust, at: WallTime(millisecondsSinceEpoch: 1_750_000_000_000))
    }

    private static let payload: JSONObject = [
        "iss": .string(issuer), "nbf": 1_700_000_000,
        "vc": [
            "type": .strings(["https://smarthealth.cards#health-card"]),
            "credentialSubject": [
                "fhirVersion": "4.0.1",
                "fhirBundle": [
                    "resourceType": "Bundle",
                    "entry": .array([
                        [
                            "resource": [
                                "resourceType": "Patient", "birthDate": "1970-03-24",
                                "name": .array([["family": "Example", "given": .strings(["Asha", "B."])]]),
                            ]
                        ], ["resource": ["resourceType": "Immunization"]],
                    ]),
                ],
            ],
        ],
    ]

    private static func token(
        _ payload: JSONObject = payload, header: JSONObject = ["zip": "DEF", "alg": "ES256", "kid": "k"],
        signer: String = "card"
    ) throws -> [UInt8] {
        let packed = try Deflate.compress(payload.encoded, level: 9)
        let input = Base64URL.encode(header.encoded) + "." + Base64URL.encode(packed)
        return Array((input + "." + Base64URL.encode(try key(signer).sign(Array(input.utf8), hash: .sha256))).utf8)
    }

    /// Returns the text of digits of a token.
    private static func card(_ token: [UInt8]) -> [UInt8] {
        var digits = Array("shc:/".utf8)
        for byte in token { digits += [(byte - 45) / 10 + 0x30, (byte - 45) % 10 + 0x30] }
        return digits
    }

    private static func code(_ text: [UInt8]) throws -> (CredentialReport.CredentialVerdict, String?) {
        let request = try request()
        let report = CodeVerifier(request).verify(text).credential
        return (report.result, report.decisiveCheck(under: request.policy)?.code?.rawValue)
    }

    @Test func `a card is genuine under its issuer's key set, and shows the patient`() throws {
        let report = CodeVerifier(try Self.request()).verify(Self.card(try Self.token())).credential
        #expect(report.result == .genuine)
        #expect(report.format == .healthCard)
        #expect(report.holder == .notShown)
        #expect(report.content.claims?["familyName"] == "Example")
        #expect(report.content.claims?["givenName"] == "Asha B.")
        #expect(report.content.claims?["dateOfBirth"] == "1970-03-24")
        #expect(report.content.claims?["entries"] == "Immunization")
    }

    @Test func `a card of a stranger, of another issuer, of the future and without compression is not genuine`() throws
    {
        #expect(try Self.code(Self.card(try Self.token(signer: "other"))) == (.refused, "credential.sig-invalid"))
        var other = Self.payload
        other["iss"] = "https://other.example"
        #expect(try Self.code(Self.card(try Self.token(other))) == (.notChecked, "credential.key-unresolved"))
        var future = Self.payload
        future["nbf"] = 1_800_000_000
        #expect(try Self.code(Self.card(try Self.token(future))) == (.refused, "credential.time-future"))
        let plain = try Self.token(header: ["alg": "ES256", "kid": "k"])
        #expect(try Self.code(Self.card(plain)) == (.notChecked, "code.health-card"))
        let none = try Self.token(header: ["zip": "DEF", "alg": "none"])
        #expect(try Self.code(Self.card(none)) == (.refused, "credential.alg-none"))
        // A token of another kind does not decompress its payload.
        #expect(try Self.code(try Self.token()).0 != .genuine)
    }

    @Test func `a card that is cut short or goes on is not genuine`() throws {
        let whole = Self.card(try Self.token())
        let request = try Self.request()
        let read: ([UInt8]) throws -> Bool? = { text in
            CodeVerifier(request).verify(text).credential.result == .genuine ? true : nil
        }
        #expect(DecoderVerifier.acceptedTruncations(of: whole, by: read) == [])
        #expect(throws: CredentialError.self) { try SmartHealthCard(digits: whole + [0x30]) }
    }

    @Test(.shows("PC2")) func `a bomb in a card ends at the limit`() throws {
        var bomb = Self.payload
        bomb["x"] = .string(String(repeating: "0", count: 300_000))
        #expect(try Self.code(Self.card(try Self.token(bomb))) == (.notChecked, "code.limit-size"))
    }
}
