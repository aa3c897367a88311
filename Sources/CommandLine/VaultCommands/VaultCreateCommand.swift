package import CommandProgram
package import Terminal
import Vault

/// `symbolon vault create`: makes an empty vault.
package enum VaultCreateCommand {
    package static let declaration = CommandDeclaration(
        "create", "Makes an empty vault.",
        discussion: [
            "Without an option it asks for a passphrase. If you lose the passphrase or the key file, you lose the vault."
        ],
        examples: [
            .init("symbolon vault create ~/vault", "Asks for a passphrase, twice."),
            .init("symbolon vault create ~/vault --new-key-file ~/vault.key", "Makes a key file that opens it."),
        ],
        options: [
            VaultAccess.newKeyFile.declaration, VaultAccess.newPassphrase.declaration,
            VaultAccess.keyFile.declaration, VaultAccess.mark.declaration,
        ],
        operands: [VaultAccess.folder.declaration])

    package static let run: Program.Body = { context in
        let path = try context.arguments.required(VaultAccess.folder)
        let key: VaultKey
        if let file = context.arguments[VaultAccess.keyFile] {
            key = .keyFile(try KeyFile.read(file))
        } else {
            key = try await VaultAccess.newKey(context)
        }
        let vault = try await Vault.create(at: path, key: key, options: VaultAccess.options(context))
        await vault.close()
        VaultAccess.report(context, action: "create", records: 0, generation: 0, "The vault is made.")
    }
}

/// `symbolon vault rekey`: gives a vault another passphrase or key file.
package enum VaultRekeyCommand {
    private static let full = FlagOption(
        "full", "Draws a new data key and writes every record anew; for when the old key is known to others.")

    package static let declaration = CommandDeclaration(
        "rekey", "Gives a vault another passphrase or key file.",
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
                try await vault.reencrypt(with: key)
            } else {
                try await vault.rewrap(with: key)
            }
        }
        VaultAccess.report(context, action: "rekey", records: nil, "The vault opens with the new key from now on.")
    }
}
