import Terminal

/// The program `symbolon`: its commands, and what runs each.
enum Program {
    /// The version of the program, semantic.
    static let version = "0.1.0"

    typealias Body = @Sendable (CommandContext) async throws -> Void

    /// All commands with what runs them, in the order of help.
    static let commands: [(path: [String], declaration: CommandDeclaration, body: Body)] = [
        (["demo"], DemoCommand.declaration, DemoCommand.run),
        (["receive"], ReceiveCommand.declaration, ReceiveCommand.run),
        (["send"], SendCommand.declaration, SendCommand.run),
        (["inspect"], InspectCommand.declaration, InspectCommand.run),
        (["tuvali", "replay"], ReplayCommand.declaration, ReplayCommand.run),
        (["completion"], CompletionCommand.declaration, CompletionCommand.run),
    ]

    /// The whole command line.
    static let root = CommandDeclaration(
        "symbolon",
        "Hands verifiable credentials from wallet to verifier over Bluetooth LE, with no network.",
        examples: [
            .init("symbolon demo", "Shows the whole thing in one process, without a radio."),
            .init("symbolon receive --out inbox", "Waits for a wallet: shows a QR code and keeps what arrives."),
            .init("symbolon send id.json --to URI", "Hands a file to the verifier whose code was scanned."),
        ],
        options: [Options.json.declaration, Options.quiet.declaration],
        subcommands: commands.filter { $0.path.count == 1 }.prefix(4).map(\.declaration) + [
            CommandDeclaration(
                "tuvali", "Works with the Tuvali protocol itself.",
                subcommands: commands.filter { $0.path.first == "tuvali" }.map(\.declaration))
        ] + commands.filter { $0.path == ["completion"] }.map(\.declaration))

    /// Runs one command line and returns the exit status.
    static func run(_ environment: CommandEnvironment) async -> Int32 {
        let request: ArgumentParser.Request
        do {
            request = try ArgumentParser(root).parse(environment.arguments)
        } catch {
            let reporter = Reporter(
                console: Console(environment.surroundings), isJSON: environment.arguments.contains("--json"),
                timekeeper: environment.timekeeper)
            return finish(reporter, Failure(error))
        }
        switch request {
        case .run(let arguments): return await run(arguments, environment)
        case .help(let path):
            let console = Console(environment.surroundings)
            let help = HelpText(root, width: console.window.columns).text(for: path) ?? ""
            console.put(bytes: Array(help.utf8))
        case .version: Console(environment.surroundings).put("symbolon \(version)")
        }
        return ExitClass.done.rawValue
    }

    private static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async -> Int32 {
        let console = Console(environment.surroundings, isQuiet: arguments[Options.quiet])
        let reporter = Reporter(
            console: console, isJSON: arguments[Options.json] && arguments.command != ["tuvali", "replay"],
            timekeeper: environment.timekeeper)
        let context = CommandContext(arguments: arguments, environment: environment, reporter: reporter)
        do {
            for command in commands where command.path == arguments.command { try await command.body(context) }
            return finish(reporter, nil)
        } catch {
            console.clearTransient()
            if Task.isCancelled, console.talkIsTerminal { console.complain("") }
            return finish(reporter, Task.isCancelled ? Failure(CancellationError()) : Failure(error))
        }
    }

    private static func finish(_ reporter: Reporter, _ failure: Failure?) -> Int32 {
        if let failure { reporter.fail(failure) }
        let exitClass = failure?.exitClass ?? .done
        let result = exitClass == .done ? "done" : exitClass == .interrupted ? "interrupted" : "failed"
        reporter.event(
            .finished,
            [
                .init("result", .string(result)), .init("exit", .integer(Int(exitClass.rawValue))),
                .init("code", .string(failure?.code)),
            ])
        return exitClass.rawValue
    }
}
