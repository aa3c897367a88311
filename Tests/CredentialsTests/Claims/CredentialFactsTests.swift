import JSON
import Testing

@testable import Credentials

@Suite struct CredentialFactsTests {
    private func facts(_ claims: JSONValue, _ change: (inout CredentialContent) -> Void = { _ in }) -> CredentialFacts {
        var content = CredentialContent()
        content.claims = claims
        change(&content)
        let format: CredentialFormat = claims["credentialSubject"] == nil ? .sdJWT : .jwt
        return CredentialFacts(
            CredentialReport(format, CheckList(), policy: VerificationPolicy(), content: content))
    }

    @Test func `of several claims with one name the outermost is the holder's`() {
        let facts = facts(["credentialSubject": ["school": ["name": "Lycée"], "name": "Amina"]])
        #expect(facts.holderNames.map(\.text) == ["Amina"])
    }

    @Test func `a full name counts before its parts, and the parts before a loose name`() {
        let parts: JSONObject = ["name": "loose", "given_name": "Amina", "family_name": "Diallo"]
        #expect(facts(.object(parts)).holderNames.map(\.text) == ["Amina Diallo"])
        var whole = parts
        whole["fullName"] = "Amina D. Diallo"
        #expect(facts(.object(whole)).holderNames.map(\.text) == ["Amina D. Diallo"])
    }

    @Test func `a claim is a name where it is called so and stands in no other claim`() {
        let claims: JSONValue = [
            "credentialSubject": ["Family-Name": "Diallo", "nickname": "Mina", "school": ["name": "Lycée"]]
        ]
        #expect(facts(claims).claims.filter(\.isName).map(\.path) == [["Family-Name"]])
    }

    @Test func `a part of a name in one language goes with the other part in each of its languages`() {
        let family: JSONValue = [["language": "de", "value": "Muster"], ["language": "en", "value": "Sample"]]
        #expect(
            facts(["givenName": "Ada", "familyName": family]).holderNames
                == [.init("Ada Muster", language: "de"), .init("Ada Sample", language: "en")])
        #expect(
            facts(["givenName": family, "familyName": "Ada"]).holderNames
                == [.init("Muster Ada", language: "de"), .init("Sample Ada", language: "en")])
    }

    @Test func `a picture that came as bytes is no claim as well`() {
        let facts = facts(["org": ["portrait": "a JPEG picture of 100 bytes", "age": 7]]) {
            $0.pictures = [.init(path: ["org", "portrait"], bytes: [0xFF, 0xD8, 0xFF])]
        }
        #expect(facts.claims.map(\.path) == [["org", "age"]])
        #expect(facts.pictures == [.bytes([0xFF, 0xD8, 0xFF])])
    }

    @Test func `dates come from the signed members of the format, and a claim of their name is a claim`() {
        let validity = CredentialContent.ValidityPeriod(from: "2026-01-15T00:00:00Z", until: "2036-01-15T00:00:00Z")
        let beside = facts(["org": ["age": 7]]) { $0.validity = validity }
        #expect((beside.validFrom, beside.validUntil) == ("2026-01-15T00:00:00Z", "2036-01-15T00:00:00Z"))
        let inside = facts(["nbf": 1_790_000_000]) { $0.validity = validity }
        #expect(inside.validFrom == "2026-01-15T00:00:00Z")
        #expect(facts(["validUntil": "2099-01-01T00:00:00Z"]).validUntil == nil)
        #expect(facts(["validUntil": "2099-01-01T00:00:00Z"]).claims.map(\.path) == [["validUntil"]])
    }

    @Test func `a name that a credential claims for its issuer is a claim, and the trust store's is shown`() {
        let claimed: JSONObject = ["issuer": ["id": "did:web:gov.example", "name": "Government of Utopia"]]
        let facts = facts(.object(claimed)) { $0.issuer = "https://iss.example" }
        #expect(facts.issuer == "https://iss.example" && facts.issuerName == nil)
        #expect(facts.claims.map(\.path) == [["issuer", "id"], ["issuer", "name"]])
        var inside = claimed
        inside["credentialSubject"] = ["age": 7]
        #expect(self.facts(.object(inside)).claims.map(\.path) == [["age"], ["issuer", "name"]])
        #expect(self.facts(.object(inside)).holderNames.isEmpty)
        #expect(self.facts(.object(inside)) { $0.issuerName = "Registry" }.issuerName == nil, "not genuine")
    }

    @Test func `the types that every credential has are left out where there are others`() {
        #expect(facts([:]) { $0.types = ["VerifiableCredential", "Card"] }.types == ["Card"])
        #expect(facts([:]) { $0.types = ["VerifiableCredential"] }.types == ["VerifiableCredential"])
    }
}
