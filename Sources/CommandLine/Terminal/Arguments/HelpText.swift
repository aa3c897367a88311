/// Writes the help of a command: its effect, examples, usage, then the details.
public struct HelpText: Sendable {
    private let root: CommandDeclaration
    private let width: Int

    /// Makes help of `root`'s commands, wrapped to `width` columns (at least 40, at most 100).
    public init(_ root: CommandDeclaration, width: Int = 80) {
        self.root = root
        self.width = min(max(width, 40), 100)
    }

    /// Writes the help of the command at `path`, empty for the program itself; nil when there is no such command.
    ///
    /// - Parameter isWhole: whether a program that names commands of daily use lists all others too.
    public func text(for path: [String], isWhole: Bool = false) -> String? {
        guard let command = root.subcommand(at: path) else { return nil }
        var sections = [wrapped(command.summary, indent: 0)]
        if !command.examples.isEmpty { sections.append(examples(command)) }
        sections.append("Usage\n  " + usage(command, path))
        sections += command.discussion.map { wrapped($0, indent: 0) }
        sections += isWhole || command.daily.isEmpty ? commandSections(command) : firstPage(command)
        if !command.operands.isEmpty {
            sections.append("Arguments\n" + list(command.operands.map { ($0.name, $0.detail) }))
        }
        sections += optionSections(command, path)
        if !isWhole, !command.daily.isEmpty { sections.append(wayOn(command)) }
        return sections.joined(separator: "\n\n") + "\n"
    }

    private func examples(_ command: CommandDeclaration) -> String {
        "Examples\n"
            + command.examples.map { "  \($0.line)\n" + wrapped($0.explanation, indent: 6) }.joined(separator: "\n")
    }

    private func usage(_ command: CommandDeclaration, _ path: [String]) -> String {
        var words = [root.name] + path
        if !command.subcommands.isEmpty { words.append("COMMAND") }
        for operand in command.operands {
            switch operand.arity {
            case .one: words.append(operand.name)
            case .optional, .defaulted: words.append("[\(operand.name)]")
            case .many: words.append("\(operand.name)...")
            }
        }
        for option in command.options where option.isRequired {
            words.append("--\(option.name) \(option.placeholder ?? "")")
        }
        return (words + ["[options]"]).joined(separator: " ")
    }

    /// Lists the subcommands of a command under the headings of its sections; those of no section under “Commands”.
    private func commandSections(_ command: CommandDeclaration) -> [String] {
        var rest = command.subcommands
        var sections: [String] = []
        for section in command.sections {
            let members = rest.filter { section.names.contains($0.name) }
            rest.removeAll { section.names.contains($0.name) }
            if !members.isEmpty { sections.append("\(section.title)\n" + list(commands(of: members))) }
        }
        return rest.isEmpty ? sections : sections + ["Commands\n" + list(commands(of: rest))]
    }

    /// Lists the commands of daily use, the groups with their summaries, and the commands that are neither.
    private func firstPage(_ command: CommandDeclaration) -> [String] {
        let daily = command.daily.compactMap { path in
            command.subcommand(at: path.split(separator: " ").map(String.init)).map { (path, $0.summary) }
        }
        let groups = command.subcommands.filter { !$0.subcommands.isEmpty }.map { ($0.name, $0.summary) }
        let others = command.subcommands.filter { $0.subcommands.isEmpty && !command.daily.contains($0.name) }
        let parts = [("Commands", daily), ("Groups of commands", groups), ("Others", commands(of: others))]
        let column = parts.flatMap(\.1).map(\.0.count).max() ?? 0
        return parts.filter { !$0.1.isEmpty }.map { "\($0.0)\n" + list($0.1, column: column) }
    }

    private func wayOn(_ command: CommandDeclaration) -> String {
        let rows = [
            ("\(command.name) help GROUP", "Lists the commands of a group."),
            ("\(command.name) help COMMAND", "Shows examples and options of a command."),
            ("\(command.name) help --all", "Lists all commands."),
        ]
        return "More\n" + list(rows)
    }

    /// Lists the options of a command under their headings, with one column for all of them.
    private func optionSections(_ command: CommandDeclaration, _ path: [String]) -> [String] {
        let sections = options(command, path).sections.map { section in
            let rows = section.options.map { (label($0), $0.detail) }
            return (section.title ?? "Options", section.title == nil ? rows + always(path) : rows)
        }
        let column = sections.flatMap(\.1).map(\.0.count).max() ?? 0
        return sections.map { "\($0.0)\n" + list($0.1, column: column) }
    }

    private func commands(of children: [CommandDeclaration]) -> [(String, String)] {
        commands(CommandDeclaration("", "", subcommands: children))
    }

    private func commands(_ command: CommandDeclaration) -> [(String, String)] {
        command.subcommands.flatMap { child -> [(String, String)] in
            child.subcommands.isEmpty
                ? [(child.name, child.summary)]
                : commands(child).map { ("\(child.name) \($0.0)", $0.1) }
        }
    }

    private func options(_ command: CommandDeclaration, _ path: [String]) -> [OptionDeclaration] {
        var visible = command.options
        var above = path
        while !above.isEmpty {
            above.removeLast()
            visible += root.subcommand(at: above)?.options ?? []
        }
        return visible
    }

    private func always(_ path: [String]) -> [(String, String)] {
        [("-h, --help", "Shows this help.")] + (path.isEmpty ? [("-V, --version", "Shows the version.")] : [])
    }

    private func label(_ option: OptionDeclaration) -> String {
        (option.short.map { "-\($0), " } ?? "    ") + "--\(option.name)"
            + (option.placeholder.map { " \($0)" } ?? "")
    }

    private func list(_ rows: [(String, String)], column: Int? = nil) -> String {
        let column = min(column ?? rows.map { $0.0.count }.max() ?? 0, 24) + 4
        return rows.map { label, detail in
            let lines = TerminalText.wrapped(detail, width: width - column)
            let gap = String(repeating: " ", count: column)
            let isLong = label.count + 4 > column
            let head = isLong ? "  \(label)\n\(gap)" : ("  \(label)" + gap).prefix(column)
            return head + lines.joined(separator: "\n\(gap)")
        }.joined(separator: "\n")
    }

    private func wrapped(_ text: String, indent: Int) -> String {
        let gap = String(repeating: " ", count: indent)
        return TerminalText.wrapped(text, width: width - indent).map { gap + $0 }.joined(separator: "\n")
    }
}
