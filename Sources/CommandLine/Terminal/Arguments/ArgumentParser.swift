/// Parses command lines by the declaration of a program.
///
/// It takes `--name value`, `--name=value`, `-n value`, `-nvalue`, joined flags (`-qv`), a lone `-` as an argument
/// and `--` as the end of options. `--help`, `-h` and `help COMMAND` work everywhere, `help --all`, `--version`, `-V`
/// and the word `version` at the top. The program and a group of commands alone show their help. Nothing is
/// abbreviated, because an abbreviation breaks when an option is added.
public struct ArgumentParser: Sendable {
    /// The request of a parsed command line.
    public enum ParsedInvocation: Sendable {
        /// The command line requests to run a command.
        case run(ParsedArguments)
        /// The command line requests the help of the command with this path; an empty path means the program.
        case help([String])
        /// The command line requests the help of the program with all commands.
        case helpOnAll
        /// The command line requests the version.
        case version
    }

    /// The program: its name is the word that starts every line of help.
    public let root: CommandDeclaration

    /// Makes an argument parser from its parts.
    public init(_ root: CommandDeclaration) { self.root = root }

    /// Parses `arguments`, which begin after the program's name.
    ///
    /// - Throws: every code of `UsageError` except `conflict`, which is for commands.
    public func parse(_ arguments: [String]) throws(UsageError) -> ParsedInvocation {
        if arguments.first == "help" { return try help(Array(arguments.dropFirst())) }
        if arguments.first == "version", root.subcommand(at: ["version"]) == nil {
            if arguments.contains("--help") || arguments.contains("-h") { return .help([]) }
            guard arguments.count == 1 else {
                throw UsageError(
                    .unexpectedOperand, "\(root.name) version takes no arguments.",
                    nextStep: "Write \(root.name) version without anything else.")
            }
            return .version
        }
        if let group = root.subcommand(at: arguments), !group.subcommands.isEmpty { return .help(arguments) }
        var run = ParsingPass(root: root)
        for argument in arguments {
            if let request = try run.take(argument) { return request }
        }
        return .run(try run.finish())
    }

    private func help(_ path: [String]) throws(UsageError) -> ParsedInvocation {
        if path == ["--all"] { return .helpOnAll }
        guard root.subcommand(at: path) == nil else { return .help(path) }
        throw UsageError(
            .unknownCommand, "There is no command “\(TerminalText.sanitised(path.joined(separator: " ")))”.",
            nextStep: "\(root.name) help --all lists the commands.")
    }
}

/// The state of parsing one command line.
private struct ParsingPass {
    let root: CommandDeclaration
    var command: CommandDeclaration
    var path: [String] = []
    var visible: [OptionDeclaration]
    var options: [String: [String]] = [:]
    var loose: [String] = []
    var awaiting: OptionDeclaration?
    var isPastOptions = false

    init(root: CommandDeclaration) {
        self.root = root
        command = root
        visible = root.options
    }

    var line: String { ([root.name] + path).joined(separator: " ") }

    mutating func take(_ argument: String) throws(UsageError) -> ArgumentParser.ParsedInvocation? {
        if let option = awaiting {
            guard !(argument.hasPrefix("--") && argument.count > 2) else { throw missingValue(option) }
            awaiting = nil
            try store(argument, for: option)
        } else if isPastOptions || argument == "-" || !argument.hasPrefix("-") {
            try takeWord(argument)
        } else if argument == "--" {
            isPastOptions = true
        } else if argument == "--help" || argument == "-h" {
            return .help(path)
        } else if argument == "--version" || argument == "-V", path.isEmpty {
            return .version
        } else if argument.hasPrefix("--") {
            try takeLong(String(argument.dropFirst(2)))
        } else {
            try takeShort(argument.dropFirst())
        }
        return nil
    }

    private mutating func takeWord(_ word: String) throws(UsageError) {
        guard !command.subcommands.isEmpty else {
            loose.append(word)
            return
        }
        guard let next = command.subcommands.first(where: { $0.name == word }) else { throw unknownCommand(word) }
        command = next
        path.append(word)
        visible += next.options
    }

    private mutating func takeLong(_ text: String) throws(UsageError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let name = parts.first ?? text
        guard let option = visible.first(where: { $0.name == name }) else {
            throw unknownOption("--\(name)", near: SpellingSuggestion.nearest(to: name, among: visible.map(\.name)))
        }
        try take(option, value: parts.count == 2 ? parts[1] : nil)
    }

    private mutating func takeShort(_ letters: Substring) throws(UsageError) {
        var rest = letters
        while let letter = rest.popFirst() {
            guard let option = visible.first(where: { $0.short == letter }) else {
                throw unknownOption("-\(letter)", near: nil)
            }
            if option.placeholder != nil, !rest.isEmpty {
                return try store(String(rest), for: option)
            }
            try take(option, value: nil)
        }
    }

    private mutating func take(_ option: OptionDeclaration, value: String?) throws(UsageError) {
        switch (option.placeholder, value) {
        case (nil, nil): try store("", for: option)
        case (nil, _?):
            throw UsageError(
                .unexpectedValue, "The option --\(option.name) takes no value.",
                nextStep: "Write --\(option.name) without a value.")
        case (_?, let value?): try store(value, for: option)
        case (_?, nil): awaiting = option
        }
    }

    private mutating func store(_ value: String, for option: OptionDeclaration) throws(UsageError) {
        guard option.isRepeatable || options[option.name] == nil else {
            throw UsageError(
                .repeatedOption, "The option --\(option.name) was given more than once.",
                nextStep: "Give it once.")
        }
        if option.placeholder != nil {
            do { try option.check(value) } catch { throw badValue(value, "--\(option.name)", error) }
        }
        options[option.name, default: []].append(value)
    }

    func finish() throws(UsageError) -> ParsedArguments {
        if let option = awaiting { throw missingValue(option) }
        guard command.subcommands.isEmpty else {
            throw UsageError(
                .missingCommand, "No command was given after “\(line)”.", nextStep: "\(line) --help lists the commands."
            )
        }
        for option in visible where option.isRequired && options[option.name] == nil {
            throw UsageError(
                .missingOption, "The option --\(option.name) is missing.",
                nextStep: "Add --\(option.name) \(option.placeholder ?? ""); \(line) --help shows an example.")
        }
        var parsed = ParsedArguments(command: path)
        parsed.options = options
        parsed.operands = try assigned()
        return parsed
    }

    private func assigned() throws(UsageError) -> [String: [String]] {
        var words = loose[...]
        var operands: [String: [String]] = [:]
        let isFull = loose.count >= command.operands.count { $0.arity != .optional }
        for operand in command.operands where isFull || operand.arity != .defaulted {
            let taken = operand.arity == .many ? words : words.prefix(1)
            words = words.dropFirst(taken.count)
            guard !taken.isEmpty || operand.arity == .optional else {
                throw UsageError(
                    .missingOperand, "The argument \(operand.name) is missing.",
                    nextStep: "Add \(operand.name); \(line) --help shows an example.")
            }
            for word in taken {
                do { try operand.check(word) } catch { throw badValue(word, operand.name, error) }
            }
            if !taken.isEmpty { operands[operand.name] = Array(taken) }
        }
        if let extra = words.first { throw unexpected(extra) }
        return operands
    }

    private func unexpected(_ extra: String) -> UsageError {
        let names = command.operands.map(\.name).joined(separator: " ")
        let accepted = names.isEmpty ? "no arguments" : "only \(names)"
        return UsageError(
            .unexpectedOperand,
            "\(line) takes \(accepted); “\(TerminalText.sanitised(extra, limit: 60))” is one argument too many.",
            nextStep: command.operands.last?.whenMore ?? "\(line) --help shows its arguments.")
    }

    private func unknownCommand(_ word: String) -> UsageError {
        let near = SpellingSuggestion.nearest(to: word, among: command.subcommands.map(\.name))
        return UsageError(
            .unknownCommand,
            "There is no command “\((path + [TerminalText.sanitised(word, limit: 60)]).joined(separator: " "))”.",
            nextStep: near.map { "Did you mean \(line) \($0)?" }
                ?? (path.isEmpty ? "\(line) help --all lists the commands." : "\(line) --help lists the commands."))
    }

    private func unknownOption(_ spelled: String, near: String?) -> UsageError {
        UsageError(
            .unknownOption, "There is no option \(TerminalText.sanitised(spelled, limit: 60)) for “\(line)”.",
            nextStep: near.map { "Did you mean --\($0)?" } ?? "\(line) --help lists the options.")
    }

    private func missingValue(_ option: OptionDeclaration) -> UsageError {
        UsageError(
            .missingValue, "The option --\(option.name) needs a value.",
            nextStep: "Write --\(option.name) \(option.placeholder ?? "VALUE").")
    }

    private func badValue(_ value: String, _ parameter: String, _ complaint: InvalidValue) -> UsageError {
        let ending = complaint.advice.hasSuffix("?") ? "" : "."
        let shown = complaint.mayBeSecret ? "The value" : "“\(TerminalText.sanitised(value, limit: 60))”"
        return UsageError(
            .badValue,
            value.isEmpty ? "\(parameter) is empty." : "\(shown) for \(parameter) \(complaint.complaint).",
            nextStep: complaint.advice + ending)
    }
}
