import Determinism
import Testing
import Tuvali

@testable import TransferSimulation

/// The judge itself: what it must complain about.
@Suite struct ExpectedHandOverTests {
    static let payload: [UInt8] = [1, 2, 3]

    static func observation(
        _ endings: [SessionEnding] = [], _ deliveries: [[UInt8]] = [], words: Int = 0, secrets: Bool = false,
        mayCancel: Bool = false
    ) -> ExpectedHandOver.Observation {
        ExpectedHandOver.Observation(
            endings: endings, deliveries: deliveries, eventsAfterEnd: words, holdsSecrets: secrets, mayCancel: mayCancel
        )
    }

    static func broken(
        _ wallet: ExpectedHandOver.Observation, _ verifier: ExpectedHandOver.Observation,
        decision: VerificationStatus = .accepted
    ) -> [HandOverRule] {
        var model = ExpectedHandOver(payload: payload, decision: decision)
        model.judge(wallets: [wallet], verifiers: [verifier])
        return model.violations.map(\.rule)
    }

    @Test func `the simulation's model finds no broken rule in a successful transfer`() {
        let done: [SessionEnding] = [.completed(.accepted)]
        #expect(Self.broken(Self.observation(done), Self.observation(done, [Self.payload])).isEmpty)
        #expect(Self.broken(Self.observation(), Self.observation()).isEmpty)
    }

    @Test func `a payload delivered twice breaks the model's rule`() {
        #expect(
            Self.broken(Self.observation(), Self.observation([], [Self.payload, Self.payload])) == [.deliveredOnce])
    }

    @Test func `a delivered payload that differs from the sent one breaks the model's rule`() {
        #expect(Self.broken(Self.observation(), Self.observation([], [[1, 2, 4]])) == [.deliveredWhole])
    }

    @Test func `a wallet that reports a delivery that did not happen breaks the model's rule`() {
        #expect(Self.broken(Self.observation([.completed(.accepted)]), Self.observation()) == [.decisionKnown])
        #expect(
            Self.broken(Self.observation([.completed(.rejected)]), Self.observation([], [Self.payload])) == [
                .decisionKnown
            ])
    }

    @Test func `a verifier that completes without a payload, or against its user's decision, breaks the model's rule`()
    {
        #expect(
            Self.broken(Self.observation(), Self.observation([.completed(.accepted)])) == [.completedMeansDelivered])
        #expect(
            Self.broken(
                Self.observation(), Self.observation([.completed(.accepted)], [Self.payload]), decision: .rejected)
                == [.completedMeansDelivered])
    }

    @Test func `two endings, events or keys after the end, and an unasked cancel break the model's rules`() {
        let failed = SessionEnding.failed(TuvaliError(.linkLost, ""))
        #expect(Self.broken(Self.observation([failed, failed]), Self.observation()) == [.endsOnce])
        #expect(Self.broken(Self.observation([failed], words: 1), Self.observation()) == [.silentAfterEnd])
        #expect(Self.broken(Self.observation([failed], secrets: true), Self.observation()) == [.keysGone])
        #expect(Self.broken(Self.observation([.cancelled]), Self.observation()) == [.endingExplained])
        #expect(Self.broken(Self.observation([.cancelled], mayCancel: true), Self.observation(secrets: true)).isEmpty)
    }

    @Test(arguments: [(ExpectedHandOver.endsWithin, true), (ExpectedHandOver.endsWithin + .milliseconds(1), false)])
    func `a session may end up to the allowed time after the last fault and no later`(after: Duration, isRight: Bool) {
        var model = ExpectedHandOver(payload: Self.payload, decision: .accepted)
        model.judgeEnd([.cancelled], endedAfterQuiet: after, name: "wallet")
        #expect(model.violations.isEmpty == isRight)
    }

    @Test(arguments: [true, false]) func `a session that waits without a deadline breaks the model's rule`(waits: Bool)
    {
        var model = ExpectedHandOver(payload: Self.payload, decision: .accepted)
        model.judgeDeadline(waits, name: "wallet")
        #expect(model.violations.map(\.rule) == (waits ? [.deadlineHeld] : []))
    }

    @Test func `a session that never ends breaks the model's rule`() {
        var model = ExpectedHandOver(payload: Self.payload, decision: .accepted)
        model.judgeEnd([], endedAfterQuiet: nil, name: "wallet")
        #expect(model.violations.map(\.rule) == [.endsInTime])
    }

    @Test func `after the faults a new transfer must complete at both ends with the payload`() {
        let done: [SessionEnding] = [.completed(.accepted)]
        let cases: [(ExpectedHandOver.Observation, ExpectedHandOver.Observation, Bool)] = [
            (Self.observation(done), Self.observation(done, [Self.payload]), true),
            (Self.observation(), Self.observation(done, [Self.payload]), false),
            (Self.observation(done), Self.observation([], [Self.payload]), false),
        ]
        for (wallet, verifier, isRight) in cases {
            var model = ExpectedHandOver(payload: Self.payload, decision: .accepted)
            model.judgeFresh(wallet: wallet, verifier: verifier)
            #expect(model.violations.isEmpty == isRight)
            var tolerant = ExpectedHandOver(payload: Self.payload, decision: .accepted)
            tolerant.judgeTolerable(wallet: wallet, verifier: verifier)
            #expect(tolerant.violations.isEmpty == isRight)
        }
    }

    @Test(arguments: [
        (PlannedFault(.packetLoss, on: .wallet, level: 200), true),
        (PlannedFault(.packetLoss, on: .wallet, level: 201), false),
        (PlannedFault(.burst, on: .wallet, lasting: 300), true),
        (PlannedFault(.burst, on: .wallet, lasting: 301), false),
        (PlannedFault(.userSlow, on: .wallet, level: 290_000), true), (PlannedFault(.killed, on: .wallet), false),
        (PlannedFault(.rejected, on: .verifier), true),
    ]) func `a transfer must tolerate a single fault up to that fault's limit, and need not tolerate two`(
        fault: PlannedFault, isTolerable: Bool
    ) {
        #expect(FaultPlan(seed: 1, faults: [fault]).isTolerable == isTolerable)
        #expect(!FaultPlan(seed: 1, faults: [fault, fault]).isTolerable)
    }
}
