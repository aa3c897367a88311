import CloudAgent
import CommandProgram
import Terminal

/// The settings of a cloud agent and their sources.
///
/// An option overrides the environment, which overrides the file, which overrides the default.
struct CloudAgentSettings: Sendable {
    static let variablePrefix = "SYMBOLON_AGENT_"
    static let config = ValueOption("config", .path("FILE"), "A file of settings, a line “name = value” each.")
    /// The environment variable that names the settings file.
    static let configVariable = variablePrefix + "CONFIG"

    /// The source of a setting's value.
    enum CloudAgentSettingSource: Hashable, Sendable {
        /// The default, because neither an option nor a variable nor the file sets the setting.
        case usual
        /// A line of the settings file.
        case file(path: String, line: Int)
        /// An environment variable, which sets the setting.
        case environment(variable: String)
        /// An option of the command line.
        case option(name: String)
    }

    /// A setting with its value and the source of the value.
    struct ResolvedSetting: Sendable {
        let setting: CloudAgentSetting
        let text: String
        let source: CloudAgentSettingSource
    }

    /// The settings with their values and sources, in the order of the table.
    let found: [ResolvedSetting]

    /// Reads the settings from options, environment and file, in this order of precedence.
    ///
    /// - Throws: `usage.conflict`, `config.*`, and what reading the file throws.
    init(_ context: CommandContext) throws {
        try self.init(context.arguments, context.console.variables)
    }

    init(_ arguments: ParsedArguments, _ variables: [String: String]) throws {
        try Self.refuseUnknown(variables)
        let path = arguments[Self.config] ?? variables[Self.configVariable].flatMap { $0.isEmpty ? nil : $0 }
        try self.init(
            arguments, variables, lines: path.map { try SettingsFile.read($0, names: Self.table.map(\.name)) } ?? [],
            of: path)
    }

    /// Combines options, environment and the lines of a file that was read before.
    ///
    /// - Throws: `usage.conflict`, `config.*`.
    init(
        _ arguments: ParsedArguments, _ variables: [String: String], lines: [SettingsFile.Line], of path: String?
    ) throws {
        found = try Self.table.map { setting in try Self.find(setting, arguments, variables, path, lines) }
    }

    /// The value of a setting; nil when no source sets it and it has no default.
    subscript<Value>(setting: TypedSetting<Value>) -> Value? {
        guard let text = text(of: setting.declaration.name), !text.isEmpty else { return nil }
        return try? setting.kind.read(text)
    }

    private func text(of name: String) -> String? { found.first { $0.setting.name == name }?.text }

    private static func find(
        _ setting: CloudAgentSetting, _ arguments: ParsedArguments, _ variables: [String: String], _ path: String?,
        _ lines: [SettingsFile.Line]
    ) throws -> ResolvedSetting {
        let result: ResolvedSetting
        if let given = try setting.given(arguments) {
            result = ResolvedSetting(setting: setting, text: given.text, source: .option(name: given.option))
        } else if let text = variables[setting.variable], !text.isEmpty {
            result = ResolvedSetting(setting: setting, text: text, source: .environment(variable: setting.variable))
        } else if let line = lines.first(where: { $0.name == setting.name }) {
            result = ResolvedSetting(
                setting: setting, text: line.value, source: .file(path: path ?? "", line: line.number))
        } else {
            return ResolvedSetting(setting: setting, text: setting.usual, source: .usual)
        }
        do throws(InvalidValue) {
            try setting.check(result.text)
        } catch {
            let value = setting.isSecret ? "" : " “\(TerminalText.sanitised(result.text, limit: 60))”"
            throw CommandError(
                .settingUnusable,
                "\(result.source): the value\(value) of \(setting.name) \(error.complaint). \(error.advice).")
        }
        return result
    }

    /// The sentence that other users of this machine may read the database's password; nil when they may not.
    var passwordWarning: String? {
        guard self[Self.store]?.holdsPassword == true else { return nil }
        let step = "Put the password into a password file, and name that in the address: ?passfile=FILE."
        switch found.first(where: { $0.setting.name == Self.store.declaration.name })?.source {
        case .file(let path, let line)? where POSIXFile.isReadableByOthers(path):
            return "\(TerminalText.sanitised(path, limit: 300)) line \(line): the address has the database's password, "
                + "and other users of this machine may read the file. \(step)"
        case .option?:
            return "The address in --store has the database's password, and other users of this machine see it in the "
                + "list of processes. \(step)"
        default: return nil
        }
    }

    /// A variable with our prefix that the table does not have is refused, because it is probably misspelt.
    private static func refuseUnknown(_ variables: [String: String]) throws(CommandError) {
        let known = table.map(\.variable) + [configVariable]
        for name in variables.keys.sorted() where name.utf8.starts(with: variablePrefix.utf8) && !known.contains(name) {
            let near = SpellingSuggestion.nearest(to: name, among: known).map { " Did you mean \($0)?" } ?? ""
            throw CommandError(
                .settingUnknown, "The environment has \(TerminalText.sanitised(name, limit: 80)).\(near)")
        }
    }
}

extension CloudAgentSettings.CloudAgentSettingSource: CustomStringConvertible {
    /// The source of a setting's value, in words.
    var description: String {
        switch self {
        case .usual: "default"
        case .file(let path, let line): "\(TerminalText.sanitised(path, limit: 200)) line \(line)"
        case .environment(let variable): variable
        case .option(let name): "--\(name)"
        }
    }
}
