/// Writes the script that lets a shell complete a program's command lines.
public enum CompletionScript {
    /// A shell that a script can be written for.
    public enum Shell: String, CaseIterable, Sendable {
        /// The completion script for Bash.
        case bash
        /// The completion script for Zsh.
        case zsh
        /// The completion script for Fish.
        case fish
    }

    /// Writes the completion script for `shell`, to be sourced or put where the shell looks for completions.
    public static func text(for root: CommandDeclaration, shell: Shell) -> String {
        switch shell {
        case .bash: bash(root)
        case .zsh: zsh(root)
        case .fish: fish(root)
        }
    }

    /// A command with its path and all options that count for it.
    private struct CompletableCommand {
        let path: [String]
        let command: CommandDeclaration
        let options: [OptionDeclaration]

        var isGroup: Bool { !command.subcommands.isEmpty }
        var words: [String] {
            command.subcommands.map(\.name) + command.operands.flatMap(\.choices)
        }
        var optionWords: [String] {
            options.map { "--\($0.name)" } + ["--help"] + (path.isEmpty ? ["--version"] : [])
        }
        var takesFiles: Bool { command.operands.contains(where: \.completesFiles) }
    }

    private static func entries(_ root: CommandDeclaration) -> [CompletableCommand] {
        func walk(_ command: CommandDeclaration, _ path: [String], _ inherited: [OptionDeclaration])
            -> [CompletableCommand]
        {
            let options = inherited + command.options
            return [CompletableCommand(path: path, command: command, options: options)]
                + command.subcommands.flatMap { walk($0, path + [$0.name], options) }
        }
        return walk(root, [], [])
    }

    // Both bash and zsh scripts walk the words typed so far along the tree of commands, then offer what may follow.

    private static func bash(_ root: CommandDeclaration) -> String {
        let entries = entries(root)
        return """
            # bash completion of \(root.name)
            _\(root.name)() {
                local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" path="" word
                for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                    case "$path $word" in
            \(entries.dropFirst().map { "            \"\(walked($0.path))\") path=\"\(stored($0.path))\" ;;" }.joined(separator: "\n"))
                    esac
                done
                COMPREPLY=()
                case "$path $previous" in
            \(valueCases(entries) { choices in
                choices.map { "COMPREPLY=($(compgen -W \"\($0.joined(separator: " "))\" -- \"$current\"))" }
                    ?? "COMPREPLY=($(compgen -f -- \"$current\"))"
            })
                esac
                case "$path" in
            \(entries.map { "        \"\(stored($0.path))\") \(bashReply($0)) ;;" }.joined(separator: "\n"))
                esac
            }
            complete -o filenames -F _\(root.name) \(root.name)

            """
    }

    private static func bashReply(_ entry: CompletableCommand) -> String {
        let words = (entry.words + entry.optionWords).joined(separator: " ")
        let reply = "COMPREPLY=($(compgen -W \"\(words)\" -- \"$current\"))"
        return entry.takesFiles ? reply + "; COMPREPLY+=($(compgen -f -- \"$current\"))" : reply
    }

    private static func zsh(_ root: CommandDeclaration) -> String {
        let entries = entries(root)
        return """
            #compdef \(root.name)
            # zsh completion of \(root.name)
            _\(root.name)() {
                local previous="${words[CURRENT-1]}" path_so_far="" word
                for word in "${(@)words[2,CURRENT-1]}"; do
                    case "$path_so_far $word" in
            \(entries.dropFirst().map { "            \"\(walked($0.path))\") path_so_far=\"\(stored($0.path))\" ;;" }.joined(separator: "\n"))
                    esac
                done
                case "$path_so_far $previous" in
            \(valueCases(entries) { $0.map { "compadd -- \($0.joined(separator: " "))" } ?? "_files" })
                esac
                case "$path_so_far" in
            \(entries.map { "        \"\(stored($0.path))\") \(zshReply($0)) ;;" }.joined(separator: "\n"))
                esac
            }
            if [ "$funcstack[1]" = "_\(root.name)" ]; then _\(root.name) "$@"; else compdef _\(root.name) \(root.name); fi

            """
    }

    private static func zshReply(_ entry: CompletableCommand) -> String {
        let reply = "compadd -- \((entry.words + entry.optionWords).joined(separator: " "))"
        return entry.takesFiles ? reply + "; _files" : reply
    }

    private static func walked(_ path: [String]) -> String { path.map { " \($0)" }.joined() }

    private static func stored(_ path: [String]) -> String { walked(path) }

    private static func valueCases(_ entries: [CompletableCommand], reply: ([String]?) -> String) -> String {
        entries.filter { !$0.isGroup }.flatMap { entry in
            entry.options.filter { $0.placeholder != nil }.map { option in
                let spelled = ["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? [])
                let pattern = spelled.map { "\"\(stored(entry.path)) \($0)\"" }.joined(separator: "|")
                let offers = !option.choices.isEmpty || option.completesFiles
                let action = offers ? reply(option.choices.isEmpty ? nil : option.choices) + "; " : ""
                return "        \(pattern)) \(action)return ;;"
            }
        }.joined(separator: "\n")
    }

    private static func fish(_ root: CommandDeclaration) -> String {
        let lines = entries(root).flatMap { entry -> [String] in
            let condition = fishCondition(entry)
            let start = "complete -c \(root.name) \(condition)"
            let words =
                entry.command.subcommands.map { "\(start) -f -a \($0.name) -d \(quoted($0.summary))" }
                + (entry.command.operands.flatMap(\.choices).isEmpty
                    ? []
                    : ["\(start) -f -a \(quoted(entry.command.operands.flatMap(\.choices).joined(separator: " ")))"])
            return words + entry.command.options.map { fishOption($0, start) }
        }
        return "# fish completion of \(root.name)\ncomplete -c \(root.name) -l help -s h -d 'Shows help.'\n"
            + lines.joined(separator: "\n") + "\n"
    }

    private static func fishCondition(_ entry: CompletableCommand) -> String {
        let below = entry.command.subcommands.map(\.name).joined(separator: " ")
        let seen = entry.path.map { "__fish_seen_subcommand_from \($0)" }
        let unseen = below.isEmpty ? [] : ["not __fish_seen_subcommand_from \(below)"]
        return "-n '\((seen + unseen).joined(separator: "; and "))'"
    }

    private static func fishOption(_ option: OptionDeclaration, _ start: String) -> String {
        var line = "\(start) -l \(option.name)"
        if let short = option.short { line += " -s \(short)" }
        if option.placeholder != nil {
            line += option.completesFiles ? " -r -F" : " -x"
            if !option.choices.isEmpty { line += " -a \(quoted(option.choices.joined(separator: " ")))" }
        }
        return line + " -d \(quoted(option.help))"
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'") + "'"
    }
}
