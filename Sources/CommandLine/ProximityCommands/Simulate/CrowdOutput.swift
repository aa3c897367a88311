import CommandProgram
import Determinism
import ProximitySimulation
import Terminal

/// The output of `prox simulate`, as text or as JSON Lines.
struct CrowdOutput: Sendable {
    /// The result of one run of a crowd, and the seconds that it took.
    struct CrowdRunResult: Sendable {
        var result: Crowd.Result
        var took: Double
    }

    private let context: CommandContext
    private let isJSON: Bool
    private let scenario: CrowdScenario
    private let seed: UInt64

    init(_ context: CommandContext, scenario: CrowdScenario, seed: UInt64) {
        self.context = context
        self.scenario = scenario
        self.seed = seed
        isJSON = context.arguments[Options.json]
    }

    /// Writes the description of the run that begins.
    func begin(_ duration: Duration) {
        guard !isJSON else { return }
        let time = NumberText.seconds(duration.inSeconds)
        context.console.put("\(scenario.name): \(scenario.members.count) devices, \(time), seed \(seed)")
    }

    /// Writes the results of a run.
    func put(_ row: CrowdRunResult, as implementation: Crowd.Implementation) {
        guard !isJSON else { return context.console.put(json(row, implementation).line) }
        let figures = row.result.figures
        let title = implementation == .ours ? "ours" : "reference schedule (Android 2.2)"
        var table = TextTable([.init(title), .init("")])
        table.add(["detection", share(figures.detection, figures.detectedPairs, of: figures.pairs, "pairs")])
        table.add(["continuity", share(figures.continuity, figures.heardWindows, of: figures.windows, "windows")])
        table.add(["longevity", figures.longevity.map { percent($0) } ?? "– (needs two hours)"])
        table.add([
            "reads per identity",
            "\(NumberText.decimal(figures.readsPerIdentity, places: 3)) (\(figures.payloadReads) of \(figures.identities))",
        ])
        table.add(["longest scan gap", seconds(figures.longestScanGap)])
        table.add(["links", "\(NumberText.count(figures.links)), open for \(seconds(figures.linkSeconds)) together"])
        table.add(["bytes on links", NumberText.bytes(figures.linkBytes)])
        table.add([
            "readings",
            "\(NumberText.count(figures.readings)), \(NumberText.count(figures.misattributed)) of them under a wrong name",
        ])
        table.add(["in range", "\(NumberText.decimal(figures.meanInRange, places: 1)) others on average"])
        table.add(["digest", "\(row.result.digest), in \(seconds(row.took))"])
        context.console.put("")
        for line in table.lines(palette: context.console.palette) { context.console.put(line) }
    }

    private func share(_ value: Double, _ part: Int, of whole: Int, _ name: String) -> String {
        whole == 0 ? "– (there were no \(name))" : "\(percent(value)) (\(part) of \(whole) \(name))"
    }

    private func percent(_ value: Double) -> String { NumberText.decimal(value * 100, places: 3) + " %" }

    private func seconds(_ value: Double) -> String { NumberText.seconds(value) }

    private func json(_ row: CrowdRunResult, _ implementation: Crowd.Implementation) -> JSONText {
        let figures = row.result.figures
        return .object([
            .init("schema", .string("symbolon.prox")), .init("version", .integer(1)),
            .init("prox", .string("crowd")), .init("mind", .string(implementation.rawValue)),
            .init("scenario", .string(scenario.name)), .init("seed", .string("\(seed)")),
            .init("devices", .integer(figures.devices)), .init("seconds", .number(figures.seconds, places: 3)),
            .init("pairs", .integer(figures.pairs)), .init("detected", .integer(figures.detectedPairs)),
            .init("detection", .number(figures.pairs == 0 ? nil : figures.detection, places: 6)),
            .init("windows", .integer(figures.windows)), .init("heardWindows", .integer(figures.heardWindows)),
            .init("continuity", .number(figures.windows == 0 ? nil : figures.continuity, places: 6)),
            .init("longevity", .number(figures.longevity, places: 6)),
            .init("payloadReads", .integer(figures.payloadReads)), .init("identities", .integer(figures.identities)),
            .init("readsPerIdentity", .number(figures.readsPerIdentity, places: 6)),
            .init("longestScanGapSeconds", .number(figures.longestScanGap, places: 3)),
            .init("links", .integer(figures.links)), .init("linkSeconds", .number(figures.linkSeconds, places: 3)),
            .init("linkBytes", .integer(figures.linkBytes)), .init("readings", .integer(figures.readings)),
            .init("misattributed", .integer(figures.misattributed)),
            .init("meanInRange", .number(figures.meanInRange, places: 3)),
            .init("tookSeconds", .number(row.took, places: 3)), .init("digest", .string(row.result.digest)),
        ])
    }
}
