import CodedErrors
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
        (["doctor"], DoctorCommand.declaration, DoctorCommand.run),
        (["inspect"], InspectCommand.declaration, InspectCommand.run),
        (["tuvali", "replay"], ReplayCommand.declaration, ReplayCommand.run),
        (["invite", "inspect"], InviteInspectCommand.declaration, InviteInspectCommand.run),
        (["invite", "list"], InviteListCommand.declaration, InviteListCommand.run),
        (["invite", "withdraw"], InviteWithdrawCommand.declaration, InviteWithdrawCommand.run),
        (["invite", "create"], InviteCreateCommand.declaration, InviteCreateCommand.run),
        (["invite", "accept"], InviteAcceptCommand.declaration, InviteAcceptCommand.run),
        (["connections", "list"], ConnectionsListCommand.declaration, ConnectionsListCommand.run),
        (["connections", "show"], ConnectionsShowCommand.declaration, ConnectionsShowCommand.run),
        (["connections", "rename"], ConnectionsRenameCommand.declaration, ConnectionsRenameCommand.run),
        (["connections", "delete"], ConnectionsDeleteCommand.declaration, ConnectionsDeleteCommand.run),
        (["connections", "ping"], ConnectionsPingCommand.declaration, ConnectionsPingCommand.run),
        (["connections", "features"], ConnectionsFeaturesCommand.declaration, ConnectionsFeaturesCommand.run),
        (["connections", "rotate"], ConnectionsRotateCommand.declaration, ConnectionsRotateCommand.run),
        (["connections", "export"], ConnectionsExportCommand.declaration, ConnectionsExportCommand.run),
        (["connections", "import"], ConnectionsImportCommand.declaration, ConnectionsImportCommand.run),
        (["requests", "list"], RequestsListCommand.declaration, RequestsListCommand.run),
        (["requests", "decline"], RequestsDeclineCommand.declaration, RequestsDeclineCommand.run),
        (["messages", "list"], MessagesListCommand.declaration, MessagesListCommand.run),
        (["messages", "send"], MessagesSendCommand.declaration, MessagesSendCommand.run),
        (["messages", "watch"], MessagesWatchCommand.declaration, MessagesWatchCommand.run),
        (["messages", "ask"], MessagesAskCommand.declaration, MessagesAskCommand.run),
        (["messages", "answer"], MessagesAnswerCommand.declaration, MessagesAnswerCommand.run),
        (["mediator", "use"], MediatorUseCommand.declaration, MediatorUseCommand.run),
        (["mediator", "show"], MediatorShowCommand.declaration, MediatorShowCommand.run),
        (["mediator", "wake"], MediatorWakeCommand.declaration, MediatorWakeCommand.run),
        (["mediator", "leave"], MediatorLeaveCommand.declaration, MediatorLeaveCommand.run),
        (["listen"], ListenCommand.declaration, ListenCommand.run),
        (["agent", "run"], AgentRunCommand.declaration, AgentRunCommand.run),
        (["agent", "status"], AgentStatusCommand.declaration, AgentStatusCommand.run),
        (["agent", "accounts"], AgentAccountsCommand.declaration, AgentAccountsCommand.run),
        (["agent", "backup"], AgentBackupCommand.declaration, AgentBackupCommand.run),
        (["agent", "verify"], AgentVerifyCommand.declaration, AgentVerifyCommand.run),
        (["agent", "prune"], AgentPruneCommand.declaration, AgentPruneCommand.run),
        (["agent", "config", "show"], AgentConfigCommand.declaration, AgentConfigCommand.run),
        (["connect", "demo"], ConnectDemoCommand.declaration, ConnectDemoCommand.run),
        (["prox", "run"], ProximityRunCommand.declaration, ProximityRunCommand.run),
        (["prox", "send"], ProximitySendCommand.declaration, ProximitySendCommand.run),
        (["prox", "report"], ProximityReportCommand.declaration, ProximityReportCommand.run),
        (["prox", "simulate"], CrowdCommand.declaration, CrowdCommand.run),
        (["prox", "distance"], DistanceCommand.declaration, DistanceCommand.run),
        (["bench", "transfer"], TransferBenchCommand.declaration, TransferBenchCommand.run),
        (["bench", "pipeline"], PipelineBenchCommand.declaration, PipelineBenchCommand.run),
        (["bench", "didcomm"], EnvelopeBenchCommand.declaration, EnvelopeBenchCommand.run),
        (["bench", "herald"], HeraldBenchCommand.declaration, HeraldBenchCommand.run),
        (["sim", "run"], SimulationRunCommand.declaration, SimulationRunCommand.run),
        (["sim", "replay"], SimulationReplayCommand.declaration, SimulationReplayCommand.run),
        (["sim", "shrink"], SimulationShrinkCommand.declaration, SimulationShrinkCommand.run),
        (["vault", "create"], VaultCreateCommand.declaration, VaultCreateCommand.run),
        (["vault", "info"], VaultInfoCommand.declaration, VaultInfoCommand.run),
        (["vault", "check"], VaultCheckCommand.declaration, VaultCheckCommand.run),
        (["vault", "rekey"], VaultRekeyCommand.declaration, VaultRekeyCommand.run),
        (["vault", "export"], VaultExportCommand.declaration, VaultExportCommand.run),
        (["vault", "import"], VaultImportCommand.declaration, VaultImportCommand.run),
        (["bench", "vault"], VaultBenchCommand.declaration, VaultBenchCommand.run),
        (["bench", "connections"], ConnectionsBenchCommand.declaration, ConnectionsBenchCommand.run),
        (["bench", "agent"], AgentBenchCommand.declaration, AgentBenchCommand.run),
        (["bench", "agent-soak"], AgentSoakCommand.declaration, AgentSoakCommand.run),
        (["completion"], CompletionCommand.declaration, CompletionCommand.run),
    ]

    /// The whole command line.
    static let root = CommandDeclaration(
        "symbolon",
        "Hands over credentials over Bluetooth LE without a network, notices who is near, and keeps connections.",
        examples: [
            .init("symbolon demo", "Shows the whole thing in one process, without a radio."),
            .init("symbolon receive --out inbox", "Waits for a wallet: shows a QR code and keeps what arrives."),
            .init("symbolon send id.json --to URI", "Hands a file to the verifier whose code was scanned."),
        ],
        options: [Options.json.declaration, Options.quiet.declaration],
        subcommands: members(of: []))

    /// What the groups of commands are for.
    private static let groups = [
        "tuvali": "Works with the Tuvali protocol itself.",
        "invite": "Works with invitations to connect.",
        "connections": "Looks after connections with other agents.",
        "requests": "Looks after requests that came with invitations.",
        "messages": "Reads and sends messages on connections.",
        "mediator": "Has messages taken by a mediator while nobody listens here.",
        "agent": "Runs a cloud agent: takes messages for wallets that are away.",
        "agent config": "Looks at the settings of a cloud agent.",
        "connect": "Shows how agents connect.",
        "prox": "Notices who is near, and tells how far.",
        "bench": "Measures, and writes a line for each measurement.",
        "vault": "Looks after vaults: the sealed stores of keys, connections and messages.",
        "sim": "Puts simulated hand-overs under faults.",
    ]

    /// Commands and groups of a group in the order of `commands`, each group where its first command stands.
    private static func members(of path: [String]) -> [CommandDeclaration] {
        let inside = commands.filter { $0.path.count > path.count && $0.path.starts(with: path) }
        var names: [String] = []
        for command in inside where !names.contains(command.path[path.count]) { names.append(command.path[path.count]) }
        return names.compactMap { name in
            let whole = path + [name]
            guard let summary = groups[whole.joined(separator: " ")] else {
                return inside.first { $0.path == whole }?.declaration
            }
            return CommandDeclaration(name, summary, subcommands: members(of: whole))
        }
    }

    /// Commands whose JSON lines have a form of their own, without the frame of events.
    private static let ownForms: Set<String> = ["tuvali", "bench", "sim"]
    /// The same, of commands in groups whose other commands tell events.
    private static let ownFormPaths: [[String]] = [["prox", "distance"], ["prox", "report"], ["prox", "simulate"]]

    private static func hasOwnForm(_ path: [String]) -> Bool {
        ownForms.contains(path.first ?? "") || ownFormPaths.contains(path)
    }

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
            console: console, isJSON: arguments[Options.json] && !hasOwnForm(arguments.command),
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
