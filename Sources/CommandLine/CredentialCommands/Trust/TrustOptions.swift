import CommandProgram
import Credentials
import Terminal

/// Shared parts of the commands of `symbolon trust`: the option for the file, the question, and how entries are shown.
enum TrustOptions {
    static let file = ValueOption(
        "trust", .path("FILE"), "The trust file, instead of the one that is read when none is named.")
    static let yes = FlagOption("yes", "Makes the change without asking.")

    /// The trust file that a command changes or shows.
    ///
    /// - Throws: `config.…`.
    static func location(_ context: CommandContext) throws(CommandError) -> TrustFileLocation {
        try TrustFileLocation.writable(context.arguments[file], context.console.variables)
    }

    /// Reports an entry, by an event and a line on standard output.
    static func report(_ entry: TrustFileEntry, _ action: String, in path: String, _ context: CommandContext) {
        let summary = TerminalText.sanitised("\(entry.kind) \(entry.summary)", limit: 400)
        context.reporter.event(
            .trustEntry,
            [
                .init("action", .string(action)), .init("file", .string(path)),
                .init("line", .integer(entry.lines.lowerBound)), .init("kind", .string(entry.kind)),
                .init("subject", .string(entry.subject)), .init("name", .string(entry.name)),
                .init("types", .array(entry.types.map(JSONText.string))),
                .init("purposes", .array(entry.purposes.map { .string($0.joined(separator: " ")) })),
                .init("paths", .array(entry.paths.map(JSONText.string))), .init("summary", .string(summary)),
            ])
        context.reporter.put(action == "listed" ? summary : "\(action)  \(summary)")
    }

    /// Reports a warning by an event, and in a line for people.
    static func report(_ warning: TrustFileWarning, in path: String, _ context: CommandContext) {
        context.reporter.event(.trustWarning, LoadedTrustFile.fields(warning, in: path))
        let sentence = TerminalText.sanitised("\(warning.sentence) \(warning.nextStep)", limit: 400)
        context.reporter.put("\(warning.isGrave ? "WARNING  " : "")line \(warning.line): \(sentence)")
    }

    /// True when the user wants a change, or said so on the command line.
    ///
    /// - Throws: `usage.missing-option` where no user can answer.
    static func isWanted(_ question: String, hint: String, _ context: CommandContext) async throws -> Bool {
        if context.arguments[yes] { return true }
        guard context.console.canAsk else {
            throw UsageError(.missingOption, "There is no terminal on which to ask.", nextStep: hint)
        }
        if await context.console.ask(question, fallback: false) == true { return true }
        try Task.checkCancellation()
        context.console.say("Nothing was changed.")
        return false
    }
}
