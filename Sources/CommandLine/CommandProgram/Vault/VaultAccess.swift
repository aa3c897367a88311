package import CryptoSuite
import Determinism
package import Terminal
package import Vault

/// The options for a vault's folder and key.
package enum VaultAccess {
    package static let folder = Operand(
        .path("VAULT"), "The folder of the vault (that of SYMBOLON_VAULT, or of the settings).", arity: .defaulted)
    package static let keyFile = ValueOption(
        "key-file", .path("FILE"), "The key file that opens the vault (that of SYMBOLON_KEY_FILE, or of the settings).")
    package static let passphrase = ValueOption(
        "passphrase", source, "Where the passphrase comes from: file:PATH, fd:NUMBER, env:NAME or prompt.")
    package static let newKeyFile = ValueOption(
        "new-key-file", .path("FILE"), "Makes a key file, which must not be there yet, and uses it.")
    package static let newPassphrase = ValueOption(
        "new-passphrase", source, "Where the new passphrase comes from: file:PATH, fd:NUMBER, env:NAME or prompt.")
    package static let exportPassphrase = ValueOption(
        "export-passphrase", source,
        "Where the export's own passphrase comes from: file:PATH, fd:NUMBER, env:NAME or prompt.")
    package static let mark = ValueOption(
        "mark", .path("FILE"), "A file outside the vault that shows when the vault is an older copy of itself.")
    package static let wait = ValueOption(
        "wait", .duration("TIME", in: .milliseconds(1)...(.seconds(3600))),
        "How long to wait for other commands on the vault (10s if not given).")

    /// The options for a vault's key.
    package static let opening = [keyFile.declaration, passphrase.declaration, mark.declaration, wait.declaration]
        .under("Opening the vault")

    /// The kind of option values that name the source of a passphrase.
    package static let source = ValueKind<PassphraseSource>("SOURCE") { (text) throws(InvalidValue) in
        guard let source = PassphraseSource(text) else {
            throw InvalidValue(
                "is no place of a passphrase", advice: "Write file:PATH, fd:NUMBER, env:NAME or prompt",
                mayBeSecret: true)
        }
        return source
    }

    /// Opens the vault that the arguments name, or the one at `path`.
    package static func open(_ context: CommandContext, at path: String? = nil) async throws -> Vault {
        let path = try path ?? self.path(context)
        // Without a key the first error is that there is no vault; only the kind of key that opens it is asked for.
        let description = try await Vault.describe(at: path)
        let key = try await key(context, takesPassphrase: description.passphraseCost != nil)
        return try await Vault.open(at: path, key: key, options: options(context))
    }

    /// The folder of the vault: that of the arguments, or the user's default.
    ///
    /// - Throws: `usage.missing-operand` where neither is given, and the codes of `UserSettings`.
    package static func path(_ context: CommandContext) throws -> String {
        if let path = context.arguments[folder] { return path }
        if let path = try UserSettings(context.console.variables).vault { return path }
        throw UsageError(
            .missingOperand, "The vault is not given, or another argument is missing.",
            nextStep: "Add VAULT before the other arguments, or set SYMBOLON_VAULT to its folder.")
    }

    /// Opens the vault that the arguments name, and closes it when `body` has returned or thrown.
    package static func withVault<Result: Sendable>(
        _ context: CommandContext, _ body: (Vault) async throws -> Result
    ) async throws -> Result {
        let vault = try await open(context)
        do {
            let result = try await body(vault)
            await vault.close()
            return result
        } catch {
            await vault.close()
            throw error
        }
    }

    package static func options(_ context: CommandContext) -> VaultOptions {
        var options = VaultOptions()
        options.markPath = context.arguments[mark]
        if let wait = context.arguments[wait] { options.busyDeadline = wait }
        return options
    }

    private static func key(_ context: CommandContext, takesPassphrase: Bool) async throws -> VaultKey {
        let arguments = context.arguments
        guard arguments[keyFile] == nil || arguments[passphrase] == nil else {
            throw conflict("key-file", "passphrase")
        }
        if let path = arguments[keyFile] { return .keyFile(try readKeyFile(path)) }
        guard takesPassphrase || arguments[passphrase] != nil else {
            if let path = try UserSettings(context.console.variables).keyFile {
                return .keyFile(try readKeyFile(path))
            }
            throw UsageError(
                .missingOption, "The vault opens with a key file.",
                nextStep: "Add --key-file FILE, or set SYMBOLON_KEY_FILE to it.")
        }
        return .passphrase(try await read(arguments[passphrase] ?? .prompt, "Passphrase of the vault", context))
    }

    /// Gets the new key for a vault from a key file or a passphrase, as the arguments say.
    ///
    /// - Parameter keyFileOfUser: the user's usual key file, which is made where it is not there, and is taken unless
    ///   the arguments name another key.
    package static func newKey(_ context: CommandContext, orAt keyFileOfUser: String? = nil) async throws -> NewKey {
        let arguments = context.arguments
        guard arguments[newKeyFile] == nil || arguments[newPassphrase] == nil else {
            throw conflict("new-key-file", "new-passphrase")
        }
        if let path = arguments[newKeyFile] { return try makeKeyFile(path, context) }
        if arguments[newPassphrase] == nil, let path = keyFileOfUser {
            guard !POSIXFile.exists(path) else { return NewKey(key: .keyFile(try readKeyFile(path))) }
            return try makeKeyFile(path, context)
        }
        return NewKey(
            key: .passphrase(try await readTwice(arguments[newPassphrase] ?? .prompt, "New passphrase", context)))
    }

    /// Reads a key file; a missing one throws `input.not-found`, unlike a missing vault.
    package static func readKeyFile(_ path: String) throws -> Secret {
        do throws(VaultError) {
            return try VaultKeyFile.read(path)
        } catch {
            guard error.code == .notFound else { throw error }
            throw CommandError(.inputNotFound, "There is no key file \(TerminalText.sanitised(path, limit: 300)).")
        }
    }

    private static func makeKeyFile(_ path: String, _ context: CommandContext) throws -> NewKey {
        guard !POSIXFile.exists(path) else {
            let shown = TerminalText.sanitised(path, limit: 300)
            throw VaultError(.exists, "There is something at \(shown) already, where the key file would be made.")
        }
        try checkFolder(of: path)
        var random = context.environment.makeRandom()
        return NewKey(key: .keyFile(try VaultKeyFile.create(at: path, random: &random)), madeFile: path)
    }

    /// Checks that the folder that `path` lies in exists.
    ///
    /// - Throws: `vault.folder-missing` when it does not.
    package static func checkFolder(of path: String) throws(VaultError) {
        let folder = POSIXFile.folder(of: path)
        guard POSIXFile.isFolder(folder) else {
            throw VaultError(.folderMissing, "There is no folder \(TerminalText.sanitised(folder, limit: 300)).")
        }
    }

    /// A new key for a vault, with the key file that was made for it.
    package struct NewKey {
        package let key: VaultKey
        /// The path of the key file that was made for the new key; nil for a passphrase, or a file that existed before.
        package var madeFile: String?

        package init(key: VaultKey, madeFile: String? = nil) {
            self.key = key
            self.madeFile = madeFile
        }

        /// Runs `body`; when it throws, removes the key file that was made, because no vault opens with it.
        package func discardedOnFailure<Result>(_ body: () async throws -> Result) async throws -> Result {
            do {
                return try await body()
            } catch {
                if let madeFile { POSIXFile.remove(madeFile) }
                throw error
            }
        }
    }

    /// Reads a passphrase from the source that the user names.
    package static func read(
        _ source: PassphraseSource, _ question: String, _ context: CommandContext
    ) async throws -> Secret {
        try await source.read(variables: context.console.variables) { await context.console.askHidden(question) }
    }

    /// Reads a new passphrase, at a terminal twice.
    package static func readTwice(
        _ source: PassphraseSource, _ question: String, _ context: CommandContext
    ) async throws -> Secret {
        let first = try await read(source, question, context)
        guard source == .prompt else { return first }
        guard try await read(source, "The same again", context) == first else {
            throw UsageError(
                .conflict, "The two passphrases differ.", nextStep: "Run the command again and type the same twice.")
        }
        return first
    }

    private static func conflict(_ one: String, _ other: String) -> UsageError {
        UsageError(.conflict, "--\(one) and --\(other) exclude each other.", nextStep: "Give one of the two.")
    }

    /// Reports the facts of a vault as an event, and the change to it in words.
    package static func report(
        _ context: CommandContext, action: String, records: Int?, generation: UInt64? = nil,
        description: VaultDescription? = nil, _ words: String? = nil
    ) {
        let cost = description?.passphraseCost
        let key = description.map { $0.passphraseCost == nil ? "key-file" : "passphrase" }
        context.reporter.event(
            .vault,
            [
                .init("action", .string(action)), .init("records", .integer(records)),
                .init("generation", .integer(generation.map { Int(clamping: $0) })),
                .init("tables", .integer(description?.schemaVersion)), .init("key", .string(key)),
                .init("memoryKiB", .integer(cost.map { Int($0.memoryKiB) })),
                .init("operations", .integer(cost.map { Int($0.operations) })),
            ])
        if let words { context.console.say(words) }
    }
}
