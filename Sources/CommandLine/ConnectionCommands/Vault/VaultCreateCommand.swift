import ByteCoding
package import CommandProgram
import Determinism
package import Terminal
import Vault

/// `symbolon vault create`: makes an empty vault.
package enum VaultCreateCommand {
    package static let declaration = CommandDeclaration(
        "create", "Creates an empty vault.",
        discussion: [
            "Without an option it asks for a passphrase, or takes the key file of SYMBOLON_KEY_FILE or of the settings, which it "
                + "makes if it is not there. If you lose the passphrase or the key file, you lose the vault.",
            "On a terminal it asks what others see as your name, once; --label says it. vault label changes it.",
        ],
        examples: [
            .init("symbolon vault create ~/vault", "Asks for a passphrase, twice."),
            .init("symbolon vault create ~/vault --new-key-file ~/vault.key", "Makes a key file that opens it."),
        ],
        options: [
            VaultAccess.newKeyFile.declaration, VaultAccess.newPassphrase.declaration,
            VaultAccess.keyFile.declaration, VaultAccess.mark.declaration, VaultLabelCommand.option.declaration,
        ],
        operands: [VaultAccess.folder.declaration])

    package static let run: Program.Body = { context in
        let path = try VaultAccess.path(context)
        // Before a key file is made, which would be left over.
        try checkFolder(path)
        let key: VaultAccess.NewKey
        if let file = context.arguments[VaultAccess.keyFile] {
            key = .init(key: .keyFile(try VaultAccess.readKeyFile(file)))
        } else {
            key = try await VaultAccess.newKey(context, orAt: UserSettings(context.console.variables).keyFile)
        }
        let vault = try await key.discardedOnFailure {
            do {
                return try await Vault.create(at: path, key: key.key, options: VaultAccess.options(context))
            } catch let error as VaultError where error.code == .exists {
                let shown = TerminalText.sanitised(path, limit: 300)
                throw VaultError(.exists, "There is a vault in \(shown) already.")
            }
        }
        do {
            if let label = await label(context) { try await VaultLabelCommand.set(label, in: vault, context) }
        } catch {
            await vault.close()
            throw error
        }
        await vault.close()
        VaultAccess.report(context, action: "create", records: 0, generation: 0, "The vault is made.")
    }

    /// Refuses a path at which no vault can be made: that of a file, or one in a folder that is not there.
    private static func checkFolder(_ path: String) throws(VaultError) {
        guard !POSIXFile.exists(path) else {
            guard POSIXFile.isFolder(path) else {
                throw VaultError(.exists, "There is a file at \(TerminalText.sanitised(path, limit: 300)).")
            }
            return
        }
        try VaultAccess.checkFolder(of: path)
    }

    /// Gets the owner's label from the arguments, or from the user, who types it; nil for none.
    private static func label(_ context: CommandContext) async -> String? {
        if let label = context.arguments[VaultLabelCommand.option] { return label.isEmpty ? nil : label }
        let typed = await context.console.askLine("What others see as your name (Enter for none)")
        return typed.flatMap { VaultLabelCommand.read($0) }
    }
}

/// `symbolon vault label`: sets the name of the vault's owner that others see.
package enum VaultLabelCommand {
    private static let kind = ValueKind<String>("NAME") { (text) throws(InvalidValue) in
        guard text.utf8.count <= VaultOwnerLabel.maximumBytes, !text.utf8.contains(where: { $0 < 32 || $0 == 127 })
        else {
            throw InvalidValue(
                "is longer than \(VaultOwnerLabel.maximumBytes) bytes, or has control characters",
                advice: "Choose a shorter name, on one line")
        }
        return text
    }

    static let option = ValueOption("label", kind, "What others see as your name.")
    private static let label = Operand(kind, "What others see as your name; empty takes it away.")

    package static let declaration = CommandDeclaration(
        "label", "Sets the name that others see.",
        discussion: [
            "Invitations and requests made from now on have the new name. Existing connections keep the old one."
        ],
        examples: [.init("symbolon vault label ~/vault Alice", "Others see Alice.")],
        options: VaultAccess.opening, operands: [VaultAccess.folder.declaration, label.declaration])

    package static let run: Program.Body = { context in
        let label = try context.arguments.required(label)
        try await VaultAccess.withVault(context) { vault in try await set(label, in: vault, context) }
        let shown = TerminalText.sanitised(label, limit: 300)
        VaultAccess.report(
            context, action: "label", records: nil,
            label.isEmpty ? "You have no name now." : "Your name is now \(shown).")
    }

    /// Reads a label that a user typed; nil for none.
    static func read(_ text: String) -> String? {
        let words = text.drop { $0.isWhitespace }
        guard let last = words.lastIndex(where: { !$0.isWhitespace }) else { return nil }
        return try? kind.read(String(words[...last]))
    }

    static func set(_ label: String, in vault: Vault, _ context: CommandContext) async throws {
        var random = context.environment.makeRandom()
        try await VaultOwnerLabel.set(label, in: vault, id: Hex.encode(random.bytes(count: 16)))
    }
}

/// `symbolon vault rekey`: gives a vault another passphrase or key file.
package enum VaultRekeyCommand {
    private static let full = FlagOption(
        "full", "Draws a new data key and writes every record anew; for when the old key is known to others.")

    package static let declaration = CommandDeclaration(
        "rekey", "Changes the passphrase or key file of a vault.",
        discussion: [
            "Without --full the records stay as they are: anyone with the old key and an old copy can still read them and "
                + "what is added. With --full other commands that have the vault open must open it again."
        ],
        examples: [
            .init("symbolon vault rekey ~/vault", "Asks for the old and the new passphrase."),
            .init(
                "symbolon vault rekey ~/vault --key-file old.key --new-key-file new.key --full",
                "Writes everything anew under a new key file."),
        ],
        options: VaultAccess.opening + [
            VaultAccess.newKeyFile.declaration, VaultAccess.newPassphrase.declaration, full.declaration,
        ],
        operands: [VaultAccess.folder.declaration])

    package static let run: Program.Body = { context in
        try await VaultAccess.withVault(context) { vault in
            let key = try await VaultAccess.newKey(context)
            if context.arguments[full] {
                try await vault.reencrypt(with: key.key)
            } else {
                try await vault.rewrap(with: key.key)
            }
        }
        VaultAccess.report(context, action: "rekey", records: nil, "The vault opens with the new key from now on.")
    }
}
