import CBuild
import CodedErrors
package import Terminal

/// A program made of commands: parses a command line, runs the command that it names, and reports how that ended.
package struct Program: Sendable {
    /// The version of the package's programs, semantic.
    package static let version = "0.2.0"

    /// The commit that the program was built from, as hexadecimal digits with a `+` when files were changed; nil when
    /// the build was not told.
    package static var commit: String? {
        let text = unsafe String(cString: CBuildCommit())
        return text.isEmpty ? nil : text
    }

    /// The function that runs a command.
    package typealias Body = @Sendable (CommandContext) async throws -> Void

    /// One command of the program.
    package struct Command: Sendable {
        /// The words that select the command, such as `prox run`.
        package let path: [String]
        /// The declaration of the command: its help and its options.
        package let declaration: CommandDeclaration
        /// The function that runs the command.
        package let body: Body
        /// True when the command ends by an interruption, as its first output says: then that is no failure.
        package let endsByInterruption: Bool

        /// Makes a command; the blanks in `path` separate its words.
        package init(
            _ path: String, _ declaration: CommandDeclaration, _ body: @escaping Body, endsByInterruption: Bool = false
        ) {
            self.path = path.split(separator: " ").map(String.init)
            self.declaration = declaration
            self.body = body
            self.endsByInterruption = endsByInterruption
        }
    }

    /// All commands of the program, in the order of help.
    package let commands: [Command]

    /// The declaration of the whole command line, with all groups and commands.
    package let root: CommandDeclaration

    /// Commands and groups whose JSON Lines have another form than events.
    private let ownForms: [[String]]

    /// Makes a program from its commands.
    ///
    /// - Parameters:
    ///   - groups: the summary of each group of commands, by its path.
    ///   - sections: the headings under which help lists the commands.
    ///   - daily: the paths of the commands of daily use, which the first page of help lists beside the groups.
    ///   - ownForms: the paths of commands and groups that write JSON Lines of their own instead of events.
    package init(
        _ name: String, _ summary: String, examples: [CommandDeclaration.Example], groups: [String: String],
        sections: [CommandDeclaration.Section] = [], daily: [String] = [], ownForms: [String], commands: [Command]
    ) {
        self.commands = commands
        self.ownForms = ownForms.map { $0.split(separator: " ").map(String.init) }
        root = CommandDeclaration(
            name, summary, examples: examples, options: [Options.json.declaration, Options.quiet.declaration],
            subcommands: Self.members(of: [], commands, groups), sections: sections, daily: daily)
    }

    /// Commands and groups of a group in the order of `commands`; a group stands at the position of its first command.
    private static func members(
        of path: [String], _ commands: [Command], _ groups: [String: String]
    ) -> [CommandDeclaration] {
        let inside = commands.filter { $0.path.count > path.count && $0.path.starts(with: path) }
        var names: [String] = []
        for command in inside where !names.contains(command.path[path.count]) { names.append(command.path[path.count]) }
        return names.compactMap { name in
            let whole = path + [name]
            guard let summary = groups[whole.joined(separator: " ")] else {
                return inside.first { $0.path == whole }?.declaration
            }
            return CommandDeclaration(name, summary, subcommands: members(of: whole, commands, groups))
        }
    }

    /// Runs one command line and returns the exit status.
    package func run(_ environment: CommandEnvironment) async -> Int32 {
        let request: ArgumentParser.ParsedInvocation
        let reporter = EventReporter(
            console: Console(environment.surroundings), isJSON: environment.arguments.contains("--json"),
            clock: environment.clock, wallTime: environment.wallTime)
        do {
            request = try ArgumentParser(root).parse(environment.arguments)
        } catch {
            return finish(reporter, CommandFailure(error))
        }
        switch request {
        case .run(let arguments): return await run(arguments, environment)
        case .help(let path): showHelp(path, reporter.console)
        case .helpOnAll: showHelp([], isWhole: true, reporter.console)
        case .version:
            let commit = Self.commit.map { " (\($0))" } ?? ""
            reporter.put("\(root.name) \(Self.version)\(commit)")
            reporter.event(
                .program,
                [
                    .init("name", .string(root.name)), .init("release", .string(Self.version)),
                    .init("commit", .string(Self.commit)),
                ])
            return finish(reporter, nil)
        }
        return reporter.console.outputIsBroken ? finish(reporter, nil) : ExitClass.done.rawValue
    }

    private func showHelp(_ path: [String], isWhole: Bool = false, _ console: Console) {
        let help = HelpText(root, width: console.window.columns).text(for: path, isWhole: isWhole) ?? ""
        console.put(bytes: Array(help.utf8))
    }

    private func hasOwnForm(_ path: [String]) -> Bool { ownForms.contains { path.starts(with: $0) } }

    private func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async -> Int32 {
        let console = Console(environment.surroundings, isQuiet: arguments[Options.quiet])
        let reporter = EventReporter(
            console: console, isJSON: arguments[Options.json] && !hasOwnForm(arguments.command),
            clock: environment.clock, wallTime: environment.wallTime)
        let context = CommandContext(
            arguments: arguments, environment: environment, reporter: reporter, program: root)
        let command = commands.first { $0.path == arguments.command }
        let ending = CommandRunEnd()
        let failure: CommandFailure?
        do {
            try await withTaskCancellationHandler {
                try await command?.body(context)
            } onCancel: {
                // A command that is blocked does not see that it was cancelled.
                environment.forcedEnd.begin(unless: { ending.isOver }) {
                    ending.say { finish(reporter, CommandFailure(CancellationError())) }
                }
            }
            failure = nil
        } catch {
            console.clearTransient()
            if Task.isCancelled, console.talkIsTerminal { console.complain("") }
            let endsSo = Task.isCancelled && command?.endsByInterruption == true
            // An interruption is the cause of whatever ended by it; what was delivered before is still told.
            let own = CommandFailure(error)
            let isInterrupted = Task.isCancelled && own.exitClass != .undecided
            failure = endsSo ? nil : isInterrupted ? CommandFailure(CancellationError()) : own
        }
        defer { ending.close() }
        return ending.say { finish(reporter, failure) }
    }

    private func finish(_ reporter: EventReporter, _ failure: CommandFailure?) -> Int32 {
        var failure = failure
        if failure == nil, reporter.console.outputIsBroken {
            failure = CommandFailure(CommandError(.outputNotWritable, "Standard output could not be written."))
        }
        // A rejection was decided here and said when it happened; only the exit status tells it again.
        if let failure, failure.exitClass != .credentialRejected { reporter.fail(failure) }
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
