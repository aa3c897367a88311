import Determinism
package import Terminal

/// The arguments, environment and reporter of one command.
package struct CommandContext: Sendable {
    /// The parsed options and arguments of the command.
    package let arguments: ParsedArguments
    /// The environment that the command runs in.
    package let environment: CommandEnvironment
    /// The reporter of events.
    package let reporter: EventReporter
    /// The declaration of the whole program's command line.
    package let program: CommandDeclaration

    /// The console: texts for the user, and questions to the user.
    package var console: Console { reporter.console }

    /// Returns a context of the same command with another environment.
    package func within(_ environment: CommandEnvironment) -> CommandContext {
        CommandContext(arguments: arguments, environment: environment, reporter: reporter, program: program)
    }

    /// Reads all of standard input.
    ///
    /// - Throws: `input.too-large`, `input.empty`.
    package func standardInput(limit: Int) async throws -> [UInt8] {
        guard let bytes = await environment.input.readAll(limit: limit) else {
            try Task.checkCancellation()
            throw CommandError(.inputTooLarge, "Standard input has more than \(NumberText.bytes(limit)).")
        }
        guard !bytes.isEmpty else { throw CommandError(.inputEmpty, "Standard input is empty.") }
        return bytes
    }

    /// Reads a file, or standard input for `-`.
    ///
    /// - Throws: the codes of `BoundedFile.read` and `standardInput`.
    package func contents(of name: String, limit: Int) async throws -> [UInt8] {
        name == "-" ? try await standardInput(limit: limit) : try BoundedFile.read(name, limit: limit)
    }
}
