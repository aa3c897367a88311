package import CommandProgram
package import Terminal

/// `symbolon agent config show`: the settings and their sources.
package enum CloudAgentConfigCommand {
    package static let declaration = CommandDeclaration(
        "show", "Shows each setting of the agent and the source of its value.",
        discussion: [
            "An option goes before the environment, that before the file that --config or SYMBOLON_AGENT_CONFIG names, that "
                + "before the default. Nothing is opened or made. Addresses of databases are not shown, because they may hold "
                + "a password."
        ],
        examples: [
            .init("symbolon agent config show --config /etc/symbolon/agent.conf", "Shows what that file would do.")
        ],
        options: CloudAgentSettings.allOptions)

    package static let run: Program.Body = { context in
        let settings = try CloudAgentSettings(context)
        var table = TextTable([.init("name"), .init("value"), .init("from")])
        for found in settings.found {
            let value = found.text.isEmpty ? location(of: found.setting, settings, context) : shown(found)
            context.reporter.event(.setting, members(found, value))
            table.add([found.setting.name, value, "\(found.source)"])
        }
        for line in table.lines(width: context.console.outputColumns, palette: .plain) { context.reporter.put(line) }
        _ = try settings.configuration()
    }

    /// The value of a setting whose default depends on other settings or on the user; empty for one without a default.
    private static func location(
        of setting: CloudAgentSetting, _ settings: CloudAgentSettings, _ context: CommandContext
    ) -> String {
        let value: String?
        switch setting.name {
        case CloudAgentSettings.data.declaration.name: value = try? CloudAgentLocation.folder(settings, context)
        case CloudAgentSettings.store.declaration.name:
            value = (try? CloudAgentLocation(settings, context)).map { "\($0.store)" }
        case CloudAgentSettings.secretFile.declaration.name:
            value = try? CloudAgentLocation(settings, context).secretPath
        default: value = nil
        }
        return TerminalText.sanitised(value ?? "", limit: 400)
    }

    private static func shown(_ found: CloudAgentSettings.ResolvedSetting) -> String {
        // Only the scheme of an address that may hold a password is shown.
        if found.setting.isSecret, !found.text.isEmpty {
            return found.text.utf8.starts(with: "sqlite:".utf8) ? TerminalText.sanitised(found.text) : "postgres://…"
        }
        return TerminalText.sanitised(found.text, limit: 400)
    }

    private static func members(_ found: CloudAgentSettings.ResolvedSetting, _ value: String) -> [JSONText.Member] {
        var (source, file, line): (String, String?, Int?) = ("default", nil, nil)
        var name: String?
        switch found.source {
        case .usual: break
        case .file(let path, let number): (source, file, line) = ("file", path, number)
        case .environment(let variable): (source, name) = ("environment", variable)
        case .option(let option): (source, name) = ("option", "--\(option)")
        }
        return [
            .init("name", .string(found.setting.name)), .init("value", .string(value.isEmpty ? nil : value)),
            .init("source", .string(source)), .init("file", .string(file)), .init("line", .integer(line)),
            .init("by", .string(name)),
        ]
    }
}
