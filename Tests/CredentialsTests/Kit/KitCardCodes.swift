import Compression
import Determinism
import JSON

@testable import Credentials

/// SMART Health Cards of the kit.
enum KitCardCodes {
    private typealias Answer = MobileDocumentForgery.Answer

    /// The parts of a card that a case may change.
    private struct Card {
        var payload: JSONObject = [
            "iss": "https://health.example", "nbf": 1_740_000_000, "exp": 1_760_000_000,
            "vc": [
                "type": .strings(["https://smarthealth.cards#health-card", "https://smarthealth.cards#immunization"]),
                "credentialSubject": [
                    "fhirVersion": "4.0.1",
                    "fhirBundle": [
                        "resourceType": "Bundle",
                        "entry": .array([
                            [
                                "resource": [
                                    "resourceType": "Patient", "birthDate": "1970-03-24",
                                    "name": .array([
                                        ["family": "Example", "given": .strings(["Asha", "B."]), "text": "Asha"]
                                    ]),
                                ]
                            ], ["resource": ["resourceType": "Immunization"]], [:], ["resource": [:]],
                            ["resource": ["resourceType": "Patient", "birthDate": "1999-01-01"]],
                        ]),
                    ],
                ],
            ],
        ]
        var header: JSONObject = ["zip": "DEF", "alg": "ES256", "kid": "k"]
        var signer = Signer.p256
        var payloadBytes: ([UInt8]) throws -> [UInt8] = { try Deflate.compress($0, level: 9) }
        var digits: ([UInt8]) -> [UInt8] = { $0 }
        var request = VerificationRequest(trust: TrustStore(), at: KitPrintedCodes.time)

        init() {
            var entry = TrustedIssuer("https://health.example")
            var jwk = Signer.p256.jwk
            jwk["kid"] = "k"
            entry.document = ["keys": .array([.object(jwk)])]
            request.trust.issuers = [entry]
        }

        func text() throws -> [UInt8] {
            let token = signer.token(
                headerText: header.text, payload: try payloadBytes(payload.encoded), algorithm: header["alg"]?.string)
            var text = Array("shc:/".utf8)
            for byte in token.utf8 { text += [(byte - 45) / 10 + 0x30, (byte - 45) % 10 + 0x30] }
            return digits(text)
        }
    }

    static func all() throws -> [KitCase] { try judged() + damaged() }

    private static func make(
        _ name: String, _ answer: Answer, _ change: (inout Card) throws -> Void = { _ in }
    ) throws -> KitCase {
        var card = Card()
        try change(&card)
        return KitPrintedCodes.code(.healthCard, name, try card.text(), card.request, answer)
    }

    private static func patient(_ name: JSONValue) -> JSONValue {
        [
            "type": .strings([]),
            "credentialSubject": [
                "fhirBundle": [
                    "entry": .array([["resource": ["resourceType": "Patient", "name": .array([name])]]])
                ]
            ],
        ]
    }

    private static func judged() throws -> [KitCase] {
        [
            try make("a health card", .genuine),
            try make("a health card whose patient has a name in one text", .genuine) {
                $0.payload["vc"] = patient(["text": "Asha Example"])
            },
            try make("a health card whose patient has a given name alone", .genuine) {
                $0.payload["vc"] = patient(["given": .strings(["Asha"])])
            },
            try make("a health card whose patient comes last", .genuine) {
                $0.payload["vc"] = [
                    "type": .strings([]),
                    "credentialSubject": [
                        "fhirBundle": [
                            "entry": .array([
                                ["resource": ["resourceType": "Immunization", "birthDate": "2001-01-01"]],
                                ["resource": ["resourceType": "Patient", "birthDate": "1970-03-24"]],
                            ])
                        ]
                    ],
                ]
            },
            try make("a health card of the type that is asked for", .genuine) {
                $0.request.policy.types = ["https://smarthealth.cards#immunization"]
            },
            try make("a health card of another type than is asked for", .refused(.vcType)) {
                $0.request.policy.types = ["https://smarthealth.cards#other"]
            },
            try make("a health card of a stranger", .refused(.sigInvalid)) { $0.signer = .stranger },
            try make("a health card of another issuer", .notChecked(.keyUnresolved)) {
                $0.payload["iss"] = "https://other.example"
            },
            try make("a health card without an issuer", .refused(.vcMissingMember)) { $0.payload["iss"] = nil },
            try make("a health card without a subject", .refused(.vcMissingMember)) {
                $0.payload["vc"] = ["type": .strings([])]
            },
            try make("a health card of the future", .refused(.timeFuture)) {
                ($0.payload["nbf"], $0.payload["exp"]) = (1_800_000_000, 1_900_000_000)
            },
            try make("a health card whose validity is over", .refused(.timeExpired)) {
                $0.payload["exp"] = 1_745_000_000
            },
        ]
    }

    private static func damaged() throws -> [KitCase] {
        [
            try make("a health card whose payload is a list", .refused(.parseJSON)) {
                $0.payloadBytes = { _ in try Deflate.compress(Array("[]".utf8), level: 9) }
            },
            try make("a health card that is not compressed", .notChecked(.codeHealthCard)) {
                ($0.header["zip"], $0.payloadBytes) = (nil, { $0 })
            },
            try make("a health card that is compressed in another way", .notChecked(.codeHealthCard)) {
                $0.header["zip"] = "GZ"
            },
            try make("a health card with bytes behind its payload", .notChecked(.codeCompression)) {
                $0.payloadBytes = { try Deflate.compress($0, level: 9) + [0] }
            },
            try make("a health card that unfolds beyond the limit", .notChecked(.codeLimitSize)) {
                $0.payload["x"] = .string(String(repeating: "0", count: 300_000))
            },
            try make("a health card without an algorithm", .refused(.algNone)) { $0.header["alg"] = "none" },
            try make("a health card with an odd number of digits", .notChecked(.codeHealthCard)) {
                $0.digits = { $0 + [0x30] }
            },
            try make("a health card without digits", .notChecked(.codeHealthCard)) {
                $0.digits = { Array($0.prefix(5)) }
            },
            try make("a health card with a letter", .notChecked(.codeHealthCard)) {
                $0.digits = { $0.dropLast() + [0x41] }
            },
            try make("a health card in several codes", .notChecked(.codeHealthCard)) {
                $0.digits = { Array("shc:/1/2/".utf8) + $0.dropFirst(5) }
            },
            try make("a health card with a pair of digits for no character", .notChecked(.codeHealthCard)) {
                $0.digits = { $0.dropLast(2) + [0x38, 0x32] }
            },
        ]
    }
}
