import Bluetooth
import Determinism
import TestSupport
import Testing

@testable import Tuvali

/// Wallets that leave: before the Identify, and while the operator decides about what arrived whole.
@Suite struct DepartureTests {
    private let link = VerifierScript.link

    @Test(arguments: [LinkEndCause.peer, .lost, .local], [VerificationStatus.accepted, .rejected])
    func `a wallet that leaves before the decision leaves the decision to the operator`(
        end: LinkEndCause, status: VerificationStatus
    ) throws {
        var verifier = try VerifierScript()
        try verifier.goToDelivered([1, 2, 3])
        let deadline = verifier.session.nextDeadline
        #expect(verifier.put(.disconnected(link, end)) == [.event(.left(.beforeDecision))])
        #expect(verifier.session.isDeciding)
        #expect(verifier.session.nextDeadline == deadline)
        #expect(try verifier.decide(status) == [.event(.status(status)), .finished(.completed(status))])
    }

    @Test func `a radio that fails before the decision leaves the decision to the operator`() throws {
        var verifier = try VerifierScript()
        try verifier.goToDelivered([1, 2, 3])
        #expect(verifier.put(.radioFailed("The adapter is gone.")) == [.event(.left(.beforeDecision))])
        #expect(verifier.put(.radioFailed("The adapter is gone.")).isEmpty)
        #expect(try verifier.decide(.accepted).endings == [.completed(.accepted)])
    }

    @Test func `a session without a decision in time ends after its wallet left`() throws {
        var verifier = try VerifierScript()
        try verifier.goToDelivered([1, 2, 3])
        verifier.put(.disconnected(link, .peer))
        #expect(verifier.pass(.seconds(300)).endings == [.failed(TuvaliError(.verifierDecisionTimeout, ""))])
    }

    @Test func `an operator may cancel after the wallet left`() throws {
        var verifier = try VerifierScript()
        try verifier.goToDelivered([1, 2, 3])
        verifier.put(.disconnected(link, .peer))
        #expect(verifier.put(.cancel) == [.finished(.cancelled)])
    }

    @Test func `a delayed report request is not answered after the wallet left`() throws {
        var verifier = try VerifierScript()
        try verifier.goToDelivered([1, 2, 3])
        verifier.put(.written(link, .reportRequest, [1], isCommand: true))
        verifier.put(.disconnected(link, .peer))
        #expect(verifier.session.nextDeadline == verifier.now + .seconds(300))
        #expect(verifier.pass(.milliseconds(50)).isEmpty)
    }

    @Test func `another device that connects after the wallet left is disconnected`() throws {
        var verifier = try VerifierScript()
        try verifier.goToDelivered([1, 2, 3])
        verifier.put(.disconnected(link, .peer))
        let other = LinkID(7)
        #expect(verifier.put(.connected(other)) == [.disconnect(other)])
    }

    @Test(.shows("TUV-096"))
    func `a device that leaves before its Identify message is reported, and the verifier goes on advertising`() throws {
        var verifier = try VerifierScript()
        verifier.put(.start)
        verifier.put(.connected(link))
        let outputs = verifier.put(.disconnected(link, .peer))
        #expect(outputs.events == [.left(.beforeIdentify)])
        #expect(outputs.contains { if case .startAdvertising = $0 { true } else { false } })
    }

    @Test func `a device that the verifier disconnected is not reported as one that left`() throws {
        var verifier = try VerifierScript()
        verifier.put(.start)
        verifier.put(.connected(link))
        verifier.pass(.seconds(10))
        #expect(verifier.put(.disconnected(link, .local)).isEmpty)
    }
}
