import CBOR
import CryptoSuite
import Determinism
import JSON

@testable import Credentials

/// Every case of the kit: the forgeries and good credentials that the suites of the formats verify, and some changed at
/// places that a seed chooses.
enum KitCases {
    /// The seed of the places that are changed.
    static let seed: UInt64 = 20_261_123

    static func all() throws -> [KitCase] {
        try tokens() + selective() + documents() + KitSessions.all() + lists() + claims() + linkedData()
            + changed() + KitDecisions.all()
    }

    private static func answer<Sample>(_ forgery: Forgery<Sample>) -> MobileDocumentForgery.Answer {
        switch forgery.result {
        case .genuine: .genuine
        case .refused: .refused(forgery.code)
        case .notChecked: .notChecked(forgery.code)
        }
    }

    /// The name with the number of the recipe; one beside the list has the number 0, which is not written.
    private static func name<Sample>(_ forgery: Forgery<Sample>) -> String {
        forgery.number == 0 ? forgery.name : "\(forgery.number): \(forgery.name)"
    }

    private static func tokens() -> [KitCase] {
        func make(_ name: String, _ sample: JWTSample, _ answer: MobileDocumentForgery.Answer) -> KitCase {
            KitCase(.jwt, name, Array(sample.text.utf8), sample.request, answer)
        }
        let good = [
            make("a credential of version 2.0", JWTSample(), .genuine),
            make("a credential of version 1.1", .former, .genuine),
            make("a presentation of one credential", .presentation(of: JWTSample().text), .genuine),
        ]
        let forged = (JWTForgeries.all + VerdictForgeries.tokens).map { forgery in
            var sample = JWTSample()
            forgery.change(&sample)
            return make(name(forgery), sample, answer(forgery))
        }
        let twins = (JWTForgeries.twins + VerdictForgeries.tokenTwins).map { forgery in
            var sample = JWTSample()
            forgery.change(&sample)
            return make(forgery.name, sample, .genuine)
        }
        return good + forged + twins
    }

    private static func selective() -> [KitCase] {
        func make(_ name: String, _ sample: SDSample, _ answer: MobileDocumentForgery.Answer) -> KitCase {
            KitCase(.sdJWT, name, Array(sample.text.utf8), sample.request, answer)
        }
        var unbound = SDSample()
        unbound.holderSigner = nil
        unbound.request.policy.nonce = nil
        unbound.request.policy.audience = nil
        var certified = SDSample()
        CertificateSample().put(into: &certified)
        let plain = SDSample()
        func json(_ name: String, _ object: JSONObject, _ answer: MobileDocumentForgery.Answer) -> KitCase {
            KitCase(.sdJWT, name, object.encoded, plain.request, answer)
        }
        let parts = plain.token.split(separator: ".").map { JSONValue.string(String($0)) }
        let second: JSONObject = [
            "protected": parts[0], "signature": parts[2], "header": .object(["disclosures": .array([])]),
        ]
        let good = [
            make("nested and array disclosures with the holder's proof", SDSample(), .genuine),
            make("without the holder's proof", unbound, .genuine),
            make("certificates to a pinned root", certified, .genuine),
            json("the flattened form in JSON", plain.json(), .genuine),
            json("the general form in JSON", plain.json(general: true), .genuine),
            json(
                "82: disclosures in the second header", plain.json(general: true, second: second),
                .refused(.sdMalformed)),
            json(
                "83: an algorithm that is not protected", plain.json(unprotected: ["alg": "ES256"]),
                .refused(.algMismatch)),
        ]
        var both = plain.json(general: true)
        both["protected"] = parts[0]
        var odd = plain.json(general: true)
        odd["signatures"] = .array((odd["signatures"]?.array ?? []) + ["x"])
        let forms = [
            json("82b: the flattened form inside the general one", both, .refused(.sdMalformed)),
            json("82c: a signature that is no object", odd, .refused(.sdMalformed)),
        ]
        let twice = Array((plain.json().text.dropLast() + ",\"payload\":\"e30\"}").utf8)
        let doubled = KitCase(
            .sdJWT, "84: the payload twice", twice, plain.request, .refused(.parseDuplicateKey))
        let forged = (SDForgeries.all + CertificateSignerTests.forgeries + VerdictForgeries.selective).map { forgery in
            var sample = SDSample()
            forgery.change(&sample)
            return make(name(forgery), sample, answer(forgery))
        }
        let twins = (SDForgeries.twins + VerdictForgeries.selectiveTwins).map { forgery in
            var sample = SDSample()
            forgery.change(&sample)
            return make(forgery.name, sample, .genuine)
        }
        let shapes = SDFormForgeries.forms(of: plain).map { json($0.name, $0.object, $0.answer) }
        return good + forms + shapes + [doubled] + forged + twins
    }

    private static func documents() throws -> [KitCase] {
        let forgeries =
            MobileDocumentForgery.good + MobileDocumentForgery.elements + MobileDocumentForgery.signatures
            + MobileDocumentForgery.types + MobileDocumentForgery.certificates + MobileDocumentForgery.spellings
            + MobileDocumentForgery.forms + VerdictForgeries.documents + VerdictForgeries.documentTwins
        return try forgeries.map { forgery in
            var setting = try MobileDocumentForgery.Setting()
            try forgery.make(&setting)
            return KitCase(
                .mobileDocument, forgery.name, setting.bytes ?? setting.builder.document.encoded, setting.request,
                forgery.answer)
        }
    }

    /// One good document beside lists of authorities, good and forged.
    private static func lists() throws -> [KitCase] {
        typealias Sample = AuthorityListTests.Sample
        func make(
            _ name: String, _ answer: MobileDocumentForgery.Answer, _ change: (inout Sample) -> Void = { _ in }
        ) throws -> KitCase {
            var sample = try Sample()
            change(&sample)
            var setting = try MobileDocumentForgery.Setting()
            setting.request.trust.roots = []
            setting.request.trust.authorityLists = [
                PinnedAuthorityList(bytes: try sample.encoded(), root: sample.root)
            ]
            return KitCase(
                .mobileDocument, name, setting.builder.document.encoded, setting.request, answer)
        }
        let whole = try Sample()
        return [
            try make("an authority of a list", .genuine),
            try make("72: a list whose entry is for another type", .notChecked(.x5Anchor)) {
                $0.entry[3] = [.text("docType"), .array([.text("org.iso.23220.photoid.1")])]
            },
            try make("73: a list with a wrong signature", .notChecked(.sigInvalid)) {
                $0.changeSignature = { $0[9] ^= 1 }
            },
            try make("74: a list that should have been replaced", .genuineWithNote(.stStale)) {
                $0.nextUpdate = "2025-05-02T00:00:00Z"
            },
            try make("74b: a list whose time is over", .notChecked(.timeExpired)) { $0.end = "2025-05-02T00:00:00Z" },
            try make("75: a list with another key identifier than its certificate", .notChecked(.x5Anchor)) {
                $0.entry[2] = [.text("ski"), .bytes([9, 9, 9, 9])]
            },
            try make("75b: a list with another serial number than its certificate", .notChecked(.x5Anchor)) {
                $0.entry[1] = [.text("serialNumber"), .tagged(2, .bytes([7]))]
            },
            try make("75c: a list with another subject than its certificate", .notChecked(.x5Anchor)) {
                $0.entry.append([.text("subject"), .bytes([0x30, 0])])
            },
            try make("76: a list signed with a key for another use", .notChecked(.x5Eku)) {
                $0.signer.extensions = [.keyUsage(.digitalSignature), .extendedKeyUsage([.mobileDocumentSigner])]
            },
            try make("a list of another version", .notChecked(.mdVersion)) { $0.version = "2.0" },
            try make("75d: a list with another issuer than its certificate", .notChecked(.x5Anchor)) {
                $0.entry.append([.text("issuer"), .bytes([0x30, 0])])
            },
            try make("a list with a serial number below zero", .notChecked(.x5Anchor)) {
                $0.entry[1] = [.text("serialNumber"), .tagged(3, .bytes([1]))]
            },
            try make("a list with a number among the types", .notChecked(.x5Anchor)) {
                $0.entry[3] = [.text("docType"), .array([.text(MobileDocumentBuilder.mdl), .int(1)])]
            },
            try make("a list without its provider", .notChecked(.mdForm)) { $0.provider = nil },
            KitCase(
                .cwt, "a list of authorities as a credential", try whole.encoded(), CWTForgery.Setting().request,
                .refused(.parseCBOR)),
        ]
    }

    private static func claims() throws -> [KitCase] {
        let forgeries =
            CWTForgery.good + CWTForgery.signatures + CWTForgery.forms + CWTForgery.claims + CWTForgery.certificates
            + CWTForgery.lists + CWTForgery.details + VerdictForgeries.claims + VerdictForgeries.claimTwins
        return try forgeries.map { forgery in
            var setting = CWTForgery.Setting()
            try forgery.make(&setting)
            return KitCase(.cwt, forgery.name, setting.encoded, setting.request, forgery.answer)
        }
    }

    /// Documents with proofs inside.
    private static func linkedData() -> [KitCase] {
        func make(_ name: String, _ sample: ProofSample, _ answer: MobileDocumentForgery.Answer) -> KitCase {
            KitCase(.linkedData, name, Array(sample.editText(sample.signed.text).utf8), sample.request, answer)
        }
        func cases(_ forgeries: [Forgery<ProofSample>], of base: ProofSample, areGood: Bool = false) -> [KitCase] {
            forgeries.map { forgery in
                var sample = base
                forgery.change(&sample)
                return make(
                    areGood ? forgery.name : name(forgery), sample, areGood ? .genuine : answer(forgery))
            }
        }
        let statements = ProofSample.statements("Ed25519Signature2018", .edwards)
        return [
            make("a proof over JSON", ProofSample(), .genuine),
            make("a proof over statements", statements, .genuine),
            make("a presentation by the subject", PresentationProofTests.sample(), .genuine),
        ] + cases(SignedJSONForgeries.all, of: ProofSample())
            + cases(SignedJSONForgeries.twins, of: ProofSample(), areGood: true)
            + cases(VerdictForgeries.linkedData, of: ProofSample())
            + cases(VerdictForgeries.linkedDataTwins, of: ProofSample(), areGood: true)
            + cases(SignedStatementsForgeries.all, of: statements)
            + cases(ECDSAProofForgeries.twins + SelectiveForgeries.twins, of: statements, areGood: true)
            + cases(MeaningForgeries.all.filter { $0.number != 59 }, of: MeaningForgeries.sample)
            + cases(MeaningForgeries.twins, of: MeaningForgeries.sample, areGood: true)
            + cases(PresentationProofTests.forgeries, of: PresentationProofTests.sample())
    }

    /// Good credentials with one bit of the signature changed, eight of each format.
    private static func changed() throws -> [KitCase] {
        var random = SeededRandom(seed: seed)
        var cases: [KitCase] = []
        for _ in 0..<8 {
            let (place, bit) = (Int(random.below(64)), UInt8(1) << UInt8(random.below(8)))
            let change: @Sendable (inout [UInt8]) -> Void = { $0[place] ^= bit }
            let name = "bit \(bit.trailingZeroBitCount) of byte \(place) of the signature"
            func add(_ format: CredentialFormat, _ bytes: [UInt8], _ request: VerificationRequest) {
                cases.append(KitCase(format, name, bytes, request, .refused(.sigInvalid)))
            }
            var token = JWTSample()
            token.edit = { TokenEdit.part(2, of: $0, change) }
            add(.jwt, Array(token.text.utf8), token.request)
            var selective = SDSample()
            selective.editToken = { TokenEdit.part(2, of: $0, change) }
            add(.sdJWT, Array(selective.text.utf8), selective.request)
            var document = try MobileDocumentForgery.Setting()
            document.builder.changeSignature = change
            add(.mobileDocument, document.builder.document.encoded, document.request)
            var claims = CWTForgery.Setting()
            claims.changeSignature = change
            add(.cwt, claims.encoded, claims.request)
            var proof = ProofSample()
            proof.changeSignature(change)
            add(.linkedData, Array(proof.signed.text.utf8), proof.request)
        }
        return cases
    }
}
