import CBOR
import Determinism
import JSON
import Testing

@testable import Credentials

/// Checks around a right signature: holder, type, issuer and status.
@Suite struct VerdictTests {
    @Test(arguments: VerdictForgeries.tokens + VerdictForgeries.tokenTwins)
    func `a token is as good as its holder, its types and its status`(forgery: Forgery<JWTSample>) {
        var sample = JWTSample()
        forgery.change(&sample)
        let report = CredentialVerifier(sample.request).verify(Array(sample.text.utf8))
        check(report, forgery.result, forgery.code)
    }

    @Test(arguments: VerdictForgeries.selective + VerdictForgeries.selectiveTwins)
    func `an SD-JWT is as good as its holder, its root and its status`(forgery: Forgery<SDSample>) {
        var sample = SDSample()
        forgery.change(&sample)
        check(sample.report, forgery.result, forgery.code)
    }

    @Test(arguments: VerdictForgeries.linkedData + VerdictForgeries.linkedDataTwins)
    func `a document with a proof is as good as its holder, its types and its issuer`(forgery: Forgery<ProofSample>) {
        var sample = ProofSample()
        forgery.change(&sample)
        check(CredentialVerifier(sample.request).verify(sample.signed.encoded), forgery.result, forgery.code)
    }

    @Test(arguments: VerdictForgeries.documents + VerdictForgeries.documentTwins)
    func `a mobile document is as good as its session and its status`(forgery: MobileDocumentForgery) throws {
        var setting = try MobileDocumentForgery.Setting()
        try forgery.make(&setting)
        try ReportCheck.check(setting.report, forgery.answer)
    }

    @Test(arguments: VerdictForgeries.claims + VerdictForgeries.claimTwins)
    func `a CWT is as good as its key, its holder and its status`(forgery: CWTForgery) throws {
        var setting = CWTForgery.Setting()
        try forgery.make(&setting)
        try ReportCheck.check(CredentialVerifier(setting.request).verify(setting.encoded), forgery.answer)
    }

    private func check(
        _ report: CredentialReport, _ result: CredentialReport.CredentialVerdict, _ code: CredentialError.Code
    ) {
        let checks = report.checks + report.inner.flatMap(\.checks)
        let found = checks.filter { $0.outcome != .passed }.map { "\($0.code?.rawValue ?? "-") \($0.reason)" }
        #expect(report.result == result, "\(found)")
        #expect(result == .genuine || report.carries(code), "\(found)")
    }

    @Test func `the issuer that is shown is the one that signed, whatever the claims say`() {
        var sample = SDSample()
        sample.payload["issuer"] = ["id": "did:web:gov.example", "name": "Government of Utopia"]
        sample.payload["validUntil"] = "2099-01-01T00:00:00Z"
        sample.request.trust.issuers[0].name = "Registry of Norvenia"
        let facts = CredentialFacts(sample.report)
        #expect(facts.issuer == SDSample.issuer && facts.issuerName == "Registry of Norvenia")
        #expect(facts.validUntil == .int(2_051_222_400))
        #expect(facts.claims.contains { $0.path == ["issuer", "name"] })
    }

    @Test func `the three answers of a hand-over are those of the presenter and of the credential inside`() {
        let presentation = JWTSample.presentation(of: JWTSample().text)
        let report = CredentialVerifier(presentation.request).verify(Array(presentation.text.utf8))
        #expect((report.issuance, report.holder, report.standing) == (.genuine, .proved, .valid))
        #expect(!report.inner[0].checks.contains { $0.kind == .holder })
        var expired = presentation
        expired.request.time = .init(millisecondsSinceEpoch: 2_100_000_000_000)
        let late = CredentialVerifier(expired.request).verify(Array(expired.text.utf8))
        #expect(late.result == .refused && late.standing == .expired)
        var strange = presentation
        strange.request.policy.nonce = "another"
        let replayed = CredentialVerifier(strange.request).verify(Array(strange.text.utf8))
        #expect((replayed.issuance, replayed.holder) == (.genuine, .refused))
        var untrusted = presentation
        untrusted.request.trust.methods = []
        let open = CredentialVerifier(untrusted.request).verify(Array(untrusted.text.utf8))
        #expect((open.result, open.issuance, open.standing) == (.notChecked, .notChecked, .notKnown))
    }

    @Test func `what lets the issuer issue is named: its entry, a root by its path, or a method`() throws {
        #expect(JWTSample().request.trust.methods.isEmpty == false)
        let token = JWTSample()
        let method = CredentialVerifier(token.request).verify(Array(token.text.utf8))
        #expect(method.content.authority == .method("did:key"))
        let entry = SDSample()
        #expect(entry.report.content.authority == .issuer(SDSample.issuer))
        var document = try MobileDocumentForgery.Setting()
        document.request.trust.roots[0].path = "iaca.pem"
        document.request.trust.roots[0].name = "State of Utopia"
        #expect(document.report.content.authority == .root("iaca.pem"))
        #expect(document.report.content.issuerName == "State of Utopia")
        document.request.trust.roots = []
        #expect(document.report.content.authority == nil && document.report.content.issuerName == nil)
    }
}
