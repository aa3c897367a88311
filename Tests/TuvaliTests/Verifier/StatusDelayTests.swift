import Bluetooth
import Determinism
import Testing

@testable import Tuvali

/// The time between the report that all arrived and the decision: deployed Android wallets need some to keep the order.
@Suite struct StatusDelayTests {
    private let link = VerifierScript.link

    /// A verifier that has just reported success to a wallet whose request was a command or not.
    private func delivered(
        isCommand: Bool = true, configure: (inout VerifierConfiguration) -> Void = { _ in }
    ) throws -> VerifierScript {
        var verifier = try VerifierScript(configure: configure)
        verifier.goToIdentified()
        let sealed = try VerifierScript.sealed([1, 2, 3])
        verifier.put(.written(link, .responseSize, VerifierScript.size(sealed.count), isCommand: isCommand))
        for chunk in try VerifierScript.chunks(sealed) {
            verifier.put(.written(link, .submitResponse, chunk, isCommand: isCommand))
        }
        verifier.put(HeldReportTests.request(isCommand: isCommand))
        if isCommand { verifier.passToDeadline() }
        #expect(verifier.session.isDeciding)
        return verifier
    }

    @Test func `a decision is sent 100 ms after the report to a wallet that writes commands, and no earlier`()
        throws
    {
        var verifier = try delivered()
        #expect(try verifier.decide(.accepted) == [])
        #expect(!verifier.session.isDeciding)
        #expect(verifier.session.nextDeadline == verifier.now + .milliseconds(100))
        #expect(throws: TuvaliError(.sessionMisused, "")) { try verifier.decide(.rejected) }
        #expect(verifier.pass(.milliseconds(99)) == [])
        let outputs = verifier.pass(.milliseconds(1))
        #expect(outputs.pushed(.verificationStatus) == [[0]])
        #expect(outputs.events == [.status(.accepted)])
        verifier.put(.disconnected(link, .peer))
        #expect(verifier.said.endings == [.completed(.accepted)])
    }

    @Test(arguments: [(true, 100), (false, 0)])
    func `a later decision, or one for a wallet that writes with response, is sent at once`(
        isCommand: Bool, milliseconds: Int
    ) throws {
        var verifier = try delivered(isCommand: isCommand)
        verifier.pass(.milliseconds(milliseconds))
        #expect(try verifier.decide(.rejected).pushed(.verificationStatus) == [[1]])
    }

    @Test func `without a status delay a verifier's decision is sent at once`() throws {
        var verifier = try delivered { $0.commandStatusDelay = .zero }
        #expect(try verifier.decide(.accepted).pushed(.verificationStatus) == [[0]])
    }

    @Test func `a transfer report that is requested again delays the decision anew`() throws {
        var verifier = try delivered()
        #expect(try verifier.decide(.accepted) == [])
        verifier.pass(.milliseconds(40))
        verifier.put(HeldReportTests.request(isCommand: true))
        #expect(verifier.pass(.milliseconds(50)).pushed(.reportResponse) == [[1, 0, 0]])
        #expect(verifier.pass(.milliseconds(99)) == [])
        #expect(verifier.pass(.milliseconds(1)).pushed(.verificationStatus) == [[0]])
    }

    @Test(arguments: [LinkEndCause.peer, .lost])
    func `a wallet that leaves before its decision was sent does not learn it, and the session is complete`(
        end: LinkEndCause
    ) throws {
        var verifier = try delivered()
        #expect(try verifier.decide(.accepted) == [])
        #expect(
            verifier.put(.disconnected(link, end)) == [
                .event(.left(.beforeDecision)), .event(.status(.accepted)), .finished(.completed(.accepted)),
            ])
    }

    @Test func `a decision that waits is sent before a session that is cancelled ends`() throws {
        var verifier = try delivered()
        #expect(try verifier.decide(.accepted) == [])
        let outputs = verifier.put(.cancel)
        #expect(outputs.pushed.map(\.0) == [.verificationStatus, .disconnect])
        #expect(outputs.events == [.status(.accepted)])
    }
}
