package import CommandProgram
import Determinism
import Herald
import HeraldProximity
package import Terminal

/// `symbolon prox run`: detects nearby devices until it is stopped.
package enum ProximityRunCommand {
    private static let duration = ValueOption(
        "for", .duration("TIME", in: .milliseconds(1)...(.seconds(31_536_000))), "How long (until interrupted).")
    private static let log = ValueOption(
        "log", .path("FOLDER"), "Writes what happens as a log that prox report reads; no log may be there yet.")
    private static let csv = ValueOption(
        "csv", .path("FOLDER"), "Writes contacts.csv and more, as the deployed Herald libraries do.")

    private static let isMute = FlagOption(
        "no-advertising", "Does not advertise; writes to others, as phones do that cannot.")

    package static let declaration = CommandDeclaration(
        "run", "Detects nearby devices, and shows how near they are and for how long.",
        discussion: [
            "Speaks Herald: phones with it notice this device too and read its payload. On a terminal a table shows who is "
                + "near; elsewhere lines tell who comes and goes, and a table comes at the end.",
            "Nothing in Herald is authenticated. A distance is an estimate; eight times in ten the true one lies within its "
                + "bounds, for phones held still as in the published measurements.",
        ],
        examples: [
            .init("symbolon prox run", "Shows who is near, until interrupted."),
            .init("symbolon prox run --for 8h --log office", "Keeps what happens for symbolon prox report office."),
            .init("symbolon prox run --payload fixed:010203 --radio virtual --json", "Tells everything to a script."),
        ],
        options: [duration.declaration] + ProximitySession.payloadOptions + [isMute.declaration]
            + ProximityProfile.options + ProximitySession.radioOptions + [log.declaration, csv.declaration])

    package static let run: Program.Body = { context in
        let start = context.environment.wallTime()
        let device = ProximityRun.LoggedDevice(id: SensorEventHandler.ownName, name: nil, system: "linux", model: nil)
        let about = ProximityRun(
            scenario: "run", start: start, durationMilliseconds: nil, seed: nil, isSimulated: false, devices: [device])
        let folders = (log: context.arguments[log], csv: context.arguments[csv])
        let watch = SensorEventHandler(
            context, log: try folders.log.map { try ProximityLogWriter(folder: $0, run: about) },
            csv: try folders.csv.map { try HeraldFormatLogWriter(folder: $0, start: start) })
        do {
            var configuration = HeraldConfiguration()
            ProximityProfile.apply(context.arguments, to: &configuration)
            let role = context.arguments[isMute] ? ProximitySession.SensorRole.writer : .advertiser
            try await ProximitySession.run(role, context, configuration: configuration) { event in
                await watch.take(event)
            } body: { sensor in
                context.reporter.event(
                    .sensing, [.init("log", .string(folders.log)), .init("csv", .string(folders.csv))])
                context.console.say("Listening. Press Ctrl-C to stop.")
                await sensor.start()
                try await wait(watch, context)
            }
        } catch {
            try? await watch.finish()
            if await watch.hasBegun { await show(watch, context) }
            throw error
        }
        try await watch.finish()
        await show(watch, context)
    }

    /// Waits until the end of the run; once a second flushes the logs and redraws the table of nearby devices.
    private static func wait(_ watch: SensorEventHandler, _ context: CommandContext) async throws {
        let clock = context.environment.clock
        let end = context.arguments[duration].map { clock.now() + $0 }
        while true {
            let next = clock.now() + .seconds(1)
            try await clock.wait(until: end.map { min($0, next) } ?? next)
            await watch.tick()
            if let failure = await watch.failure { throw failure }
            if let absence = await watch.absence { throw absence }
            if context.console.showsMovingLines { await showLive(watch, context) }
            if let end, clock.now() >= end { return }
            guard !context.console.outputIsClosed else { return }
        }
    }

    private static func showLive(_ watch: SensorEventHandler, _ context: CommandContext) async {
        let window = context.console.window
        let now = await watch.elapsed
        let lines = await watch.nearby.lines(
            at: now, rows: max(1, window.rows - 4), width: window.columns - 1, palette: context.console.palette)
        let count = await watch.nearby.present(at: now).count
        let title = "\(NumberText.clock(Double(now) / 1000))  \(count) near"
        context.console.showTransient(([title] + lines).joined(separator: "\n"))
    }

    /// Prints the table of nearby devices on standard output at the end of the run.
    private static func show(_ watch: SensorEventHandler, _ context: CommandContext) async {
        context.console.clearTransient()
        let lines = await watch.nearby.lines(
            at: watch.elapsed, palette: context.console.outputPalette, isOver: true)
        for line in lines { context.reporter.put(line) }
    }
}
