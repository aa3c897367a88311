package import CommandProgram
import Desk
import Radio
package import Terminal
import Vault
import WebTransport

/// `symbolon desk`: a verifier desk, whose page a browser of this machine shows.
package enum StationCommand {
    package static let declaration = CommandDeclaration(
        "desk", "Serves a web page to receive and check credentials.",
        discussion: [
            "The page shows a QR code for wallets, what arrives as a person reads it, whether it is genuine, and each "
                + "check on demand; a person accepts or rejects, or --policy does. It is served on this machine only. "
                + "The one-time code on standard error opens it in one browser; another browser takes over only with "
                + "the next code, which is shown when one was used.",
            "Nothing is kept but counters: a credential is erased after two minutes, or when the next wallet comes. "
                + "With --keep the list of decisions, without pictures, is sealed in the vault and erased after its "
                + "days.",
            "What the page can ask for: anything, name and portrait, age over 18, and first what --ask or --request "
                + "says. Without --trust no issuer is trusted, so nothing is genuine.",
            "Without --json, standard output has the address of each station's page. An interruption ends it, with "
                + "exit status 0.",
        ],
        examples: [
            .init("symbolon desk --trust trust.txt", "Serves one station at http://127.0.0.1:8790/."),
            .init("symbolon desk --trust trust.txt --ask over-18", "Asks each wallet whether its holder is over 18."),
            .init(
                "symbolon desk --trust trust.txt --keep 7 --vault ~/desk --key-file desk.key",
                "Keeps the list of decisions for a week."),
            .init("symbolon desk --stations 2 --radio virtual", "Tries two stations without Bluetooth."),
        ],
        options: StationOptions.all)

    package static let run: Program.Body = { context in
        context.environment.wipeFreedMemory()
        let setup = try RadioSetup(context.arguments)
        let options = StationOptions(context: context, setup: setup)
        var settings = try (1...options.count).map { try options.settings(ofStation: $0) }
        let vault = try await options.openVault()
        do {
            let source = try await RadioSource.open(.verifier, setup, context)
            if case .air = source {
                for index in settings.indices { settings[index].hasSimulatedRadio = true }
            } else if settings.count > 1 {
                // Two stations would have the same characteristics on one adapter.
                throw UsageError(
                    .conflict, "One adapter serves one station, not \(settings.count).",
                    nextStep: "Leave --stations out, or add --radio virtual.")
            }
            let failure = await serve(settings, options.list(in: vault), source, setup, context)
            await source.close()
            if let failure { throw failure }
        } catch {
            await vault?.close()
            throw error
        }
        await vault?.close()
        try Task.checkCancellation()
    }

    private static func openRadio(
        _ source: RadioSource, _ setup: RadioSetup
    ) async throws(StationError) -> StationRadio {
        do throws(CommandFailure) {
            let radio = try await source.makeRadio(setup)
            return StationRadio(radio) { await radio.close() }
        } catch {
            let code: StationError.Code = error.code == "radio.not-permitted" ? .noPermission : .noRadio
            throw StationError(code, error.cause ?? error.sentence)
        }
    }

    /// Serves the desk's pages until the task is cancelled; returns the error of a server that cannot listen.
    private static func serve(
        _ settings: [StationSettings], _ list: DayDecisionList?, _ source: RadioSource, _ setup: RadioSetup,
        _ context: CommandContext
    ) async -> (any Error)? {
        let environment = context.environment
        let reporter = StationReporter(context: context, stationCount: settings.count)
        let adapter = SharedStationRadio { try await openRadio(source, setup) }
        let stations = settings.enumerated().map { index, settings in
            Station(
                number: index + 1, settings, list: list, clock: environment.clock, wallTime: environment.wallTime,
                makeRandom: environment.makeRandom, report: { reporter.report($0) },
                openRadio: {
                    // An adapter serves all sessions; on the simulated air each has a device of its own.
                    if case .air = source { return try await openRadio(source, setup) }
                    return try await adapter.makeRadio()
                })
        }
        var configuration = ServerConfiguration()
        configuration.port = UInt16(context.arguments[StationOptions.port] ?? 8790)
        let server = StationServer(
            stations, configuration, version: Program.version, clock: environment.clock,
            makeRandom: environment.makeRandom
        ) { station, code in reporter.code(code, of: station) }
        do {
            reporter.listens(at: try await server.start(), stations: stations)
            await server.announceCodes()
        } catch { return error }
        await withTaskGroup(of: Void.self) { group in
            for station in stations { group.addTask { await station.run() } }
        }
        // Pages are told before the program ends, although this task is cancelled.
        await Task { await server.stop() }.value
        return nil
    }
}
