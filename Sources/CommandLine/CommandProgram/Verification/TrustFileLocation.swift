/// The place of the trust file that commands read when they are given none.
///
/// It is the file of `SYMBOLON_TRUST` or of `trust` in the settings; else `symbolon/trust/trust.txt` below
/// `XDG_CONFIG_HOME`, or below `.config` in the home folder; else that of the machine.
package struct TrustFileLocation: Sendable {
    /// The path of the trust file that all users of the machine share.
    package static let system = "/etc/symbolon/trust/trust.txt"

    /// The path of the trust file.
    package let path: String
    /// True when neither an option nor a setting named the file.
    package let isDefault: Bool

    /// Finds the trust file to read: that of `--trust`, or the default; nil when there is none.
    ///
    /// A file that an option or a setting names is given although it may be missing, so that its absence is an error.
    ///
    /// - Throws: `config.…`.
    package static func existing(
        _ given: String?, _ variables: [String: String]
    ) throws(CommandError) -> TrustFileLocation? {
        if let named = try named(given, variables) { return named }
        for path in [user(variables), system].compactMap({ $0 }) where POSIXFile.exists(path) {
            return TrustFileLocation(path: path, isDefault: true)
        }
        return nil
    }

    /// Finds the trust file to change: that of `--trust`, or the default; it may be missing.
    ///
    /// - Throws: `config.…`.
    package static func writable(
        _ given: String?, _ variables: [String: String]
    ) throws(CommandError) -> TrustFileLocation {
        if let found = try existing(given, variables) { return found }
        return TrustFileLocation(path: user(variables) ?? system, isDefault: true)
    }

    private static func named(
        _ given: String?, _ variables: [String: String]
    ) throws(CommandError) -> TrustFileLocation? {
        if let given { return TrustFileLocation(path: given, isDefault: false) }
        return try UserSettings(variables).trust.map { TrustFileLocation(path: $0, isDefault: false) }
    }

    private static func user(_ variables: [String: String]) -> String? {
        UserSettings.folder(variables).map { $0 + "/trust/trust.txt" }
    }
}
