import CBOR
import CryptoSuite
import Determinism
import JSON

@testable import Credentials

/// Credentials before the policy of a desk, and what it decides.
enum KitDecisions {
    private static func make(
        _ name: String, _ decision: String, _ policy: JSONValue, of sample: JWTSample = named(),
        _ answer: MobileDocumentForgery.Answer = .genuine
    ) -> KitCase {
        var made = KitCase(.jwt, "a desk: \(name)", Array(sample.text.utf8), sample.request, answer)
        (made.policy, made.decision) = (policy, decision)
        return made
    }

    private static let issuer = Signer.p256.did

    /// A credential whose issuer the trust file names.
    private static func named(_ identifier: String = issuer) -> JWTSample {
        var sample = JWTSample()
        sample.payload["issuer"] = .string(identifier)
        sample.request.trust.methods = []
        var entry = TrustedIssuer(identifier)
        entry.name = "Civil Registry of Norvenia"
        sample.request.trust.issuers = [entry]
        if identifier != issuer {
            sample.request.trust.keys = [
                PinnedKey(address: issuer, document: .object([:]), issuers: [identifier])
            ]
        }
        return sample
    }

    private static func accept(_ rules: JSONValue..., otherwise: JSONValue? = nil) -> JSONValue {
        .object(JSONObject(present: ["accept": .array(rules), "otherwise": otherwise]))
    }

    private static func rule(
        issuers: [String]? = nil, types: [String]? = nil, checks: [String]? = nil
    ) -> JSONValue {
        .object(
            JSONObject(present: [
                "issuers": issuers.map(JSONValue.strings), "types": types.map(JSONValue.strings),
                "checks": checks.map(JSONValue.strings),
            ]))
    }

    static func all() throws -> [KitCase] { try rules() + words() + presentations() + documents() + malformed() }

    private static func rules() -> [KitCase] {
        var expired = named()
        expired.request.time = WallTime(millisecondsSinceEpoch: 2_100_000_000_000)
        var unknown = named()
        unknown.request.trust.issuers = []
        let listed = StatusSample()
        var current = named()
        current.payload["status"] = .object([
            "status_list": .object(["idx": .int(listed.index), "uri": .string(listed.address)])
        ])
        return [
            make("its issuer and type", "accept", accept(rule(issuers: [issuer], types: ["Other", "Example"]))),
            make("another issuer", "reject", accept(rule(issuers: ["did:web:a.example"]), otherwise: "reject")),
            make("another type", "ask", accept(rule(issuers: [issuer], types: ["Other"]), otherwise: "ask")),
            make("its type alone", "accept", accept(rule(types: ["Example"]))),
            make("a second rule", "accept", accept(rule(types: ["Other"]), rule(issuers: [issuer]))),
            make("a rule of nothing", "accept", accept(rule())),
            make("no rule", "reject", .object(["otherwise": "reject"])),
            make("no rule and nothing else", "ask", .object([:])),
            make("a check that passed", "accept", accept(rule(checks: ["signature", "trust"]))),
            make("a check that was not done", "ask", accept(rule(checks: ["signature", "holder"]))),
            make("a check that had nothing to look at", "ask", accept(rule(checks: ["chain"]))),
            make("what is refused", "ask", accept(rule()), of: expired, .refused(.timeExpired)),
            make(
                "what is not checked", "reject", accept(rule(), otherwise: "reject"), of: unknown,
                .notChecked(.trustIssuer)),
            make("an issuer that a method lets issue", "ask", accept(rule(types: ["Example"])), of: JWTSample()),
            make("a named issuer that a method lets issue", "accept", accept(rule(issuers: [issuer])), of: JWTSample()),
        ]
    }

    /// Names of issuers: identifiers, and none that is a word.
    private static func words() -> [KitCase] {
        let identifiers = ["https://registry.example", "http://registry.example", "urn:example:registry"]
        return identifiers.map { word in
            make("the issuer \(word)", "accept", accept(rule(issuers: [word])), of: named(word))
        } + [
            make("a word that is no identifier", "ask", accept(rule(issuers: ["registry"])), of: named("registry")),
            make(
                "the name of the issuer", "ask", accept(rule(issuers: ["Civil Registry of Norvenia"]))),
            make("the first letters of the issuer", "ask", accept(rule(issuers: [String(issuer.dropLast())]))),
        ]
    }

    private static func presentations() -> [KitCase] {
        func presented(_ credentials: [JWTSample]) -> JWTSample {
            var sample = JWTSample.presentation(of: credentials[0].text)
            sample.request.trust = named().request.trust
            if credentials.count > 1 {
                let more = credentials.dropFirst().flatMap { one in
                    JWTSample.presentation(of: one.text).payload["verifiableCredential"]?.array ?? []
                }
                sample.payload["verifiableCredential"] = .array(
                    (sample.payload["verifiableCredential"]?.array ?? []) + more)
            }
            return sample
        }
        var current = named()
        let list = StatusSample.ofKey(value: 0)
        current.payload["status"] = .object([
            "status_list": .object(["idx": .int(list.index), "uri": .string(list.address)])
        ])
        var listed = presented([current])
        listed.request.trust.statusLists = [
            PinnedStatusList(address: list.address, bytes: list.pinned.bytes, fetchedAt: listed.request.time)
        ]
        var unasked = presented([named()])
        unasked.request.policy.nonce = nil
        unasked.request.policy.audience = nil
        var proven = JWTSample.presentation(of: SDSample().text, media: "dc+sd-jwt")
        proven.request.trust = SDSample().request.trust
        var other = named()
        other.payload["type"] = .strings(["VerifiableCredential", "Second"])
        return [
            make(
                "a presentation that proves its holder", "accept", accept(rule(checks: ["holder"])),
                of: presented([named()])),
            make(
                "a presentation of a credential whose status is good", "accept", accept(rule(checks: ["status"])),
                of: listed),
            make(
                "a presentation of a credential without a status", "ask", accept(rule(checks: ["status"])),
                of: presented([named()])),
            make(
                "a presentation that nothing was asked of", "accept", accept(rule(checks: ["signature"])), of: unasked),
            make(
                "a presentation that nothing was asked of, and its holder", "ask", accept(rule(checks: ["holder"])),
                of: unasked),
            make(
                "a presentation of a credential with a proof of its own", "accept", accept(rule(checks: ["holder"])),
                of: proven),
            make(
                "a presentation of a credential of another type", "ask", accept(rule(types: ["Other"])),
                of: presented([named()])),
            make(
                "a presentation of two, one of which fits", "ask", accept(rule(types: ["Example"])),
                of: presented([named(), other])),
            make(
                "a presentation of two that fit two rules", "accept",
                accept(rule(types: ["Example"]), rule(types: ["Second"])), of: presented([named(), other])),
        ]
    }

    /// A token under a root, before a policy that names the root.
    private static func certified(_ name: String, _ decision: String, hasEntry: Bool = false) throws -> KitCase {
        var sample = SDSample()
        CertificateSample().put(into: &sample)
        sample.request.trust.roots[0].name = "Ministry"
        if hasEntry {
            var entry = TrustedIssuer(SDSample.issuer)
            entry.name = "Registry"
            sample.request.trust.issuers = [entry]
        }
        var made = KitCase(.sdJWT, "a desk: \(name)", Array(sample.text.utf8), sample.request, .genuine)
        let path = KitTrustFile.name(of: try CertificateSample().rootCertificate(), "der")
        (made.policy, made.decision) = (accept(rule(issuers: [path])), decision)
        return made
    }

    /// Mobile documents, whose issuer is named by the path of its root.
    private static func documents() throws -> [KitCase] {
        func make(_ name: String, _ decision: String, _ word: String) throws -> KitCase {
            let setting = try MobileDocumentForgery.Setting()
            var made = KitCase(
                .mobileDocument, "a desk: \(name)", setting.builder.document.encoded, setting.request, .genuine)
            (made.policy, made.decision) = (accept(rule(issuers: [word])), decision)
            return made
        }
        let authority = try SignerAuthority()
        let path = KitTrustFile.name(of: try authority.rootDER(), "der")
        let subject = try Certificate(der: authority.signerDER()).subject.description
        return [
            try certified("the root of a token", "accept"),
            try certified("the root of a token whose issuer has an entry", "ask", hasEntry: true),
            try make("the root of a document", "accept", path), try make("another root", "ask", "iaca.pem"),
            try make("the subject of a signer", "ask", subject), try make("an empty word", "ask", ""),
        ]
    }

    private static func malformed() -> [KitCase] {
        let policies: [(name: String, value: JSONValue)] = [
            ("that is no object", .array([])), ("with a member that is not known", .object(["reject": .array([])])),
            ("whose rules are no list", .object(["accept": .object([:])])),
            ("with a rule that is no object", accept("all")),
            ("with issuers that are no list", accept(.object(["issuers": .string(issuer)]))),
            ("with an issuer that is no text", accept(.object(["issuers": .array([.int(1)])]))),
            ("with a check that there is not", accept(rule(checks: ["luck"]))),
            ("with a member of a rule that is not known", accept(.object(["names": .strings(["a"])]))),
            ("that accepts all else", accept(rule(), otherwise: "accept")),
            ("that does something else", accept(rule(), otherwise: "wait")),
            ("whose other decision is no text", accept(rule(), otherwise: .int(1))),
        ]
        return policies.map { make("a policy \($0.name)", "malformed", $0.value) }
    }
}
