import Aries
import CodedErrors
import CryptoSuite
import JSON
import Radio
import Terminal
import TestSupport
import Testing
import Tuvali

@testable import CommandProgram

@Suite struct FailureTests {
    @Test(.shows("TUV-097")) func `a failure is printed as sentence, cause, next step and code`() {
        let failure = CommandFailure(TuvaliError(.walletMTUTooSmall, "The ATT MTU is 66."))
        #expect(
            failure.lines(width: 70) == [
                "error: The verifier's MTU leaves less than 64 bytes for a write.",
                "cause: The ATT MTU is 66.",
                "next:  Try another pair of devices; the link must carry at least 64",
                "       bytes a write.",
                "code:  tuvali.wallet.mtu-too-small (TVW_CON_002)",
            ])
        let stale = CommandFailure(TuvaliError(.walletStaleURI, "The code is stale."))
        #expect(stale.cause == nil)
        #expect(stale.lines(width: 100).last == "code:  tuvali.wallet.stale-uri")
    }

    @Test func `a failure's cause from outside is sanitised, so that it cannot steer the terminal`() {
        #expect(CommandFailure(RadioError(.unavailable, "x\u{1B}[2J")).cause == "x\\u{1B}[2J")
        let rejected = CommandFailure(AriesError(.rejected, "x", wireCode: "a\u{1B}[2J\u{202E}b"))
        #expect(rejected.wireCode == "a\\u{1B}[2J\\u{202E}b")
        #expect(rejected.lines(width: 100).allSatisfy { !$0.contains("\u{1B}") && !$0.contains("\u{202E}") })
    }

    @Test func `an error of any module is shown with its own code`() {
        #expect(CommandFailure(CryptoError(.authenticationFailed, "x")).code == "crypto.authentication-failed")
        #expect(CommandFailure(CryptoError(.authenticationFailed, "x")).exitClass == .authentication)
        #expect(CommandFailure(JSONError(.tooDeep, at: [], "x")).code == "json.too-deep")
    }

    @Test func `an error without a code is shown as a defect of the program`() {
        struct Odd: Error {}
        #expect(CommandFailure(Odd()).code == "run.internal")
        #expect(CommandFailure(CancellationError()).exitClass == .interrupted)
    }
}
