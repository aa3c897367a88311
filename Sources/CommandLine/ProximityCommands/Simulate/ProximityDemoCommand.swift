package import CommandProgram
import Determinism
import Herald
import ProximitySimulation
package import Terminal

/// `symbolon prox demo`: ten phones in an office notice each other in virtual time, and a page shows how.
package enum ProximityDemoCommand {
    private static let out = ValueOption(
        "out", .path("DIR"), "The folder for the log and the page (prox-demo, or prox-demo-2 and so on).")
    private static let seed = ValueOption("seed", .seed("N"), "The seed of everything random (1 if not given).")

    /// The length of the demonstration in virtual time: ten minutes, which take seconds.
    private static let duration = Duration.seconds(600)
    /// The most contacts that are listed.
    private static let maximumContacts = 12

    package static let declaration = CommandDeclaration(
        "demo", "Simulates ten phones that detect each other.",
        discussion: [
            "The phones spend ten minutes in an office of the simulation, which take some seconds here. The output lists "
                + "which phones heard each other and for how long; the page in the folder has the plots and figures of prox report.",
            "With --json the figures go to standard output as one line.",
        ],
        examples: [
            .init("symbolon prox demo", "Writes prox-demo/report.html."),
            .init("symbolon prox demo --seed 7 --out seven", "Other ten minutes, in another folder."),
        ],
        options: [out.declaration, seed.declaration])

    /// The first unused folder name: `prox-demo`, `prox-demo-2` and so on.
    private static var freeFolder: String {
        let names = ["prox-demo"] + (2...999).map { "prox-demo-\($0)" }
        return names.first { !POSIXFile.exists($0) } ?? "prox-demo"
    }

    package static let run: Program.Body = { context in
        let folder = context.arguments[out] ?? freeFolder
        let seed = context.arguments[seed] ?? 1
        let scenario = BuiltInCrowdScenario.office.scenario(
            devices: BuiltInCrowdScenario.office.deviceCount, seed: seed)
        let writer = try CrowdLogWriter(folder: folder, scenario, seed: seed)
        context.console.say("\(scenario.members.count) phones in an office, \(NumberText.seconds(duration.inSeconds)):")
        var crowd = Crowd(scenario, seed: seed)
        crowd.onLog = { writer.put($0) }
        crowd.onProgress = ProximitySimulateCommand.progress(of: duration, context.console)
        _ = try await crowd.run(for: duration)
        context.console.clearTransient()
        try writer.finish(after: duration)
        try show(folder, context)
    }

    /// Writes the report page, and says which phones heard each other.
    ///
    /// Not inlined, because the compiler (6.3.1) crashes on these calls behind the one that is waited for in a release
    /// build.
    @inline(never)
    private static func show(_ folder: String, _ context: CommandContext) throws {
        let source = try ProximityLogReader(folder: folder)
        let analysis = try ProximityAnalysis(source)
        let figures = FairEfficacyFigures(analysis)
        let page = POSIXFile.join(folder, "report.html")
        try ReceivedFileWriter.replace(page, with: ProximityReportPage(analysis, figures).bytes())
        guard !context.arguments[Options.json] else { return context.console.put(figures.json(analysis).line) }
        for line in contacts(analysis).lines(palette: context.console.outputPalette) { context.console.put(line) }
        let percent = { (share: Double?) in share.map(NumberText.percent) ?? "–" }
        context.console.put("")
        context.console.put("detection    \(percent(figures.detection)) of the pairs in range detected each other")
        context.console.put(
            "continuity   \(percent(figures.continuity)) of the windows of 30 s in range have a reading")
        context.console.put("page         \(TerminalText.sanitised(page))")
    }

    /// The table of the pairs with the most windows that have a reading.
    private static func contacts(_ analysis: ProximityAnalysis) -> TextTable {
        let plots = ProximityReportPlots(analysis: analysis)
        let windows = analysis.names.map { name in
            (name, analysis.pairs[name].map { pair in pair.cells.windows.count { pair.cells[$0].isCovered } } ?? 0)
        }
        let longest = windows.sorted { $0.1 > $1.1 }.prefix(maximumContacts)
        var table = TextTable([.init("phone"), .init("heard"), .init("for")])
        for (name, count) in longest where count > 0 {
            let seconds = count * ProximityAnalysis.windowMilliseconds / 1000
            table.add([
                TerminalText.sanitised(plots.label(name.device)), TerminalText.sanitised(plots.label(name.peer)),
                NumberText.seconds(Double(seconds)),
            ])
        }
        return table
    }
}
