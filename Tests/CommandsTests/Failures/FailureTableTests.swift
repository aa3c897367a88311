import Bluetooth
import Radio
import Terminal
import Testing
import Tuvali

@testable import Commands

@Suite struct FailureTableTests {
    private static let codes =
        CommandError.Code.allCases.map(\.rawValue) + TuvaliError.Code.allCases.map(\.rawValue)
        + RadioError.Code.allCases.map(\.rawValue) + BluetoothFormatError.Code.allCases.map(\.rawValue)

    @Test func `every code has one line in the table and every line a code`() {
        let lines = FailureTable.entries.map(\.code)
        #expect(Set(lines).count == lines.count)
        #expect(Set(Self.codes).subtracting(lines).sorted() == [])
        #expect(Set(lines).subtracting(Self.codes).sorted() == [])
    }

    @Test func `every line has sentences that begin and end as sentences do`() {
        for entry in FailureTable.entries {
            for sentence in [entry.sentence, entry.nextStep] {
                #expect(sentence.hasSuffix("."), "\(entry.code)")
                #expect(sentence.first?.isUppercase == true, "\(entry.code)")
            }
            #expect(entry.exitClass != .done, "\(entry.code)")
        }
    }

    @Test func `a failure is printed as sentence, cause, next step and code`() {
        let failure = Failure(TuvaliError(.walletStaleURI, "Three others were heard."))
        #expect(
            failure.lines(width: 80) == [
                "error: The QR code is stale: verifiers are near, but none has the key of this",
                "       code.",
                "cause: Three others were heard.",
                "next:  Scan the code that the verifier shows now; each code serves one transfer.",
                "code:  tuvali.wallet.stale-uri",
            ])
        let last = Failure(TuvaliError(.walletMTUTooSmall, "")).lines(width: 80).last
        #expect(last == "code:  tuvali.wallet.mtu-too-small (TVW_CON_002)")
    }

    @Test func `a cause that came from outside cannot steer the terminal`() {
        #expect(Failure(RadioError(.unavailable, "x\u{1B}[2J")).cause == "x\\u{1B}[2J")
    }

    @Test func `an error of an unknown type is told as a defect`() {
        struct Odd: Error {}
        #expect(Failure(Odd()).code == "tuvali.session.internal")
        #expect(Failure(CancellationError()).exitClass == .interrupted)
        #expect(FailureTable.entry(for: "no.such.code").nextStep == "Report the code below as a defect.")
    }
}
