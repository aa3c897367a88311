import Air
package import CommandProgram
package import Terminal
import TransferSimulation

/// `symbolon-lab sim run`: hand-overs under faults drawn from seeds.
package enum SimulationRunCommand {
    private static let seed = ValueOption("seed", .seed("N"), "The first seed (1 if not given).")
    private static let count = ValueOption(
        "count", .integer("N", in: 1...10_000_000), "Runs so many seeds, one after the other (1 if not given).")
    private static let coverage = FlagOption(
        "coverage", "Counts the stages, codes and faults that were visited, and fails when one was not.")

    package static let declaration = CommandDeclaration(
        "run", "Runs the hand-overs that seeds stand for, and judges them.",
        discussion: [
            "Each seed decides a payload, a link and a few of forty-odd kinds of faults. Wallet and verifier are the real "
                + "cores, the air and the time are simulated. Each hand-over must keep the rules of the manual, and a new "
                + "attempt must complete when the faults are over."
        ],
        examples: [
            .init("symbolon-lab sim run --seed 7", "Shows what seed 7 stands for and what came of it."),
            .init(
                "symbolon-lab sim run --count 2000 --coverage", "Runs two thousand seeds and counts what they visited."),
        ],
        options: [seed.declaration, count.declaration, coverage.declaration])

    package static let run: Program.Body = { context in
        let lines = SimulationOutput(context)
        let first = context.arguments[seed] ?? 1
        let count = context.arguments[count] ?? 1
        guard count > 1 else {
            let verdict = try await verdict(of: FaultPlan(generatedFrom: first), keepsLines: false)
            lines.put(verdict)
            return try SimulationOutput.judge([verdict].filter { !$0.isRight }, count: 1)
        }
        let campaign = try await campaign(from: first, count: count, lines)
        let showsCoverage = context.arguments[coverage]
        lines.put(campaign, firstSeed: first, showsCoverage: showsCoverage)
        try SimulationOutput.judge(campaign.failures, count: campaign.failureCount)
        if showsCoverage { try SimulationOutput.judge(campaign.coverage) }
    }

    @concurrent
    private static func campaign(
        from first: UInt64, count: Int, _ lines: SimulationOutput
    ) async throws -> HandOverCampaign {
        var campaign = HandOverCampaign()
        for offset in 0..<UInt64(count) {
            try Task.checkCancellation()
            let verdict = try campaign.run(seed: first &+ offset)
            if !verdict.isRight { lines.put(verdict) }
        }
        return campaign
    }

    /// Runs one plan; returns the digest of its trace, and its lines if requested.
    @concurrent
    static func verdict(of plan: FaultPlan, keepsLines: Bool) async throws -> HandOverVerdict {
        var trial = HandOverTrial(plan, trace: SimulationTrace(capacity: keepsLines ? 1_000_000 : 0))
        return try trial.run()
    }
}

/// `symbolon-lab sim replay`: one plan again.
package enum SimulationReplayCommand {
    private static let trace = FlagOption("trace", "Lists first what happened on the air, one line each.")

    package static let declaration = CommandDeclaration(
        "replay", "Carries out one plan, and says what came of it.",
        discussion: ["A plan is a line as `sim run` prints it; the manual explains its words."],
        examples: [
            .init("symbolon-lab sim replay seed=7", "Carries out the plan that seed 7 stands for."),
            .init(
                "symbolon-lab sim replay seed=7 payload=900 write-loss:500@0+9000/verifier",
                "Loses every other write command for nine seconds."),
        ],
        options: [trace.declaration], operands: [SimulationShrinkCommand.line.declaration])

    package static let run: Program.Body = { context in
        let plan = try SimulationOutput.plan(context.arguments.all(SimulationShrinkCommand.line))
        let showsTrace = context.arguments[trace]
        let verdict = try await SimulationRunCommand.verdict(of: plan, keepsLines: showsTrace)
        if showsTrace, !context.arguments[Options.json] {
            for line in verdict.trace?.lines ?? [] { context.console.put(line) }
        }
        SimulationOutput(context).put(verdict)
        try SimulationOutput.judge([verdict].filter { !$0.isRight }, count: 1)
    }
}

/// `symbolon-lab sim shrink`: the smallest plan that still breaks the rule.
package enum SimulationShrinkCommand {
    static let line = Operand(.text("LINE"), "A plan, as one argument or word by word.", arity: .many)

    package static let declaration = CommandDeclaration(
        "shrink", "Makes a plan that breaks a rule as small as it goes.",
        discussion: [
            "Takes away faults, makes the others milder and the payload shorter, as long as the same rule is broken, and "
                + "prints the smallest line. A plan that breaks nothing is printed as it is."
        ],
        examples: [.init("symbolon-lab sim shrink seed=7", "Looks for the cause of what seed 7 breaks.")],
        operands: [line.declaration])

    package static let run: Program.Body = { context in
        let plan = try SimulationOutput.plan(context.arguments.all(line))
        let lines = SimulationOutput(context)
        guard let rule = try await SimulationRunCommand.verdict(of: plan, keepsLines: false).violations.first?.rule
        else {
            return lines.put(try await SimulationRunCommand.verdict(of: plan, keepsLines: false))
        }
        let shrunk = await shrink(plan, rule)
        lines.put(shrunk: shrunk.plan, rule: rule, attempts: shrunk.attempts)
    }

    @concurrent
    private static func shrink(_ plan: FaultPlan, _ rule: HandOverRule) async -> (plan: FaultPlan, attempts: Int) {
        var shrinker = FaultPlanShrinker(plan, rule: rule)
        let smallest = shrinker.run()
        return (smallest, shrinker.attempts)
    }
}
