import CodedErrors

/// A page of the manual for `man`, section 1: one command, in the macros of man(7).
public struct ManualPage: Hashable, Sendable {
    /// The file name of the page, such as `symbolon-agent-run.1`.
    public let fileName: String
    /// The source of the page: UTF-8 lines, each ended by LF.
    public let text: String

    /// Writes the manual pages of `root`: one for the program, one for each command and group, in the order of help.
    ///
    /// - Parameters:
    ///   - version: what stands in the foot of each page, such as `0.2.0`.
    ///   - related: the names and sections of other pages that the program's page refers to.
    public static func pages(
        of root: CommandDeclaration, version: String, related: [(name: String, section: Int)] = []
    ) -> [ManualPage] {
        func walk(
            _ command: CommandDeclaration, _ path: [String], _ inherited: [OptionDeclaration]
        ) -> [ManualPage] {
            let options = command.options + inherited
            let page = ManualPage(
                command, [root.name] + path, options: options, version: version, related: path.isEmpty ? related : [])
            return [page] + command.subcommands.flatMap { walk($0, path + [$0.name], options) }
        }
        return walk(root, [], [])
    }

    private init(
        _ command: CommandDeclaration, _ words: [String], options: [OptionDeclaration], version: String,
        related: [(name: String, section: Int)]
    ) {
        let name = words.joined(separator: "-")
        fileName = "\(name).1"
        let isProgram = words.count == 1
        var lines = [
            ".TH \(Self.quoted(name.uppercased())) 1 \"\" \(Self.quoted("\(words[0]) \(version)")) \"User Commands\"",
            ".SH NAME", "\(Self.escaped(name)) \\- \(Self.escaped(Self.clause(command.summary)))",
            ".SH SYNOPSIS", ".B \(Self.escaped(words.joined(separator: " ")))",
        ]
        lines += Self.synopsis(command)
        lines += [".SH DESCRIPTION", Self.line(command.summary)]
        lines += command.discussion.flatMap { [".PP", Self.line($0)] }
        if !command.subcommands.isEmpty { lines += [".SH COMMANDS"] + Self.commands(command, words) }
        if !command.operands.isEmpty {
            lines += [".SH ARGUMENTS"]
            lines += command.operands.flatMap { Self.entry("\\fI\(Self.escaped($0.name))\\fR", $0.detail) }
        }
        for section in options.sections {
            lines += section.title.map { [".SS \(Self.quoted($0))"] } ?? [".SH OPTIONS"]
            lines += section.options.flatMap { Self.entry(Self.label($0), $0.detail) }
            guard section.title == nil else { continue }
            lines += Self.entry("\\fB\\-h\\fR, \\fB\\-\\-help\\fR", "Shows the help of the command.")
            if isProgram { lines += Self.entry("\\fB\\-\\-version\\fR", "Shows the version.") }
        }
        if command.subcommands.isEmpty || isProgram { lines += Self.exitStatuses() }
        if !command.examples.isEmpty {
            lines += [".SH EXAMPLES"]
            lines += command.examples.flatMap { Self.entry("\\fB\(Self.escaped($0.line))\\fR", $0.explanation) }
        }
        let above = words.count > 1 ? [(name: words.dropLast().joined(separator: "-"), section: 1)] : []
        lines += Self.seeAlso(above + related)
        text = lines.map { $0 + "\n" }.joined()
    }

    private static func synopsis(_ command: CommandDeclaration) -> [String] {
        var lines = command.subcommands.isEmpty ? [] : [".I COMMAND"]
        for operand in command.operands {
            let name = escaped(operand.name)
            switch operand.arity {
            case .one: lines.append(".I \(name)")
            case .optional, .defaulted: lines.append(".RI [ \(name) ]")
            case .many: lines.append(".IR \(name) ...")
            }
        }
        for option in command.options where option.isRequired { lines.append(label(option)) }
        return lines + ["[\\fIoptions\\fR]"]
    }

    private static func commands(_ group: CommandDeclaration, _ words: [String]) -> [String] {
        group.subcommands.flatMap { child in
            let page = escaped((words + [child.name]).joined(separator: "-"))
            return entry("\\fB\(page)\\fR(1)", child.summary)
        }
    }

    private static func exitStatuses() -> [String] {
        [".SH EXIT STATUS"]
            + ExitClass.allCases.flatMap { entry("\\fB\($0.rawValue)\\fR", $0.meaning) }
    }

    private static func seeAlso(_ pages: [(name: String, section: Int)]) -> [String] {
        guard !pages.isEmpty else { return [] }
        return [".SH SEE ALSO", pages.map { "\\fB\(escaped($0.name))\\fR(\($0.section))" }.joined(separator: ", ")]
    }

    private static func entry(_ label: String, _ detail: String) -> [String] { [".TP", label, line(detail)] }

    private static func label(_ option: OptionDeclaration) -> String {
        let short = option.short.map { "\\fB\\-\($0)\\fR, " } ?? ""
        let value = option.placeholder.map { " \\fI\(escaped($0))\\fR" } ?? ""
        return "\(short)\\fB\\-\\-\(escaped(option.name))\\fR\(value)"
    }

    /// Removes the full stop of a sentence for the `NAME` section, so that indexes of pages can show it.
    private static func clause(_ sentence: String) -> String {
        sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    }

    /// Escapes a text for a line of its own, because a control character at its start would be a request of roff.
    private static func line(_ text: String) -> String {
        let source = escaped(text)
        return source.hasPrefix(".") || source.hasPrefix("'") ? "\\&\(source)" : source
    }

    private static func quoted(_ text: String) -> String { "\"\(escaped(text).replacing("\"", with: "\\(dq"))\"" }

    /// Escapes characters that roff reads: a backslash, a hyphen (which would be typeset as one, and not as the
    /// minus of options), line ends.
    private static func escaped(_ text: String) -> String {
        var source = ""
        for character in text {
            switch character {
            case "\\": source += "\\e"
            case "-": source += "\\-"
            case "\n", "\r", "\r\n": source += " "
            default: source.append(character)
            }
        }
        return source
    }
}
