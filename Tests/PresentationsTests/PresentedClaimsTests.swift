import ByteCoding
import Credentials
import CryptoSuite
import JSON
import Testing

@testable import Presentations

/// Claims that a wallet presents of a credential, and those that it withholds.
@Suite struct PresentedClaimsTests {
    /// An SD-JWT with a name, a birth date, an age, an address with two parts, and two nationalities.
    ///
    /// Each is in a disclosure of its own; `age_group` is in none.
    private struct Membership {
        let token: String
        let disclosures: [String: String]
        let holder: PresentationSigningKey

        init(namesKey: Bool = true) throws {
            let holder = try Samples.key(2)
            self.holder = holder
            let issuer = try Samples.key(1)
            func disclosure(_ salt: String, _ name: String?, _ value: JSONValue) -> String {
                let elements = [.string(salt), name.map(JSONValue.string), value].compactMap(\.self)
                return Base64URL.encode(JSONValue.array(elements).encoded)
            }
            func digest(_ text: String) -> JSONValue { .string(Base64URL.encode(SHA256.hash(Array(text.utf8)))) }
            let street = disclosure("s1", "street", "Main")
            let town = disclosure("s2", "town", "Dakar")
            let disclosures = [
                "given_name": disclosure("s3", "given_name", "Ada"),
                "birth_date": disclosure("s4", "birth_date", "1990-01-01"),
                "ageOver18": disclosure("s5", "ageOver18", true), "street": street, "town": town,
                "address": disclosure("s6", "address", ["_sd": [digest(street), digest(town)], "country": "SN"]),
                "first": disclosure("s7", nil, "SN"), "second": disclosure("s8", nil, "FR"),
                "sub": disclosure("s9", "sub", .string(holder.identifier)),
            ]
            self.disclosures = disclosures
            let top = ["given_name", "birth_date", "ageOver18", "address", "sub"].compactMap {
                disclosures[$0].map(digest)
            }
            let elements = ["first", "second"].compactMap { disclosures[$0] }.map {
                JSONValue.object(["...": digest($0)])
            }
            token = String(
                decoding: try issuer.token(
                    type: "dc+sd-jwt",
                    JSONObject(present: [
                        "iss": .string(issuer.identifier), "vct": "https://example.org/member", "age_group": "adult",
                        "_sd": .array(top), "_sd_alg": "sha-256", "nationalities": .array(elements),
                        "cnf": namesKey ? ["jwk": holder.publicJWK] : nil,
                    ])), as: UTF8.self)
        }

        static let order = ["given_name", "birth_date", "ageOver18", "street", "town", "address", "first", "second"]

        var whole: String { compact(Self.order) }

        func compact(_ names: [String], proof: String = "") -> String {
            token + "~" + names.compactMap { disclosures[$0].map { $0 + "~" } }.joined() + proof
        }
    }

    private let membership: Membership

    init() throws { membership = try Membership() }

    private func held(_ text: String) throws -> HeldCredential {
        try #require(HeldCredential(name: "member", bytes: Array(text.utf8), try Samples.verification()))
    }

    private func query(_ paths: [[ClaimPath.ClaimPathElement]], rule: ClaimRule = .any) -> CredentialQuery {
        let claims = paths.compactMap { ClaimPath($0) }.map { CredentialQuery.Claim(paths: [$0], rule: rule) }
        return CredentialQuery(id: "q", formats: [], types: [], claims: claims)
    }

    private func presented(
        _ paths: [[ClaimPath.ClaimPathElement]], of text: String? = nil, rule: ClaimRule = .any
    ) throws -> PresentedClaims {
        try PresentedClaims(
            of: held(text ?? membership.whole), for: query(paths, rule: rule), Samples.verification())
    }

    private func text(_ presented: PresentedClaims) -> String {
        String(decoding: presented.credential.bytes, as: UTF8.self)
    }

    @Test func `of an SD-JWT the wallet sends only the disclosures of requested claims`() throws {
        let presented = try presented([[.member("ageOver18")]])
        #expect(text(presented) == membership.compact(["ageOver18"]))
        #expect(presented.asked == ["ageOver18"])
        #expect(presented.unasked == ["age_group"])
        #expect(
            presented.withheld == [
                "nationalities", "given_name", "birth_date", "address.country", "address.street", "address.town",
            ])
    }

    @Test func `a requested nested claim brings the disclosures around it, and none beside it`() throws {
        let presented = try presented([[.member("address"), .member("town")]])
        #expect(text(presented) == membership.compact(["town", "address"]))
        #expect(presented.asked == ["address.town"])
        #expect(presented.unasked == ["age_group", "address.country"])
    }

    @Test func `a requested claim with nested claims brings their disclosures`() throws {
        #expect(
            try text(presented([[.member("address")]])) == membership.compact(["street", "town", "address"]))
    }

    @Test func `of a requested array the wallet sends the elements that match`() throws {
        let path: [ClaimPath.ClaimPathElement] = [.member("nationalities"), .all]
        #expect(try text(presented([path])) == membership.compact(["first", "second"]))
        #expect(try text(presented([path], rule: .oneOf(["FR"]))) == membership.compact(["second"]))
    }

    @Test func `an SD-JWT is sent whole if leaving out array elements would move the requested one`() throws {
        let first = try presented([[.member("nationalities"), .element(0)]])
        #expect(text(first) == membership.compact(["first"]))
        let second = try presented([[.member("nationalities"), .element(1)]])
        #expect(text(second) == membership.whole)
        #expect(second.withheld.isEmpty)
        #expect(second.unasked.contains("birth_date"))
    }

    @Test func `a request for the name gets the separate given name too`() throws {
        let request = try Samples.parsed(Samples.request([.name]))
        let query = try #require(request.queries.first)
        let holder = try Samples.key(2)
        let credential = try Samples.credential(["familyName": "Lovelace", "givenName": "Ada"], holder: holder)
        let held = try held(String(decoding: credential, as: UTF8.self))
        let presented = try PresentedClaims(of: held, for: query, Samples.verification())
        #expect(presented.asked == ["credentialSubject.familyName", "credentialSubject.givenName"])
        #expect(presented.unasked.isEmpty)
        #expect(try Samples.held(["familyName": "Lovelace"], holder: holder).map { query.missing(in: $0.claims) } == [])
    }

    @Test func `a request without claims gets no SD-JWT disclosures`() throws {
        #expect(try text(presented([])) == membership.compact([]))
    }

    @Test func `the subject of an SD-JWT is sent if it proves the holder, and listed as not requested`() throws {
        let member = try Membership(namesKey: false)
        let whole = member.compact(Membership.order + ["sub"])
        let byName = try presented([[.member("ageOver18")]], of: whole)
        #expect(text(byName) == member.compact(["ageOver18", "sub"]))
        #expect(byName.unasked.contains("sub"))
        let byKey = try presented([[.member("ageOver18")]], of: membership.compact(Membership.order + ["sub"]))
        #expect(text(byKey) == membership.compact(["ageOver18"]))
        #expect(byKey.withheld.contains("sub"))
    }

    @Test func `a stored key binding proof of an SD-JWT is left out of the presentation`() throws {
        let proof = String(
            decoding: try membership.holder.token(type: "kb+jwt", JSONObject(present: ["nonce": "old"])),
            as: UTF8.self)
        let stored = membership.compact(Membership.order, proof: proof)
        #expect(try text(presented([[.member("ageOver18")]], of: stored)) == membership.compact(["ageOver18"]))
    }

    @Test func `an SD-JWT in JSON keeps its token and loses unrequested disclosures and the stored proof`() throws {
        let parts = membership.token.split(separator: ".").map(String.init)
        let all = Membership.order.compactMap { membership.disclosures[$0] }
        let header: JSONValue = ["disclosures": .strings(all), "kb_jwt": "a.b.c"]
        let signature: JSONValue = [
            "protected": .string(parts[0]), "signature": .string(parts[2]), "header": header,
        ]
        let forms: [JSONValue] = [
            ["payload": .string(parts[1]), "signatures": [signature]],
            [
                "payload": .string(parts[1]), "protected": .string(parts[0]), "signature": .string(parts[2]),
                "header": header,
            ],
        ]
        for form in forms {
            let presented = try presented([[.member("ageOver18")]], of: form.text)
            let value = try JSONValue(parsing: presented.credential.bytes)
            let header = value["signatures"]?[0]?["header"] ?? value["header"]
            #expect(header == ["disclosures": .strings(["ageOver18"].compactMap { membership.disclosures[$0] })])
            #expect(value["payload"]?.string == parts[1])
            #expect(presented.withheld.contains("birth_date"))
        }
    }

    @Test func `an answer with a reduced SD-JWT is accepted, and proves its holder`() throws {
        let request = try Samples.parsed(Samples.request([.ageOver18]))
        let query = try #require(request.queries.first)
        let presented = try PresentedClaims(of: held(membership.whole), for: query, Samples.verification())
        let payload = try PresentationAnswerWriter(request, over: Samples.channel)
            .answer([query.id: presented.credential], holder: membership.holder, seconds: 1_790_000_000)
        let checker = try PresentationAnswerChecker(request, over: Samples.channel, Samples.verification())
        guard case .presented(let found) = try checker.check(payload) else {
            throw PresentationError(.answerMalformed, "")
        }
        let report = try #require(found.first?.report)
        #expect(report.result == .genuine)
        #expect(report.inner.first?.content.claims?["birth_date"] == nil)
        #expect(report.inner.first?.content.claims?["ageOver18"] == true)
        #expect(report.checks.filter { $0.kind == .holder }.map(\.outcome) == [.passed])
    }

    @Test func `a credential of another format is sent whole, and its unrequested claims are listed`() throws {
        let holder = try Samples.key(2)
        let credential = try Samples.credential(
            ["name": "Ada", "ageOver18": true, "tags": ["a", "b"]], holder: holder)
        let stored = String(decoding: credential, as: UTF8.self)
        let presented = try presented([[.member("credentialSubject"), .member("ageOver18")]], of: stored)
        #expect(text(presented) == stored)
        #expect(presented.asked == ["credentialSubject.ageOver18"])
        #expect(presented.unasked == ["credentialSubject.name", "credentialSubject.tags"])
        #expect(presented.withheld.isEmpty)
    }
}
