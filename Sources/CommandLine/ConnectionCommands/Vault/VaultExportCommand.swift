package import CommandProgram
package import Terminal
import Vault

/// `symbolon vault export`: writes all records of a vault to one sealed file.
package enum VaultExportCommand {
    private static let file = Operand(.path("FILE"), "The export, which must not be there yet.")

    package static let declaration = CommandDeclaration(
        "export", "Exports all records to one file, sealed with a passphrase of its own.",
        examples: [.init("symbolon vault export ~/vault vault.export", "Asks for both passphrases.")],
        options: VaultAccess.opening + [VaultAccess.exportPassphrase.declaration],
        operands: [VaultAccess.folder.declaration, file.declaration])

    package static let run: Program.Body = { context in
        let path = try context.arguments.required(file)
        let summary = try await VaultAccess.withVault(context) { vault in
            let source = context.arguments[VaultAccess.exportPassphrase] ?? .prompt
            let secret = try await VaultAccess.readTwice(source, "Passphrase for the export", context)
            return try await vault.exportRecords(to: path, passphrase: secret)
        }
        let words = "\(NumberText.count(summary.records)) records, \(NumberText.bytes(summary.bytes))"
        VaultAccess.report(context, action: "export", records: summary.records, words)
    }
}

/// `symbolon vault import`: adds the records of an export to a vault.
package enum VaultImportCommand {
    private static let file = Operand(.path("FILE"), "The export.")

    package static let declaration = CommandDeclaration(
        "import", "Imports the records of an export into a vault, all or none.",
        discussion: ["A record of a name that is taken refuses the whole export; import into a new vault then."],
        examples: [.init("symbolon vault import ~/vault vault.export", "Asks for both passphrases.")],
        options: VaultAccess.opening + [VaultAccess.exportPassphrase.declaration],
        operands: [VaultAccess.folder.declaration, file.declaration])

    package static let run: Program.Body = { context in
        let path = try context.arguments.required(file)
        let summary = try await VaultAccess.withVault(context) { vault in
            let source = context.arguments[VaultAccess.exportPassphrase] ?? .prompt
            let secret = try await VaultAccess.read(source, "Passphrase of the export", context)
            return try await vault.importRecords(from: path, passphrase: secret)
        }
        VaultAccess.report(
            context, action: "import", records: summary.records, "\(NumberText.count(summary.records)) records")
    }
}
