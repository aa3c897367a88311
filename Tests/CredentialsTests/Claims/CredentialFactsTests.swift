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
            CredentialReport(format, CredentialCheckList(), policy: VerificationPolicy(), content: content))
    }

    @Test func `of several name claims in a credential the outermost is the holder's name`() {
        let facts = facts(["credentialSubject": ["school": ["name": "Lycée"], "name": "Amina"]])
        #expect(facts.holderNames.map(\.text) == ["Amina"])
    }

    @Test func `the holder's full name is preferred to name parts, and these to a plain name claim`() {
        let parts: JSONObject = ["name": "loose", "given_name": "Amina", "family_name": "Diallo"]
        #expect(facts(.object(parts)).holderNames.map(\.text) == ["Amina Diallo"])
        var whole = parts
        whole["fullName"] = "Amina D. Diallo"
        #expect(facts(.object(whole)).holderNames.map(\.text) == ["Amina D. Diallo"])
    }

    @Test func `a claim counts as a name if it is called so and is nested in no other claim`() {
        let claims: JSONValue = [
            "credentialSubject": ["Family-Name": "Diallo", "nickname": "Mina", "school": ["name": "Lycée"]]
        ]
        #expect(facts(claims).claims.filter(\.isName).map(\.path) == [["Family-Name"]])
    }

    @Test func `a name part in one language is joined with the other part in each of its languages`() {
        let family: JSONValue = [["language": "de", "value": "Muster"], ["language": "en", "value": "Sample"]]
        #expect(
            facts(["givenName": "Ada", "familyName": family]).holderNames
                == [.init("Ada Muster", language: "de"), .init("Ada Sample", language: "en")])
        #expect(
            facts(["givenName": family, "familyName": "Ada"]).holderNames
                == [.init("Muster Ada", language: "de"), .init("Sample Ada", language: "en")])
    }

    @Test func `a picture of a credential is not listed among its claims too`() {
        let facts = facts(["org": ["portrait": "a JPEG picture of 100 bytes", "age": 7]]) {
            $0.pictures = [.init(path: ["org", "portrait"], bytes: [0xFF, 0xD8, 0xFF])]
        }
        #expect(facts.claims.map(\.path) == [["org", "age"]])
        #expect(facts.pictures == [.bytes([0xFF, 0xD8, 0xFF])])
    }

    @Test func `validity dates come from the format's own members, not from claims with their names`() {
        let validity = CredentialContent.ValidityPeriod(from: "2026-01-15T00:00:00Z", until: "2036-01-15T00:00:00Z")
        let beside = facts(["org": ["age": 7]]) { $0.validity = validity }
        #expect((beside.validFrom, beside.validUntil) == ("2026-01-15T00:00:00Z", "2036-01-15T00:00:00Z"))
        let inside = facts(["nbf": 1_790_000_000]) { $0.validity = validity }
        #expect(inside.validFrom == "2026-01-15T00:00:00Z")
        #expect(facts(["validUntil": "2099-01-01T00:00:00Z"]).validUntil == nil)
        #expect(facts(["validUntil": "2099-01-01T00:00:00Z"]).claims.map(\.path) == [["validUntil"]])
    }

    @Test func `an issuer name inside a credential is only a claim, and the trust store's name is shown`() {
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

    @Test func `the type VerifiableCredential is left out if a credential has other types`() {
        #expect(facts([:]) { $0.types = ["VerifiableCredential", "Card"] }.types == ["Card"])
        #expect(facts([:]) { $0.types = ["VerifiableCredential"] }.types == ["VerifiableCredential"])
    }
}
