import Credentials
import TestSupport
import Testing

@testable import Desk

@Suite struct DecisionPolicyTests {
    private func report(
        issuer: String = "did:a", types: [String] = ["Card"], failed: [CredentialCheck.Kind] = [],
        missing: [CredentialCheck.Kind] = [], passedTwice: [CredentialCheck.Kind] = [],
        leftOnce: [CredentialCheck.Kind] = [], authority: CredentialContent.TrustStoreGrant? = nil
    ) -> CredentialReport {
        var list = CredentialCheckList()
        for kind in CredentialFormat.jwt.kinds where !missing.contains(kind) {
            if failed.contains(kind) { list.fail(.sigInvalid, "no", in: kind) } else { list.pass(kind, "yes") }
        }
        for kind in passedTwice { list.pass(kind, "yes again") }
        for kind in leftOnce { list.leave(kind, "no answer") }
        var content = CredentialContent()
        content.issuer = issuer
        content.types = types
        content.authority = authority
        return CredentialReport(.jwt, list, policy: VerificationPolicy(), content: content)
    }

    private func policy(_ text: String) throws -> DecisionPolicy { try DecisionPolicy(parsing: Array(text.utf8)) }

    @Test func `a decision policy without rules leaves the decision to a person`() throws {
        #expect(DecisionPolicy().outcome(of: [report()]) == .ask)
        #expect(try policy("{}").outcome(of: [report()]) == .ask)
        #expect(try policy(#"{"otherwise":"reject"}"#).outcome(of: [report()]) == .reject)
    }

    @Test func `a policy rule accepts genuine credentials of its issuers and types, and nothing else`() throws {
        let policy = try policy(#"{"accept":[{"issuers":["did:a"],"types":["Card","Pass"]}],"otherwise":"reject"}"#)
        #expect(policy.outcome(of: [report()]) == .accept)
        #expect(policy.outcome(of: [report(issuer: "did:b")]) == .reject)
        #expect(policy.outcome(of: [report(types: ["Other"])]) == .reject)
        #expect(policy.outcome(of: [report(failed: [.signature])]) == .reject)
        #expect(policy.outcome(of: [report(missing: [.signature])]) == .reject)
        #expect(policy.outcome(of: []) == .reject)
    }

    @Test func `a policy rule names an mdoc issuer by its root file, not by a certificate's subject`() throws {
        let subject = "CN=Signer, O=Registry"
        let document = report(issuer: subject, authority: .root("iaca.pem"))
        #expect(try policy(#"{"accept":[{"issuers":["iaca.pem"]}]}"#).outcome(of: [document]) == .accept)
        #expect(try policy(#"{"accept":[{"issuers":["other.pem"]}]}"#).outcome(of: [document]) == .ask)
        #expect(try policy("{\"accept\":[{\"issuers\":[\"\(subject)\"]}]}").outcome(of: [document]) == .ask)
    }

    @Test func `an empty issuer in a policy rule matches no root certificate, not even one without a path`() throws {
        let document = report(issuer: "CN=Signer", authority: .root(""))
        #expect(try policy(#"{"accept":[{"issuers":[""]}]}"#).outcome(of: [document]) == .ask)
    }

    @Test func `a policy rule without issuers accepts no issuer that is trusted only by its DID method`() throws {
        let stranger = report(issuer: "did:key:z1", authority: .method("did:key"))
        #expect(try policy(#"{"accept":[{"types":["Card"]}]}"#).outcome(of: [stranger]) == .ask)
        #expect(try policy(#"{"accept":[{"issuers":["did:key:z1"]}]}"#).outcome(of: [stranger]) == .accept)
        let named = report(issuer: "did:key:z1", authority: .issuer("did:key:z1"))
        #expect(try policy(#"{"accept":[{"types":["Card"]}]}"#).outcome(of: [named]) == .accept)
    }

    @Test func `each credential of a payload must match a policy rule`() throws {
        let policy = try policy(#"{"accept":[{"issuers":["did:a"]}]}"#)
        #expect(policy.outcome(of: [report(), report()]) == .accept)
        #expect(policy.outcome(of: [report(), report(issuer: "did:b")]) == .ask)
    }

    @Test func `a check that a policy rule demands must have been done and passed`() throws {
        let policy = try policy(#"{"accept":[{"checks":["status"]}]}"#)
        #expect(policy.outcome(of: [report()]) == .accept)
        #expect(policy.outcome(of: [report(missing: [.status])]) == .ask)
    }

    @Test func `if a policy rule demands a kind of check, all checks of that kind must have passed`() throws {
        let policy = try policy(#"{"accept":[{"checks":["status"]}]}"#)
        #expect(policy.outcome(of: [report(passedTwice: [.status])]) == .accept)
        let half = report(leftOnce: [.status])
        #expect(half.result == .genuine)
        #expect(policy.outcome(of: [half]) == .ask)
    }

    @Test func `for a policy rule, the presentation's holder check counts for the credential in it`() throws {
        let policy = try policy(#"{"accept":[{"issuers":["did:a"],"checks":["holder"]}]}"#)
        func outcome(
            _ presentation: [CredentialCheck.CheckOutcome], _ own: [CredentialCheck.CheckOutcome]
        ) -> DecisionPolicy.PolicyDecision {
            func list(_ outcomes: [CredentialCheck.CheckOutcome]) -> CredentialCheckList {
                var list = CredentialCheckList()
                for kind in CredentialFormat.jwt.kinds where kind != .holder { list.pass(kind, "yes") }
                for outcome in outcomes { list.add(CredentialCheck(.holder, outcome, reason: "so")) }
                return list
            }
            // A check that the policy of verification does not demand leaves the result genuine.
            var demands = VerificationPolicy()
            demands.setDemand(.reported, on: .holder)
            var content = CredentialContent()
            content.issuer = "did:a"
            let inner = CredentialReport(.jwt, list(own), policy: demands, content: content)
            let whole = CredentialReport(.jwt, list(presentation), policy: demands, inner: [inner])
            return policy.outcome(of: [whole])
        }
        #expect(outcome([.passed], [.notDone]) == .accept)
        #expect(outcome([.passed], [.passed]) == .accept)
        #expect(outcome([.passed], [.failed]) == .ask)
        #expect(outcome([.notDone], [.notDone]) == .ask)
        #expect(outcome([.notDone], [.passed]) == .ask)
        #expect(outcome([.passed, .notDone], [.notDone]) == .ask)
        #expect(outcome([], [.passed]) == .ask)
        // A credential that came in no presentation proves its holder itself.
        #expect(policy.outcome(of: [report(missing: [.holder])]) == .ask)
        #expect(policy.outcome(of: [report()]) == .accept)
    }

    @Test func `policy rules compare issuers and types by their code points`() throws {
        let policy = try policy(#"{"accept":[{"issuers":["did:\u00e9"],"types":["\u00e9"]}]}"#)
        #expect(policy.outcome(of: [report(issuer: "did:\u{E9}", types: ["\u{E9}"])]) == .accept)
        #expect(policy.outcome(of: [report(issuer: "did:e\u{301}", types: ["\u{E9}"])]) == .ask)
        #expect(policy.outcome(of: [report(issuer: "did:\u{E9}", types: ["e\u{301}"])]) == .ask)
    }

    @Test(arguments: [
        "", "[]", #"{"accept":{}}"#, #"{"accept":[7]}"#, #"{"accept":[{"issuers":"did:a"}]}"#,
        #"{"accept":[{"issuers":[7]}]}"#, #"{"accept":[{"checks":["guess"]}]}"#, #"{"accept":[{"colour":["red"]}]}"#,
        #"{"otherwise":"accept"}"#, #"{"otherwise":7}"#, #"{"more":1}"#,
    ])
    func `a malformed decision policy file is refused`(_ text: String) {
        #expect(throws: StationError(.policyMalformed)) { try policy(text) }
    }

    @Test func `a decision policy that is cut short or extended is refused`() throws {
        let bytes = Array(#"{"accept":[{"issuers":["did:a"],"checks":["status"]}],"otherwise":"reject"}"#.utf8)
        #expect(DecoderVerifier.acceptedTruncations(of: bytes) { try DecisionPolicy(parsing: $0) } == [])
        #expect(DecoderVerifier.acceptedExtensions(of: bytes) { try DecisionPolicy(parsing: $0) } == [])
    }

    @Test func `a decision policy file at the size limit is read, and one byte more is refused`() throws {
        let padding = { (count: Int) in "{}" + String(repeating: " ", count: count - 2) }
        _ = try policy(padding(DecisionPolicy.maximumBytes))
        #expect(throws: StationError(.policyMalformed)) { try policy(padding(DecisionPolicy.maximumBytes + 1)) }
    }
}
