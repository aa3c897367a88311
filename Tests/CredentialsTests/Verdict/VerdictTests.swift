import CBOR
import Determinism
import JSON
import Testing

@testable import Credentials

/// Checks around a right signature: holder, type, issuer and status.
@Suite struct VerdictTests {
    @Test(arguments: VerdictForgeries.tokens + VerdictForgeries.tokenTwins)
    func `the result of a JWT credential follows from its holder, types and status`(forgery: Forgery<JWTSample>) {
        var sample = JWTSample()
        forgery.change(&sample)
        let report = CredentialVerifier(sample.request).verify(Array(sample.text.utf8))
        check(report, forgery.result, forgery.code)
    }

    @Test(arguments: VerdictForgeries.selective + VerdictForgeries.selectiveTwins)
    func `the result of an SD-JWT follows from its holder, root certificate and status`(forgery: Forgery<SDSample>) {
        var sample = SDSample()
        forgery.change(&sample)
        check(sample.report, forgery.result, forgery.code)
    }

    @Test(arguments: VerdictForgeries.linkedData + VerdictForgeries.linkedDataTwins)
    func `the result of a credential with a proof follows from its holder, types and issuer`(
        forgery: Forgery<ProofSample>
    ) {
        var sample = ProofSample()
        forgery.change(&sample)
        check(CredentialVerifier(sample.request).verify(sample.signed.encoded), forgery.result, forgery.code)
    }

    @Test(arguments: VerdictForgeries.documents + VerdictForgeries.documentTwins)
    func `the result of a mobile document follows from its session and status`(forgery: MobileDocumentForgery) throws {
        var setting = try MobileDocumentForgery.Setting()
        try forgery.make(&setting)
        try ReportCheck.check(setting.report, forgery.answer)
    }

    @Test(arguments: VerdictForgeries.claims + VerdictForgeries.claimTwins)
    func `the result of a CWT follows from its key, holder and status`(forgery: CWTForgery) throws {
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

    @Test func `the shown issuer of a credential is the one that signed, whatever the claims say`() {
        var sample = SDSample()
        sample.payload["issuer"] = ["id": "did:web:gov.example", "name": "Government of Utopia"]
        sample.payload["validUntil"] = "2099-01-01T00:00:00Z"
        sample.request.trust.issuers[0].name = "Registry of Norvenia"
        let facts = CredentialFacts(sample.report)
        #expect(facts.issuer == SDSample.issuer && facts.issuerName == "Registry of Norvenia")
        #expect(facts.validUntil == .int(2_051_222_400))
        #expect(facts.claims.contains { $0.path == ["issuer", "name"] })
    }

    @Test func `a presentation's issuance, holder and standing come from presenter and inner credential`() {
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
