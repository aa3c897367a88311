package import CommandProgram
import Determinism
import ProximitySimulation
package import Terminal

/// `symbolon prox simulate SCENARIO`: a crowd of devices in virtual time, and how they detect each other.
package enum ProximitySimulateCommand {
    /// The kind of option values that name a scenario, or the file that describes one.
    private static let scenarioKind = ValueKind<String>(
        "SCENARIO", choices: BuiltInCrowdScenario.allCases.map(\.rawValue), completesFiles: true,
        read: ValueKind.text("SCENARIO").read)
    private static let scenario = Operand(
        scenarioKind, "The scenario.")
    private static let devices = ValueOption(
        "devices", .integer("N", in: 2...CrowdScenario.maximumDevices),
        "The number of devices, for scenarios that have no fixed number.")
    private static let hours = ValueOption(
        "hours", .hours("TIME"),
        "The virtual duration, such as 8h or 30m; a number without a unit is hours (1h if not given).")
    private static let seed = ValueOption("seed", .seed("N"), "The seed of everything random (1 if not given).")
    private static let log = ValueOption("log", .path("DIR"), "Keeps what our devices noticed, for prox report.")
    private static let isAlone = FlagOption("alone", "Leaves out the same crowd with the deployed library's schedule.")

    /// The largest file that describes a scenario, in bytes.
    private static let maximumFileBytes = 16 << 20
    /// The most devices of which a log is kept.
    private static let maximumLoggedDevices = 500

    package static let declaration = CommandDeclaration(
        "simulate", "Simulates a crowd of devices that detect each other.",
        discussion: [
            "Each device is the core as on a real radio, with real GATT; the air is a model with path loss, bodies, fading "
                + "and collisions. The output has the share of pairs that detected each other, the share of 30 s windows in "
                + "range that have a reading, and what that cost, beside the same crowd with the schedule of the deployed "
                + "Android library 2.2.",
            "The same seed gives the same digest, whatever the computer. Man page symbolon-scenario(5) describes the file.",
        ],
        examples: [
            .init("symbolon prox simulate office --hours 8", "Ten devices in an office for a working day."),
            .init(
                "symbolon prox simulate crowd-500 --devices 10000 --alone",
                "Ten thousand people in a hall, about thirty in range of each."),
        ],
        options: [
            devices.declaration, hours.declaration, seed.declaration, log.declaration, isAlone.declaration,
        ], operands: [scenario.declaration])

    package static let run: Program.Body = { context in
        let arguments = context.arguments
        let seed = arguments[seed] ?? 1
        let crowd = try scene(try arguments.required(scenario), devices: arguments[devices], seed: seed)
        let duration = arguments[hours] ?? .seconds(3600)
        let lines = CrowdOutput(context, scenario: crowd, seed: seed)
        lines.begin(duration)
        var ours = Crowd(crowd, seed: seed)
        let keeper = try arguments[log].map { try logKeeper($0, crowd, seed) }
        if let keeper { ours.onLog = { keeper.put($0) } }
        lines.put(try await measured(ours, for: duration, context.console), as: .ours)
        try keeper?.finish(after: duration)
        if !arguments[isAlone] {
            lines.put(
                try await measured(
                    Crowd(crowd, seed: seed, implementation: .reference), for: duration, context.console),
                as: .reference)
        }
    }

    /// Runs a crowd, and shows its progress on a terminal.
    private static func measured(
        _ crowd: Crowd, for duration: Duration, _ console: Console
    ) async throws -> CrowdOutput.CrowdRunResult {
        var crowd = crowd
        crowd.onProgress = progress(of: duration, console)
        defer { console.clearTransient() }
        let clock = ContinuousClock()
        let start = clock.now
        let result: Crowd.Result
        do {
            result = try await crowd.run(for: duration)
        } catch let complaint as CrowdScenarioError {
            throw CommandError(
                .scenarioTooLarge,
                "\(complaint.description.first?.uppercased() ?? "")\(complaint.description.dropFirst()).")
        }
        return CrowdOutput.CrowdRunResult(result: result, took: (clock.now - start).inSeconds)
    }

    /// Shows the virtual time that has passed, and the share of the run, each time that the share has grown by 1 %.
    static func progress(of duration: Duration, _ console: Console) -> (@Sendable (Duration) -> Void)? {
        guard console.showsMovingLines else { return nil }
        let shown = Lock(-1)
        let whole = max(duration.inSeconds, 1)
        return { passed in
            let percent = Int(passed.inSeconds / whole * 100)
            guard
                shown.withLock({ last in
                    defer { last = percent }
                    return last != percent
                })
            else { return }
            console.showTransient(
                "simulated \(NumberText.seconds(passed.inSeconds)) of \(NumberText.seconds(whole)), \(percent) %")
        }
    }

    private static func logKeeper(_ folder: String, _ crowd: CrowdScenario, _ seed: UInt64) throws -> CrowdLogWriter {
        guard crowd.members.count <= maximumLoggedDevices else {
            throw CommandError(.scenarioTooLarge, "A log is kept of up to \(maximumLoggedDevices) devices.")
        }
        return try CrowdLogWriter(folder: folder, crowd, seed: seed)
    }

    /// Finds the built-in scenario of a name, or reads the scenario of a file.
    ///
    /// - Throws: `prox.scenario-malformed`, and the codes of `BoundedFile.read`.
    private static func scene(_ name: String, devices: Int?, seed: UInt64) throws(CommandError) -> CrowdScenario {
        if let builtIn = BuiltInCrowdScenario(rawValue: name) {
            return builtIn.scenario(devices: devices ?? builtIn.deviceCount, seed: seed)
        }
        let text = String(decoding: try contents(of: name), as: UTF8.self)
        let label = TerminalText.sanitised(name.split(separator: "/").last.map(String.init) ?? name)
        do throws(CrowdScenarioError) {
            return try CrowdScenario(parsing: text, name: label)
        } catch {
            throw CommandError(.scenarioMalformed, "\(TerminalText.sanitised(error.description)).")
        }
    }
}

extension ProximitySimulateCommand {
    /// Reads the bytes of a scenario's file; the error for a missing one lists the built-in names.
    private static func contents(of name: String) throws(CommandError) -> [UInt8] {
        do throws(CommandError) {
            return try BoundedFile.read(name, limit: maximumFileBytes)
        } catch {
            guard error.code == .inputNotFound else { throw error }
            let names = BuiltInCrowdScenario.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandError(
                .inputNotFound, "\(TerminalText.sanitised(name)) is neither a file nor a scenario; those are \(names).")
        }
    }
}

extension ValueKind where Value == Duration {
    /// The kind of option values that are a duration of 36 s to a week; a bare number means hours.
    fileprivate static func hours(_ placeholder: String) -> ValueKind {
        ValueKind(placeholder) { (text) throws(InvalidValue) in
            if text.last?.isLetter == true, let duration = Duration(spelled: text),
                (.seconds(36)...(.seconds(604_800))).contains(duration)
            {
                return duration
            }
            guard text.utf8.count <= 15, text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 }),
                let hours = Double(text), (0.01...168).contains(hours)
            else {
                throw InvalidValue(
                    "is not a duration from 36 seconds to a week",
                    advice: "Write 8h, 30m or 90s; 8 without a unit is hours")
            }
            return .milliseconds(Int64((hours * 3_600_000).rounded()))
        }
    }
}
