import Determinism
import Herald
import TestSupport
import Testing

@testable import ProximitySimulation

/// Tests of attackers in a crowd: the others lose nothing, and no memory grows beyond its limits.
@Suite struct HeraldAttackTests {
    private static let kinds: [CrowdPhoneProfile.Kind] = [
        .android, .older, .android, .rotating, .android, .iPhone, .older, .android, .android, .silent,
    ]

    /// Virtual time of a run; the misdeeds that are asked for grow with it.
    private static let seconds = TestSize.choose(300, full: 900)

    @Test(arguments: HeraldAttack.allCases)
    func `two attackers in a crowd do not reduce the service of others, nor exhaust memory or time`(
        _ attack: HeraldAttack
    ) async throws {
        let scenario = CrowdTests.row(Self.kinds, attack: [attack, attack])
        var crowd = Crowd(scenario, seed: 8)
        crowd.configuration.limits.devices = 512
        let figures = try await crowd.run(for: .seconds(Self.seconds)).figures
        #expect(figures.pairs > 80)
        #expect(figures.detection == 1)
        #expect(figures.continuity >= 0.995)
        #expect(figures.longestScanGap <= 30)
        #expect(figures.mostRecords <= 512)
        #expect(figures.readsPerIdentity <= 1.1)
        #expect(figures.misdeeds * 900 >= Self.leastMisdeeds(attack) * Self.seconds)
    }

    /// The least that two devices do in 900 s, so that a run in which they did nothing does not pass.
    private static func leastMisdeeds(_ attack: HeraldAttack) -> Int {
        switch attack {
        case .addressFlood, .fakePhones: 100_000
        case .replay: 20
        case .slowLinks: 20
        case .oversizedFrames, .messageFlood: 1000
        case .identityChurn: 1000
        }
    }

    @Test func `a simulated crowd without attackers counts no misbehaviour`() async throws {
        let figures = try await Crowd(CrowdTests.row(Self.kinds), seed: 8).run(for: .seconds(60)).figures
        #expect(figures.misdeeds == 0)
    }

    @Test func `attacks of all kinds at once in a crowd leave the other devices their service`() async throws {
        let scenario = CrowdTests.row(Self.kinds, attack: HeraldAttack.allCases)
        var crowd = Crowd(scenario, seed: 9)
        crowd.configuration.limits.devices = 512
        let figures = try await crowd.run(for: .seconds(Self.seconds)).figures
        #expect(figures.detection == 1)
        #expect(figures.continuity >= 0.98)
        #expect(figures.longestScanGap <= 30)
        #expect(figures.mostRecords <= 512)
        #expect(figures.misdeeds * 900 >= 100_000 * Self.seconds)
    }
}
