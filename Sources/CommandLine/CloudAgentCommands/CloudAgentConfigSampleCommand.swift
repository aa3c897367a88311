package import CommandProgram
package import Terminal

/// `symbolon agent config sample`: a file of settings to begin with.
package enum CloudAgentConfigSampleCommand {
    package static let declaration = CommandDeclaration(
        "sample", "Writes a sample settings file, with every setting commented out.",
        examples: [.init("symbolon agent config sample > agent.conf", "Makes a file to change and to run with.")])

    package static let run: Program.Body = { context in context.reporter.put(text) }

    /// The text of the sample file: for each setting its explanation and a line `#name = default`.
    static var text: String {
        let head = """
            # Settings of symbolon agent run, as `symbolon agent run --config FILE` reads them.
            # A line that begins with # is not read; a setting without a line has its default.
            # `symbolon agent config show --config FILE` says what holds, and why.
            """
        return CloudAgentSettings.table.reduce(into: head) { text, setting in
            let lines = TerminalText.wrapped("\(setting.help).", width: 76).map { "# \($0)" }
            text += "\n\n" + lines.joined(separator: "\n") + "\n"
            text += setting.usual.isEmpty ? "#\(setting.name) = \(setting.form)" : "#\(setting.name) = \(setting.usual)"
        }
    }
}
