package import CommandProgram
package import Terminal

/// `symbolon config show`: the settings of a user and their sources.
package enum ConfigShowCommand {
    package static let declaration = CommandDeclaration(
        "show", "Shows each of your settings and the source of its value.",
        discussion: [
            "An option or argument of a command goes before the environment, that before the file symbolon/settings below "
                + "XDG_CONFIG_HOME or ~/.config. Nothing is opened or made. The settings of a cloud agent are others: see agent "
                + "config show."
        ],
        examples: [.init("symbolon config show", "Shows what commands use that are not told otherwise.")],
        options: [])

    package static let run: Program.Body = { context in
        let variables = context.console.variables
        let settings = try UserSettings(variables)
        _ = try settings.transports()
        var table = TextTable([.init("name"), .init("value"), .init("from")])
        for name in UserSettings.UserSettingName.allCases {
            let set = settings[name]
            let value = try set?.text ?? usual(name, variables)
            let shown = value.map { TerminalText.sanitised($0, limit: 400) }
            context.reporter.event(.setting, members(name, shown, set?.source))
            table.add([name.rawValue, shown ?? "", set.map { "\($0.source)" } ?? "default"])
        }
        for line in table.lines(width: context.console.outputColumns, palette: .plain) { context.reporter.put(line) }
    }

    /// The default of a user's setting; nil for one without a default.
    private static func usual(
        _ name: UserSettings.UserSettingName, _ variables: [String: String]
    ) throws(CommandError) -> String? {
        switch name {
        case .vault, .keyFile: nil
        case .trust: try TrustFileLocation.existing(nil, variables)?.path
        case .transports: UserSettings.TransportName.allCases.map(\.rawValue).joined(separator: ", ")
        }
    }

    private static func members(
        _ name: UserSettings.UserSettingName, _ value: String?, _ source: UserSettings.UserSettingSource?
    ) -> [JSONText.Member] {
        var (kind, file, line): (String, String?, Int?) = ("default", nil, nil)
        var variable: String?
        switch source {
        case nil: break
        case .file(let path, let number): (kind, file, line) = ("file", path, number)
        case .environment(let name): (kind, variable) = ("environment", name)
        }
        return [
            .init("name", .string(name.rawValue)), .init("value", .string(value)), .init("source", .string(kind)),
            .init("file", .string(file)), .init("line", .integer(line)), .init("by", .string(variable)),
        ]
    }
}
