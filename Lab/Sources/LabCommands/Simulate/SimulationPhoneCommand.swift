package import CommandProgram
import Determinism
import MobileSessionSimulation
package import Terminal

/// `symbolon-lab sim phone`: sessions of mobile documents under faults and with deviant peers.
package enum SimulationPhoneCommand {
    private static let seed = ValueOption("seed", .seed("N"), "The first seed (1 if not given).")
    private static let count = ValueOption(
        "count", .integer("N", in: 1...10_000_000), "Runs so many seeds, one after the other (1 if not given).")
    private static let coverage = FlagOption(
        "coverage", "Fails when a peer, a fault, an MTU or a size of a message was not visited.")

    package static let declaration = CommandDeclaration(
        "phone", "Shows mobile documents to readers under faults and to deviant peers, and judges the sessions.",
        discussion: [
            "Each seed decides who takes part (our reader and holder, stock ones written from the specification, and fifty "
                + "deviant ones), the modes, the MTU, the size of the answer, the person, strangers and a fault. Each session "
                + "must keep the rules of the manual. The seed alone stands for its plan."
        ],
        examples: [
            .init("symbolon-lab sim phone --seed 7", "Shows what seed 7 stands for and what came of it."),
            .init("symbolon-lab sim phone --count 10000 --coverage", "Runs ten thousand seeds."),
        ],
        options: [seed.declaration, count.declaration, coverage.declaration])

    package static let run: Program.Body = { context in
        let first = context.arguments[seed] ?? 1
        let count = context.arguments[count] ?? 1
        let isJSON = context.arguments[Options.json]
        var campaign = MobileCampaign()
        var firstBroken: String?
        for offset in 0..<UInt64(count) {
            try Task.checkCancellation()
            let (next, verdict) = try await run(campaign, seed: first &+ offset)
            campaign = next
            if let broken = verdict.broken.first, firstBroken == nil {
                firstBroken = "\(verdict.plan): \(broken.rule.rawValue): \(broken.sentence)"
            }
            guard count == 1 || !verdict.broken.isEmpty else { continue }
            for line in lines(verdict, isJSON: isJSON) { context.console.put(line) }
        }
        if count > 1 { context.console.put(summary(campaign, first, isJSON: isJSON)) }
        if let firstBroken {
            throw LabError(.simulationRuleBroken, "\(campaign.failures) broke a rule, the first one: \(firstBroken)")
        }
        let unvisited = campaign.unvisited
        guard context.arguments[coverage], !unvisited.isEmpty else { return }
        throw LabError(
            .simulationNotVisited, "\(unvisited.count) were not visited: \(unvisited.joined(separator: ", ")).")
    }

    @concurrent
    private static func run(
        _ campaign: MobileCampaign, seed: UInt64
    ) async throws -> (MobileCampaign, MobileTrialVerdict) {
        var campaign = campaign
        let verdict = try campaign.run(seed: seed)
        return (campaign, verdict)
    }

    private static func lines(_ verdict: MobileTrialVerdict, isJSON: Bool) -> [String] {
        guard isJSON else {
            return ["\(verdict.plan)", "  \(verdict)"]
                + verdict.broken.map { "  \($0.rule.rawValue): \($0.sentence)" } + ["  digest=\(verdict.digest)"]
        }
        let broken = verdict.broken.map { broken in
            JSONText.object([
                .init("rule", .string(broken.rule.rawValue)), .init("sentence", .string(broken.sentence)),
            ])
        }
        return [
            JSONText.object(
                head("phone") + [
                    .init("plan", .string("\(verdict.plan)")),
                    .init("endings", .array(verdict.outcomes.map(JSONText.string))),
                    .init("elapsedSeconds", .number(verdict.elapsed.inSeconds, places: 6)),
                    .init("broken", .array(broken)), .init("digest", .string(verdict.digest)),
                ]
            ).line
        ]
    }

    private static func summary(_ campaign: MobileCampaign, _ first: UInt64, isJSON: Bool) -> String {
        guard isJSON else {
            return
                "\(campaign.sessions) sessions of \(campaign.plans) plans from seed \(first): \(campaign.completed) plans "
                + "completed, \(campaign.failures) broke a rule; digest=\(campaign.digest)"
        }
        return JSONText.object(
            head("phone-campaign") + [
                .init("seed", .string("\(first)")), .init("count", .integer(campaign.plans)),
                .init("sessions", .integer(campaign.sessions)), .init("completed", .integer(campaign.completed)),
                .init("failed", .integer(campaign.failures)), .init("digest", .string(campaign.digest)),
                .init("unvisited", .array(campaign.unvisited.map(JSONText.string))),
            ]
        ).line
    }

    private static func head(_ kind: String) -> [JSONText.Member] {
        [.init("schema", .string("symbolon.sim")), .init("version", .integer(1)), .init("sim", .string(kind))]
    }
}
