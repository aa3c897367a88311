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
        try tokens() + selective() + documents() + KitSessions.all() + lists() + entries() + claims() + linkedData()
            + changed()
            + KitCodes.all(tokens: claims(), others: tokens() + selective() + linkedData(), documents: documents())
            + KitPrintedCodes.all() + KitSignerCodes.all() + KitCardCodes.all() + KitCodeTexts.all()
            + CertificateKeyResolverTests.curves.map(selective) + KitDecisions.all() + KitFacts.all() + KitForms.all()
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
        let forged =
            (JWTForgeries.all + VerdictForgeries.tokens + PresentationForgeries.all + StatusForgeries.tokens
            + IssuerForgeries.tokens).map { forgery in
                var sample = JWTSample()
                forgery.change(&sample)
                return make(name(forgery), sample, answer(forgery))
            }
        let twins =
            (JWTForgeries.twins + VerdictForgeries.tokenTwins + PresentationForgeries.twins
            + StatusForgeries.tokenTwins + IssuerForgeries.tokenTwins + TimeForgeries.twins).map { forgery in
                var sample = JWTSample()
                forgery.change(&sample)
                return make(forgery.name, sample, .genuine)
            }
        return good + forged + twins
    }

    private static func selective() -> [KitCase] { forms() + selectiveForgeries() }

    /// Without the proof of the holder, where none is asked for.
    private static var unbound: SDSample {
        var unbound = SDSample()
        unbound.holderSigner = nil
        unbound.request.policy.nonce = nil
        unbound.request.policy.audience = nil
        return unbound
    }

    private static func forms() -> [KitCase] {
        func make(_ name: String, _ sample: SDSample, _ answer: MobileDocumentForgery.Answer) -> KitCase {
            KitCase(.sdJWT, name, Array(sample.text.utf8), sample.request, answer)
        }
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
        let shapes = SDFormForgeries.forms(of: plain).map { json($0.name, $0.object, $0.answer) }
        return good + forms + rareForms() + shapes + [doubled]
    }

    /// Forms in JSON with several signatures and headers.
    private static func rareForms() -> [KitCase] {
        let (plain, unbound) = (SDSample(), unbound)
        let parts = plain.token.split(separator: ".").map { JSONValue.string(String($0)) }
        func json(_ name: String, _ object: JSONObject, _ answer: MobileDocumentForgery.Answer) -> KitCase {
            KitCase(.sdJWT, name, object.encoded, plain.request, answer)
        }
        let single = unbound.token.split(separator: ".").map { JSONValue.string(String($0)) }
        let bad: JSONObject = [
            "protected": single[0], "signature": .string(String(repeating: "A", count: 86)),
            "header": .object(["disclosures": .strings(unbound.disclosures)]),
        ]
        let two: JSONObject = [
            "payload": single[1],
            "signatures": .array([.object(bad), .object(["protected": single[0], "signature": single[2]])]),
        ]
        let proven: JSONObject = [
            "protected": parts[0], "signature": parts[2], "header": .object(["kb_jwt": "e30.e30."]),
        ]
        var tilde = plain.json()
        tilde["header"] = .object(["disclosures": .strings(plain.disclosures + ["a~b"])])
        var other = SDSample()
        SDDataModelForgeries.makeCredential(&other)
        let model = other.token.split(separator: ".").map { JSONValue.string(String($0)) }
        let again: JSONObject = ["protected": model[0], "signature": model[2]]
        return [
            KitCase(
                .sdJWT, "82f: a credential of the W3C with two signatures",
                other.json(general: true, second: again).encoded, other.request, .refused(.sdTyp)),
            KitCase(
                .sdJWT, "a bad signature beside a good one in JSON", two.encoded, unbound.request, .genuine),
            json(
                "a second signature with a header of its own",
                plain.json(
                    general: true,
                    second: ["protected": parts[0], "signature": parts[2], "header": .object(["note": "x"])]),
                .genuine),
            json(
                "82d: a proof of the holder in the second header", plain.json(general: true, second: proven),
                .refused(.sdMalformed)),
            json("82e: a disclosure with a tilde in JSON", tilde, .refused(.sdMalformed)),
        ]
    }

    private static func selective(_ forgery: Forgery<SDSample>) -> KitCase {
        var sample = SDSample()
        forgery.change(&sample)
        return KitCase(.sdJWT, name(forgery), Array(sample.text.utf8), sample.request, answer(forgery))
    }

    private static func selectiveForgeries() -> [KitCase] {
        func make(_ name: String, _ sample: SDSample, _ answer: MobileDocumentForgery.Answer) -> KitCase {
            KitCase(.sdJWT, name, Array(sample.text.utf8), sample.request, answer)
        }
        let forged =
            (SDForgeries.all + CertificateKeyResolverTests.forgeries + VerdictForgeries.selective
            + HolderProofForgeries.all + SDDataModelForgeries.all + StatusForgeries.selective
            + IssuerForgeries.selective).map(selective)
        let twins =
            (SDForgeries.twins + VerdictForgeries.selectiveTwins + HolderProofForgeries.twins
            + SDDataModelForgeries.twins
            + StatusForgeries.selectiveTwins + IssuerForgeries.selectiveTwins).map { forgery in
                var sample = SDSample()
                forgery.change(&sample)
                return make(forgery.name, sample, .genuine)
            }
        return forged + twins
    }

    private static func documents() throws -> [KitCase] {
        let forgeries =
            MobileDocumentForgery.good + MobileDocumentForgery.elements + MobileDocumentForgery.signatures
            + MobileDocumentForgery.types + MobileDocumentForgery.certificates + MobileDocumentForgery.spellings
            + MobileDocumentForgery.forms + VerdictForgeries.documents + VerdictForgeries.documentTwins
            + StatusForgeries.documents + MobileDocumentKeyForgeries.all
        return try forgeries.map { forgery in
            var setting = try MobileDocumentForgery.Setting()
            try forgery.make(&setting)
            return KitCase(
                .mobileDocument, forgery.name, setting.bytes ?? setting.builder.document.encoded, setting.request,
                forgery.answer)
        }
    }

    private typealias ListSample = IssuingAuthorityListTests.Sample

    /// Returns a kit case with one good mobile document and a changed list of authorities.
    private static func list(
        _ name: String, _ answer: MobileDocumentForgery.Answer, authority: SignerAuthority? = nil,
        _ change: (inout ListSample) throws -> Void = { _ in }
    ) throws -> KitCase {
        var sample = try ListSample()
        var setting = try MobileDocumentForgery.Setting()
        if let authority {
            sample.authority = authority
            setting.authority = authority
            sample.entry[0] = [.text("certificate"), .bytes(try authority.rootDER())]
            try setting.issueAgain()
        }
        try change(&sample)
        setting.request.trust.roots = []
        setting.request.trust.authorityLists = [PinnedAuthorityList(bytes: try sample.encoded(), root: sample.root)]
        return KitCase(.mobileDocument, name, setting.builder.document.encoded, setting.request, answer)
    }

    /// Entries of lists of authorities that are not used, and good ones that lie close to such an entry.
    private static func entries() throws -> [KitCase] {
        func entry(
            _ name: String, _ answer: MobileDocumentForgery.Answer, _ member: String, _ value: CBORItem
        ) throws -> KitCase {
            try list(name, answer) { $0.entry.append([.text(member), value]) }
        }
        func time(_ text: String) -> CBORItem { .tagged(0, .text(text)) }
        var negative = try SignerAuthority()
        negative.root.serialNumber = [0, 0x80]
        let authority = try SignerAuthority()
        let subject = try Certificate(der: authority.rootDER()).subject.der
        return [
            try list("a list with a critical label", .notChecked(.algCrit)) {
                $0.protectedHeader += [[.int(2), .array([.int(99)])], [.int(99), .int(1)]]
            },
            try list("a list that brings no certificate", .notChecked(.x5Chain)) { $0.bringsChain = false },
            try list("a list of tomorrow", .notChecked(.timeFuture)) { $0.date = "2025-06-02T00:00:00Z" },
            try list("a list whose next one is due", .genuine) { $0.nextUpdate = "2025-06-01T00:00:00Z" },
            try list("a list with the head of the key identifier's string", .genuine) {
                $0.entry[2] = [.text("ski"), .bytes([4, 4, 1, 2, 3, 4])]
            },
            try list("a list with the head of a longer key identifier", .notChecked(.x5Anchor)) {
                $0.entry[2] = [.text("ski"), .bytes([4, 5, 1, 2, 3, 4])]
            },
            try list("a list whose serial number begins with a zero", .genuine) {
                $0.entry[1] = [.text("serialNumber"), .tagged(2, .bytes([0, 1]))]
            },
            try list("a list whose certificate's serial number begins with a zero", .genuine, authority: negative) {
                $0.entry[1] = [.text("serialNumber"), .tagged(2, .bytes([0x80]))]
            },
            try list("a list whose serial number is a plain number", .genuine) {
                $0.entry[1] = [.text("serialNumber"), .int(1)]
            },
            try list("a list whose serial number is another plain number", .notChecked(.x5Anchor)) {
                $0.entry[1] = [.text("serialNumber"), .int(2)]
            },
            try list("a list of a version that is no number", .notChecked(.mdVersion)) { $0.version = "1.a" },
            try list("a list whose certificate cannot be read", .notChecked(.x5Anchor)) {
                $0.entry[0] = [.text("certificate"), .bytes([0x30, 0])]
            },
            try entry("a list with the subject of its certificate", .genuine, "subject", .bytes(subject)),
            try entry("a list with the issuer of its certificate", .genuine, "issuer", .bytes(subject)),
            try entry("a list whose entry ended", .notChecked(.x5Anchor), "notAfter", time("2025-05-31T00:00:00Z")),
            try entry("a list whose entry ends tomorrow", .genuine, "notAfter", time("2025-06-02T00:00:00Z")),
            try entry(
                "a list whose entry begins tomorrow", .notChecked(.x5Anchor), "notBefore", time("2025-06-02T00:00:00Z")),
            try entry("a list whose entry began", .genuine, "notBefore", time("2025-05-31T00:00:00Z")),
            try entry("a list whose entry ends at no time", .notChecked(.x5Anchor), "notAfter", .text("tomorrow")),
            try entry(
                "a list whose entry is of another country", .notChecked(.x5Anchor), "issuingCountry", .text("DE")),
            try entry("a list whose entry is of its country", .genuine, "issuingCountry", .text("US")),
        ]
    }

    /// One good document beside lists of authorities, good and forged.
    private static func lists() throws -> [KitCase] {
        func make(
            _ name: String, _ answer: MobileDocumentForgery.Answer,
            _ change: (inout ListSample) throws -> Void = { _ in }
        ) throws -> KitCase {
            try list(name, answer, change)
        }
        let whole = try ListSample()
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
            + StatusForgeries.claims + CWTKeyForgeries.all
        var typed = CWTForgery.Setting()
        typed.request.policy.types = ["Example"]
        var untyped = KitCase(
            .cwt, "a type that is asked of a token", typed.encoded, typed.request, .notChecked(.vcType))
        // A token names no type, which has no code of its own.
        untyped.code = nil
        return try forgeries.map { forgery in
            var setting = CWTForgery.Setting()
            try forgery.make(&setting)
            return KitCase(.cwt, forgery.name, setting.encoded, setting.request, forgery.answer)
        } + [untyped]
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
            + cases(DocumentMemberForgeries.all + ProofSetForgeries.all, of: ProofSample())
            + cases(DocumentMemberForgeries.twins + ProofSetForgeries.twins, of: ProofSample(), areGood: true)
            + cases(DocumentMemberForgeries.statements, of: statements)
            + cases(DocumentMemberForgeries.statementTwins, of: statements, areGood: true)
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
