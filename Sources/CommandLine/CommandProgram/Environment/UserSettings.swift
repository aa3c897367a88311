import Terminal

/// The settings that a user has made once for all commands: in environment variables, and in a file.
///
/// The file is `symbolon/settings` below `XDG_CONFIG_HOME`, or below `.config` in the home folder; it may be missing.
/// Paths in it that begin with `~/` are in the home folder. A variable counts before the file, and an option or
/// argument before both.
package struct UserSettings: Sendable {
    /// A setting by its name in the file.
    package enum UserSettingName: String, CaseIterable, Sendable {
        /// The folder of the vault.
        case vault
        /// The key file that opens it.
        case keyFile = "key-file"
        /// The trust file.
        case trust
        /// The transports by which messages to other agents are sent.
        case transports

        /// The variable that counts before the file.
        package var variable: String {
            "SYMBOLON_" + String(rawValue.uppercased().map { $0 == "-" ? "_" : $0 })
        }
    }

    /// A transport by its name in the setting `transports`; with TLS and without.
    package enum TransportName: String, CaseIterable, Sendable {
        /// HTTP.
        case http
        /// WebSocket.
        case ws
    }

    /// The source of a setting's value.
    package enum UserSettingSource: Hashable, Sendable, CustomStringConvertible {
        /// A variable of the environment.
        case environment(String)
        /// A line of the file.
        case file(path: String, line: Int)

        /// The variable, or the file and line.
        package var description: String {
            switch self {
            case .environment(let variable): variable
            case .file(let path, let line): "\(path) line \(line)"
            }
        }
    }

    /// A value and where it comes from.
    package struct UserSettingValue: Hashable, Sendable {
        /// The path or text.
        package let text: String
        /// The source of the value.
        package let source: UserSettingSource
    }

    /// The names that the file may have.
    package static let names = UserSettingName.allCases.map(\.rawValue)

    /// The file of settings, which need not be there; nil without a home folder.
    package let path: String?

    private let values: [UserSettingName: UserSettingValue]

    /// The value of a setting; nil where it is not set.
    package subscript(_ name: UserSettingName) -> UserSettingValue? { values[name] }

    /// The folder of the vault; nil where it is not set.
    package var vault: String? { values[.vault]?.text }

    /// The key file that opens the vault; nil where it is not set.
    package var keyFile: String? { values[.keyFile]?.text }

    /// The trust file; nil where it is not set.
    package var trust: String? { values[.trust]?.text }

    /// The transports by which messages are sent; all where the setting is not set.
    ///
    /// - Throws: `config.bad-value` for anything but names of transports with commas between them.
    package func transports() throws(CommandError) -> Set<TransportName> {
        guard let value = values[.transports] else { return Set(TransportName.allCases) }
        let words = value.text.split(separator: ",", omittingEmptySubsequences: false)
        let names = words.compactMap { TransportName(rawValue: $0.filter { $0 != " " }) }
        guard names.count == words.count else {
            let shown = TerminalText.sanitised(value.text, limit: 60)
            throw CommandError(
                .settingUnusable,
                "\(value.source): the value “\(shown)” of transports is not a list of transports. Write http, ws, or both "
                    + "with a comma between them.")
        }
        return Set(names)
    }

    /// Reads the variables, and the file if a setting is in no variable.
    ///
    /// - Throws: `config.malformed`, `config.unknown-setting`, and the other codes of `BoundedFile.read`; a file that
    ///   is not there is no error.
    package init(_ variables: [String: String]) throws(CommandError) {
        var values: [UserSettingName: UserSettingValue] = [:]
        for name in UserSettingName.allCases {
            guard let text = variables[name.variable], !text.isEmpty else { continue }
            values[name] = UserSettingValue(text: text, source: .environment(name.variable))
        }
        path = Self.folder(variables).map { $0 + "/settings" }
        if values.count < UserSettingName.allCases.count, let path, POSIXFile.exists(path) {
            for line in try SettingsFile.read(path, names: Self.names) {
                guard let name = UserSettingName(rawValue: line.name), values[name] == nil else { continue }
                let text = Self.expanded(line.value, variables)
                values[name] = UserSettingValue(text: text, source: .file(path: path, line: line.number))
            }
        }
        self.values = values
    }

    /// The folder of the user's settings, which need not be there; nil without a home folder.
    static func folder(_ variables: [String: String]) -> String? {
        if let base = variables["XDG_CONFIG_HOME"], base.hasPrefix("/") { return base + "/symbolon" }
        return variables["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.config/symbolon" : nil }
    }

    private static func expanded(_ path: String, _ variables: [String: String]) -> String {
        guard path.hasPrefix("~/"), let home = variables["HOME"], !home.isEmpty else { return path }
        return home + path.dropFirst(1)
    }
}
