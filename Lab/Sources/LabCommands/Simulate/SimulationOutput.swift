import Air
import CommandProgram
import Determinism
import Terminal
import TransferSimulation

/// The output of the simulation commands, as text or as JSON Lines.
struct SimulationOutput: Sendable {
    let context: CommandContext
    let isJSON: Bool

    init(_ context: CommandContext) {
        self.context = context
        isJSON = context.arguments[Options.json]
    }

    /// Writes the result of one plan.
    func put(_ verdict: HandOverVerdict) {
        guard isJSON else {
            context.console.put("\(verdict.plan)")
            context.console.put("  \(verdict.outcome)")
            for violation in verdict.violations { context.console.put("  \(violation)") }
            if let digest = verdict.trace?.digest { context.console.put("  digest=\(digest)") }
            return
        }
        put(
            "hand-over",
            [
                .init("plan", .string("\(verdict.plan)")), .init("wallet", .string(verdict.wallet)),
                .init("verifier", .string(verdict.verifier)),
                .init("elapsedSeconds", .number(verdict.elapsed.inSeconds, places: 6)),
                .init(
                    "broken",
                    .array(
                        verdict.violations.map {
                            .object([.init("rule", .string($0.rule.rawValue)), .init("sentence", .string($0.sentence))])
                        })),
                .init("digest", .string(verdict.trace?.digest)),
            ])
    }

    /// Writes the result of many seeds.
    func put(_ campaign: HandOverCampaign, firstSeed: UInt64, showsCoverage: Bool) {
        let coverage = campaign.coverage
        if showsCoverage, !isJSON {
            var table = TextTable([.init("visited"), .init("seeds", alignsRight: true)])
            for (name, count) in coverage.table { table.add([name, "\(count)"]) }
            for line in table.lines(palette: context.console.palette) { context.console.put(line) }
        }
        guard isJSON else {
            context.console.put(
                "\(coverage.runs) hand-overs from seed \(firstSeed): \(coverage.completed) completed at the first attempt, "
                    + "\(campaign.failureCount) broke a rule; digest=\(campaign.digest)")
            for name in coverage.unvisited { context.console.put("not visited: \(name)") }
            return
        }
        let visits = coverage.table.map { JSONText.Member($0.name, .integer($0.count)) }
        put(
            "campaign",
            [
                .init("seed", .string("\(firstSeed)")), .init("count", .integer(coverage.runs)),
                .init("completed", .integer(coverage.completed)), .init("failed", .integer(campaign.failureCount)),
                .init("digest", .string(campaign.digest)),
                .init("unvisited", .array(coverage.unvisited.map(JSONText.string))),
            ] + (showsCoverage ? [.init("visited", .object(visits))] : []))
    }

    /// Writes the smallest plan that was found.
    func put(shrunk plan: FaultPlan, rule: HandOverRule, attempts: Int) {
        guard isJSON else { return context.console.put("\(plan)") }
        put(
            "shrunk",
            [
                .init("plan", .string("\(plan)")), .init("rule", .string(rule.rawValue)),
                .init("attempts", .integer(attempts)),
            ])
    }

    private func put(_ kind: String, _ members: [JSONText.Member]) {
        let head: [JSONText.Member] = [
            .init("schema", .string("symbolon.sim")), .init("version", .integer(1)), .init("sim", .string(kind)),
        ]
        context.console.put(JSONText.object(head + members).line)
    }

    /// Fails when a hand-over broke a rule.
    ///
    /// - Throws: `sim.rule-broken`.
    static func judge(_ failures: [HandOverVerdict], count: Int) throws(LabError) {
        guard let first = failures.first, let violation = first.violations.first else { return }
        throw LabError(.simulationRuleBroken, "\(count) broke a rule, the first one: \(violation)")
    }

    /// Fails when a state was not visited.
    ///
    /// - Throws: `sim.not-visited`.
    static func judge(_ coverage: HandOverCoverage) throws(LabError) {
        let names = coverage.unvisited
        guard !names.isEmpty else { return }
        throw LabError(.simulationNotVisited, "\(names.count) were not visited: \(names.joined(separator: ", ")).")
    }

    /// Reads a plan from the words of the command line.
    ///
    /// - Throws: `sim.plan-malformed`.
    static func plan(_ words: [String]) throws(LabError) -> FaultPlan {
        do {
            return try FaultPlan(parsing: words.joined(separator: " "))
        } catch {
            throw LabError(.simulationPlanMalformed, TerminalText.sanitised(error.description))
        }
    }
}
