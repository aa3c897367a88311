import Testing
import TransferSimulation
import Tuvali

/// Each kind of fault alone: it strikes, both sides end as they must, and a new attempt completes.
@Suite struct PlannedFaultTests {
    static func run(_ faults: PlannedFault..., payloadBytes: Int = 6000, link: String = "phone-5") throws
        -> HandOverVerdict
    {
        var trial = HandOverTrial(FaultPlan(seed: 11, payloadBytes: payloadBytes, link: link, faults: faults))
        let verdict = try trial.run()
        #expect(verdict.violations == [])
        return verdict
    }

    @Test func `without faults a simulated credential is accepted at once`() throws {
        let verdict = try Self.run()
        #expect(verdict.wallet == "accepted")
        #expect(verdict.verifier == "accepted")
    }

    /// The worst of each kind, all the time: what it does to both sides.
    static let worst: [(PlannedFault, wallet: String, verifier: String)] = [
        (PlannedFault(.packetLoss, on: .wallet, level: 300, lasting: 9000), "accepted", "accepted"),
        (PlannedFault(.burst, on: .verifier, from: 100, lasting: 300), "accepted", "accepted"),
        (
            PlannedFault(.advertLoss, on: .wallet, level: 1000, lasting: 60_000), "tuvali.wallet.verifier-not-found",
            "tuvali.verifier.nobody-came"
        ),
        (
            PlannedFault(.advertTruncated, on: .verifier, level: 8, lasting: 60_000),
            "tuvali.wallet.verifier-not-found",
            "tuvali.verifier.nobody-came"
        ),
        (
            PlannedFault(.scanResponseMissing, on: .verifier, lasting: 60_000), "tuvali.wallet.verifier-not-found",
            "tuvali.verifier.nobody-came"
        ),
        (PlannedFault(.scanThrottled, on: .wallet, level: 1000, lasting: 60_000), "accepted", "accepted"),
        (PlannedFault(.slotsTaken, on: .verifier, level: 6, lasting: 60_000), "accepted", "accepted"),
        (PlannedFault(.babblers, on: .verifier, level: 2, lasting: 9000), "accepted", "accepted"),
        (
            PlannedFault(.connectFails, on: .wallet, level: 1000, lasting: 60_000), "tuvali.wallet.connect-failed",
            "tuvali.verifier.nobody-came"
        ),
        (
            PlannedFault(.connectBreaks, on: .wallet, level: 1000, lasting: 60_000), "tuvali.session.link-lost",
            "tuvali.verifier.nobody-came"
        ),
        (
            PlannedFault(.disconnect, on: .verifier, level: 12, lasting: 60_000), "tuvali.session.peer-disconnected",
            "tuvali.session.link-lost"
        ),
        (
            PlannedFault(.halfOpen, on: .verifier, level: 12, lasting: 60_000), "tuvali.session.peer-disconnected",
            "tuvali.verifier.transfer-timeout"
        ),
        (
            PlannedFault(.writeLoss, on: .verifier, level: 1000, lasting: 60_000), "tuvali.session.peer-disconnected",
            "tuvali.verifier.too-many-missing-chunks"
        ),
        (
            PlannedFault(.pushLoss, on: .wallet, level: 1000, lasting: 60_000), "tuvali.session.peer-disconnected",
            "accepted"
        ),
        (
            PlannedFault(.corruptChunk, on: .verifier, level: 1000, lasting: 60_000),
            "tuvali.session.peer-disconnected",
            "tuvali.verifier.too-many-missing-chunks"
        ),
        (
            PlannedFault(.corruptNumber, on: .verifier, level: 1000, lasting: 60_000),
            "tuvali.session.peer-disconnected",
            "tuvali.verifier.too-many-missing-chunks"
        ),
        (PlannedFault(.duplicate, on: .verifier, level: 1000, from: 300, lasting: 60_000), "accepted", "accepted"),
        (
            PlannedFault(.deaf, on: .verifier, level: 1000, lasting: 60_000), "tuvali.wallet.mtu-not-negotiated",
            "tuvali.verifier.nobody-came"
        ),
        (
            PlannedFault(.mute, on: .verifier, level: 1000, lasting: 60_000), "tuvali.wallet.mtu-not-negotiated",
            "tuvali.verifier.nobody-came"
        ),
        (
            PlannedFault(.mtuRefused, on: .verifier, level: 1000, lasting: 60_000), "tuvali.wallet.mtu-not-negotiated",
            "tuvali.verifier.nobody-came"
        ),
        (
            PlannedFault(.mtuIgnored, on: .verifier, level: 1000, lasting: 60_000), "tuvali.wallet.mtu-not-negotiated",
            "tuvali.verifier.nobody-came"
        ),
        (PlannedFault(.mtuSmall, on: .verifier, level: 67, lasting: 60_000), "accepted", "accepted"),
        (PlannedFault(.earlyPush, on: .verifier, level: 4, lasting: 60_000), "accepted", "accepted"),
        (
            PlannedFault(.serviceMissing, on: .verifier, level: 1000, lasting: 60_000),
            "tuvali.wallet.service-not-found",
            "tuvali.verifier.nobody-came"
        ),
        (
            PlannedFault(.characteristicMissing, on: .verifier, level: 6), "tuvali.wallet.service-not-found",
            "tuvali.verifier.nobody-came"
        ),
        (
            PlannedFault(.discoveryError, on: .verifier, level: 1000, lasting: 60_000),
            "tuvali.wallet.service-not-found",
            "tuvali.verifier.nobody-came"
        ),
        (
            PlannedFault(.attError, on: .verifier, level: 1000, lasting: 60_000), "tuvali.wallet.write-failed",
            "tuvali.verifier.nobody-came"
        ),
        (
            PlannedFault(.reportRefused, on: .verifier, level: 1000, lasting: 60_000),
            "tuvali.wallet.report-request-failed",
            "tuvali.session.peer-disconnected"
        ),
        (PlannedFault(.timersLate, on: .wallet, level: 300, lasting: 60_000), "accepted", "accepted"),
        (PlannedFault(.killed, on: .verifier, from: 250, lasting: 60_000), "", "tuvali.verifier.nobody-came"),
        (PlannedFault(.powerLost, on: .wallet, from: 250, lasting: 20_000), "", ""),
        (
            PlannedFault(.radioOff, on: .verifier, from: 0), "tuvali.wallet.verifier-not-found",
            "tuvali.verifier.radio-failed"
        ),
        (PlannedFault(.userSlow, on: .wallet, level: 299_000), "accepted", "accepted"),
        (
            PlannedFault(.userSlow, on: .wallet, level: 301_000), "tuvali.wallet.consent-timeout",
            "tuvali.session.peer-disconnected"
        ),
        (PlannedFault(.userSlow, on: .verifier, level: 299_000), "accepted", "accepted"),
        (
            PlannedFault(.userSlow, on: .verifier, level: 301_000), "tuvali.wallet.decision-unknown",
            "tuvali.verifier.decision-timeout"
        ),
        (PlannedFault(.userCancels, on: .wallet, from: 1), "cancelled", "tuvali.verifier.nobody-came"),
        (PlannedFault(.rejected, on: .verifier), "rejected", "rejected"),
        (PlannedFault(.staleCode, on: .wallet), "tuvali.wallet.stale-uri", "tuvali.verifier.nobody-came"),
    ]

    @Test(arguments: worst.indices) func `the strongest fault of each kind ends both sides as documented`(index: Int)
        throws
    {
        let (fault, wallet, verifier) = Self.worst[index]
        let verdict = try Self.run(fault)
        if !wallet.isEmpty { #expect(verdict.wallet == wallet, "\(fault)") }
        if !verifier.isEmpty { #expect(verdict.verifier == verifier, "\(fault)") }
        #expect(verdict.struck == [fault.kind])
    }

    @Test(arguments: FaultKind.allCases) func `a fault of any kind ends both sides according to the rules`(
        kind: FaultKind
    ) throws {
        for side in kind.meaning.sides {
            for level in [kind.meaning.levels.lowerBound, kind.meaning.levels.upperBound] {
                for from in [0, 200, 400] {
                    let lasting = kind.meaning.lasts ? 6000 : 0
                    _ = try Self.run(PlannedFault(kind, on: side, level: level, from: from, lasting: lasting))
                }
            }
        }
    }

    @Test(arguments: 1...30) func `a link that breaks at any frame ends both sides, and the next attempt completes`(
        frame: Int
    ) throws {
        for kind in [FaultKind.disconnect, .halfOpen] {
            for side in FaultKind.Side.allCases {
                _ = try Self.run(PlannedFault(kind, on: side, level: frame, lasting: 5000), payloadBytes: 1500)
            }
        }
    }

    @Test(arguments: 0...30) func `an app that is killed at any time leaves its peer with an error code`(step: Int)
        throws
    {
        for kind in [FaultKind.killed, .powerLost] {
            for side in FaultKind.Side.allCases {
                _ = try Self.run(PlannedFault(kind, on: side, from: step * 25, lasting: 8000), link: "phone-4.2")
            }
        }
    }
}
