import Terminal

/// What a user has set once for all commands: in variables of the environment, and in a file of settings.
///
/// The file is `symbolon/settings` below `XDG_CONFIG_HOME`, or below `.config` in the home folder; it may be missing.
/// It has the names `vault`, `key-file` and `trust`, and paths that begin with `~/` are in the home folder. A variable
/// counts before the file, and an option or argument before both.
package struct UserSettings: Sendable {
    /// The names that the file may have.
    package static let names = ["vault", "key-file", "trust"]

    /// The folder of the vault: `SYMBOLON_VAULT`, or `vault` in the file; nil where neither is set.
    package let vault: String?

    /// The key file that opens it: `SYMBOLON_KEY_FILE`, or `key-file` in the file; nil where neither is set.
    package let keyFile: String?

    /// The trust file: `SYMBOLON_TRUST`, or `trust` in the file; nil where neither is set.
    package let trust: String?

    /// Reads the variables, and the file if a setting is in no variable.
    ///
    /// - Throws: `config.malformed`, `config.unknown-setting`, and the other codes of `BoundedFile.read`; a file that
    ///   is not there is no error.
    package init(_ variables: [String: String]) throws(CommandError) {
        func variable(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
        let (vault, keyFile) = (variable("SYMBOLON_VAULT"), variable("SYMBOLON_KEY_FILE"))
        let trust = variable("SYMBOLON_TRUST")
        let isWhole = vault != nil && keyFile != nil && trust != nil
        guard !isWhole, let path = Self.folder(variables).map({ $0 + "/settings" }), POSIXFile.exists(path) else {
            (self.vault, self.keyFile, self.trust) = (vault, keyFile, trust)
            return
        }
        let lines = try SettingsFile.read(path, names: Self.names)
        func setting(_ name: String) -> String? {
            lines.first { $0.name == name }.map { Self.expanded($0.value, variables) }
        }
        self.vault = vault ?? setting("vault")
        self.keyFile = keyFile ?? setting("key-file")
        self.trust = trust ?? setting("trust")
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
