import Credentials
import CryptoSuite
import JSON
import Testing

@testable import Presentations

/// Credentials from a wallet that did not read the request.
@Suite struct UnboundCredentialTests {
    private let holder: PresentationSigningKey

    init() throws { holder = try Samples.key(2) }

    private func check(_ payload: [UInt8], asking presets: [ClaimPreset]) throws -> UnboundCredential {
        let request = try Samples.parsed(Samples.request(presets))
        let result = try PresentationAnswerChecker(request, over: nil, Samples.verification()).check(payload)
        guard case .unbound(let credential) = result else { throw PresentationError(.answerMalformed, "") }
        return credential
    }

    private func card(_ subject: JSONObject) throws -> [UInt8] { try Samples.credential(subject, holder: holder) }

    @Test func `a credential sent without reading the request is verified like a file, with requested claims`() throws {
        let credential = try check(
            card(JSONObject(present: ["name": "Ada", "ageOver18": true, "email": "a@b.example"])),
            asking: [.ageOver18, .name])
        #expect(credential.report.result == .genuine)
        #expect(credential.report.holder == .notShown)
        #expect(credential.answers == [.init(name: "ageOver18", value: true), .init(name: "name", value: "Ada")])
        #expect(credential.isComplete && credential.lacking == [])
    }

    @Test func `requested claims that an unbound credential lacks, or has with other values, are named`() throws {
        let credential = try check(
            card(JSONObject(present: ["name": "Ada", "ageOver18": false])), asking: [.ageOver18, .name, .email])
        #expect(!credential.isComplete)
        #expect(credential.lacking == ["credentialSubject.ageOver18", "credentialSubject.email"])
        #expect(credential.answers == [.init(name: "name", value: "Ada")])
    }

    @Test func `an unbound credential of another type than requested is not complete`() throws {
        let request = try Samples.parsed(
            Samples.request { claims in
                claims["presentation_definition"] = nil
                claims["dcql_query"] = [
                    "credentials": [
                        [
                            "id": "licence", "format": "jwt_vc_json",
                            "meta": ["type_values": [["VerifiableCredential", "DrivingLicence"]]],
                        ]
                    ]
                ]
            })
        let payload = try card(JSONObject(present: ["name": "Ada"]))
        let result = try PresentationAnswerChecker(request, over: nil, Samples.verification()).check(payload)
        guard case .unbound(let credential) = result else { throw PresentationError(.answerMalformed, "") }
        #expect(!credential.isComplete)
        #expect(credential.lacking == ["VerifiableCredential+DrivingLicence"])
    }

    @Test func `a payload that is no credential is never complete`() throws {
        for payload in ["", "{}", "no credential"] {
            let credential = try check(Array(payload.utf8), asking: [.any])
            #expect(credential.report.result != .genuine)
            #expect(!credential.isComplete)
        }
        #expect(try check(card(JSONObject(present: ["name": "Ada"])), asking: [.any]).isComplete)
    }

    @Test func `an answer to another session's request is not accepted as a credential`() throws {
        let request = try Samples.parsed(Samples.request([.name]))
        let held = try Samples.held(JSONObject(present: ["name": "Ada"]), holder: holder)
        let answer = try PresentationAnswerWriter(request, over: Samples.channel).answer(
            ["credential": #require(held)], holder: holder, seconds: 1_790_000_000)
        #expect(!(try check(answer, asking: [.name]).isComplete))
    }
}
