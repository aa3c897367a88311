import JSON
import Testing

@testable import Credentials

/// Forged tokens, each refused with the code that names what was changed.
@Suite struct JWTForgeryTests {
    @Test(arguments: JWTForgeries.all) func `a forged JWT credential is refused with the code of the change`(
        _ forgery: Forgery<JWTSample>
    ) {
        var sample = JWTSample()
        forgery.change(&sample)
        let report = sample.report
        #expect(report.result == forgery.result, "\(report.checks.filter { $0.outcome != .passed })")
        #expect(report.carries(forgery.code), "\(report.checks.filter { $0.outcome != .passed })")
    }

    @Test(arguments: JWTForgeries.twins) func `a good JWT credential that resembles a forgery is genuine`(
        _ twin: Forgery<JWTSample>
    ) {
        var sample = JWTSample()
        twin.change(&sample)
        let report = sample.report
        #expect(report.result == .genuine, "\(report.checks.filter { $0.outcome != .passed }) \(report.inner)")
    }

    @Test func `the JWT samples that forgeries start from are genuine`() {
        for sample in [JWTSample(), .former, .presentation(of: JWTSample().text)] {
            let report = sample.report
            #expect(report.result == .genuine, "\(report.checks.filter { $0.outcome != .passed })")
        }
    }

    @Test func `a JWT presentation by its credential's subject proves the holder`() {
        let report = JWTSample.presentation(of: JWTSample().text).report
        #expect(report.checks.contains { $0.kind == .holder && $0.outcome == .passed })
        #expect(report.inner.count == 1)
        #expect(report.content.signatures.first?.key == Signer.holder.method)
    }
}
