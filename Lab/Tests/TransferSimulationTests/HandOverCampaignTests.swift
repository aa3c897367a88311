import Air
import Testing
import TransferSimulation
import Tuvali

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct HandOverCampaignTests {
    /// A number of seeds that an unoptimised build can afford; `make gate G=sim` runs the standard number.
    static let smallCount: UInt64 = 200

    @Test func `no simulation seed breaks a rule, and few seeds reach every stage of both sessions`() throws {
        var campaign = HandOverCampaign()
        for seed in 1...Self.smallCount { try campaign.run(seed: seed) }
        #expect(campaign.failures.map { "\($0.plan) \($0.outcome)" } == [])
        #expect(campaign.coverage.runs == Int(Self.smallCount))
        #expect(campaign.coverage.unvisited.filter { $0.contains("stage") } == [])
        #expect(campaign.coverage.completed > Int(Self.smallCount) / 4)
    }

    @Test func `simulation coverage without a run lists every stage and fault as unvisited`() {
        let coverage = HandOverCoverage()
        let exempt = HandOverCoverage.outOfReach.count
        #expect(coverage.unvisited.count == coverage.table.count - exempt)
        #expect(coverage.unvisited.contains("wallet stage awaiting-report"))
        #expect(coverage.unvisited.contains("fault half-open"))
        #expect(!coverage.unvisited.contains("code tuvali.session.misused"))
    }

    static func digest(seed: UInt64) throws -> String {
        var trial = HandOverTrial(FaultPlan(generatedFrom: seed), trace: SimulationTrace(capacity: 0))
        return try trial.run().trace?.digest ?? ""
    }

    @Test func `one simulation seed gives the same digest twice, and seeds differ`() throws {
        let digests = try (1...10).map { try Self.digest(seed: $0) }
        #expect(Set(digests).count == 10)
        #expect(try Self.digest(seed: 7) == digests[6])
    }

    /// Changes with the cores, the air, the faults and the generator of randomness, and with nothing else.
    static let pinned = "f9b3d02ae8160f94"

    @Test func `one simulation seed gives the same digest in another process`() async throws {
        let digest = try Self.digest(seed: 42)
        #expect(digest == Self.pinned)
        await #expect(processExitsWith: .success) {
            exit(
                try HandOverCampaignTests.digest(seed: 42) == HandOverCampaignTests.pinned ? EXIT_SUCCESS : EXIT_FAILURE
            )
        }
    }

    @Test func `removing one fault from a plan does not change the random draws of the others`() throws {
        let loss = PlannedFault(.writeLoss, on: .verifier, level: 300, lasting: 9000)
        var one = HandOverTrial(
            FaultPlan(seed: 5, payloadBytes: 8000, faults: [loss]), trace: SimulationTrace(capacity: 0))
        let slow = PlannedFault(.scanThrottled, on: .wallet, level: 100, from: 9000, lasting: 0)
        var other = HandOverTrial(
            FaultPlan(seed: 5, payloadBytes: 8000, faults: [slow, loss]), trace: SimulationTrace(capacity: 0))
        #expect(try one.run().trace?.digest == other.run().trace?.digest)
    }
}
