import MobileSession
import Testing

@testable import MobileSessionSimulation

@Suite struct MobileCampaignTests {
    @Test func `three hundred plans under faults and with deviant peers keep the rules`() throws {
        var campaign = MobileCampaign()
        for seed in 1...300 {
            let verdict = try campaign.run(seed: UInt64(seed))
            #expect(verdict.broken.isEmpty, "\(verdict.plan): \(verdict) \(verdict.broken)")
        }
        #expect(campaign.plans == 300)
    }

    @Test func `a seed has one course in each run`() throws {
        for seed in [1, 2, 3] as [UInt64] {
            var (one, other) = (MobileTrial(MobileTrialPlan(seed: seed)), MobileTrial(MobileTrialPlan(seed: seed)))
            let (first, second) = (try one.run(), try other.run())
            #expect(first.digest == second.digest)
            #expect(first.outcomes == second.outcomes)
        }
    }
}
