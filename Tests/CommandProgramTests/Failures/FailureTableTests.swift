import Aries
import AriesRuntime
import Bluetooth
import CloudAgent
import DIDComm
import Herald
import Radio
import Terminal
import Testing
import Tuvali
import Vault
import WebAddressing
import WebTransport

@testable import CommandProgram

@Suite struct FailureTableTests {
    private static let codes =
        CommandError.Code.allCases.map(\.rawValue) + TuvaliError.Code.allCases.map(\.rawValue)
        + RadioError.Code.allCases.map(\.rawValue) + VaultError.Code.allCases.map(\.rawValue)
        + WebAddressError.Code.allCases.map(\.rawValue) + FetchError.Code.allCases.map(\.rawValue)
        + BluetoothFormatError.Code.allCases.map(\.rawValue) + AriesError.Code.allCases.map(\.rawValue)
        + AgentError.Code.allCases.map(\.rawValue) + DIDCommError.Code.allCases.map(\.rawValue)
        + WebError.Code.allCases.map(\.rawValue) + HeraldError.Code.allCases.map(\.rawValue)
        + CloudAgentError.Code.allCases.map(\.rawValue)

    @Test func `every code has one line in the table and every line a code`() {
        let lines = FailureTable.entries.map(\.code)
        #expect(Set(lines).count == lines.count)
        #expect(Set(Self.codes).subtracting(lines).sorted() == [])
        #expect(Set(lines).subtracting(Self.codes).sorted() == [])
    }

    @Test func `whatever needs no cause is a code of the table`() {
        #expect(FailureTable.selfExplaining.subtracting(FailureTable.entries.map(\.code)).sorted() == [])
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
        let failure = Failure(TuvaliError(.walletMTUTooSmall, "The ATT MTU is 66."))
        #expect(
            failure.lines(width: 70) == [
                "error: The link carries too little in one write.",
                "cause: The ATT MTU is 66.",
                "next:  Try another pair of devices; the link must carry at least 64",
                "       bytes a write.",
                "code:  tuvali.wallet.mtu-too-small (TVW_CON_002)",
            ])
        let stale = Failure(TuvaliError(.walletStaleURI, "The code is stale."))
        #expect(stale.cause == nil)
        #expect(stale.lines(width: 100).last == "code:  tuvali.wallet.stale-uri")
    }

    @Test func `a cause that came from outside cannot steer the terminal`() {
        #expect(Failure(RadioError(.unavailable, "x\u{1B}[2J")).cause == "x\\u{1B}[2J")
        let rejected = Failure(AriesError(.rejected, "x", wireCode: "a\u{1B}[2J\u{202E}b"))
        #expect(rejected.wireCode == "a\\u{1B}[2J\\u{202E}b")
        #expect(rejected.lines(width: 100).allSatisfy { !$0.contains("\u{1B}") && !$0.contains("\u{202E}") })
    }

    @Test func `an error of an unknown type is told as a defect`() {
        struct Odd: Error {}
        #expect(Failure(Odd()).code == "tuvali.session.internal")
        #expect(Failure(CancellationError()).exitClass == .interrupted)
        #expect(FailureTable.entry(for: "no.such.code").nextStep == "Report the code below as a defect.")
    }
}
