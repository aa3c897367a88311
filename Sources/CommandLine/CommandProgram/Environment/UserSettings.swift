import Terminal

/// What a user has set once for all commands: in variables of the environment, and in a file of settings.
///
/// The file is `symbolon/settings` below `XDG_CONFIG_HOME`, or below `.config` in the home folder; it may be missing.
/// It has the names `vault` and `key-file`, and paths that begin with `~/` are in the home folder. A variable counts
/// before the file, and an option or argument before both.
package struct UserSettings: Sendable {
    private static let names = ["vault", "key-file"]

    /// The folder of the vault: `SYMBOLON_VAULT`, or `vault` in the file; nil where neither is set.
    package let vault: String?

    /// The key file that opens it: `SYMBOLON_KEY_FILE`, or `key-file` in the file; nil where neither is set.
    package let keyFile: String?

    /// Reads the variables, and the file if a setting is in no variable.
    ///
    /// - Throws: `config.malformed`, `config.unknown-setting`, and the other codes of `BoundedFile.read`; a file that
    ///   is not there is no error.
    package init(_ variables: [String: String]) throws(CommandError) {
        func variable(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
        let (vault, keyFile) = (variable("SYMBOLON_VAULT"), variable("SYMBOLON_KEY_FILE"))
        guard vault == nil || keyFile == nil, let path = Self.file(variables), POSIXFile.exists(path) else {
            (self.vault, self.keyFile) = (vault, keyFile)
            return
        }
        let lines = try SettingsFile.read(path, names: Self.names)
        func setting(_ name: String) -> String? {
            lines.first { $0.name == name }.map { Self.expanded($0.value, variables) }
        }
        self.vault = vault ?? setting("vault")
        self.keyFile = keyFile ?? setting("key-file")
    }

    private static func file(_ variables: [String: String]) -> String? {
        if let base = variables["XDG_CONFIG_HOME"], base.hasPrefix("/") { return base + "/symbolon/settings" }
        return variables["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.config/symbolon/settings" : nil }
    }

    private static func expanded(_ path: String, _ variables: [String: String]) -> String {
        guard path.hasPrefix("~/"), let home = variables["HOME"], !home.isEmpty else { return path }
        return home + path.dropFirst(1)
    }
}
