package import CommandProgram
import MobileDocuments
package import Terminal
import Vault

/// `symbolon mdoc add`: puts the documents of a file into a vault.
package enum MobileDocumentAddCommand {
    private static let file = Operand(.path("FILE"), "The document, or several copies of single use.")

    package static let declaration = CommandDeclaration(
        "add", "Puts a mobile document with its device key into a vault.",
        discussion: [
            "symbolon send --show shows it from there. All documents of the file are added, or none. The file stays, and "
                + "holds the private keys of the device: remove it."
        ],
        examples: [.init("symbolon mdoc add ~/vault licence.mdoc", "Keeps a licence sealed.")],
        options: VaultAccess.opening, operands: [VaultAccess.folder.declaration, file.declaration])

    package static let run: Program.Body = { context in
        let path = try context.arguments.required(file)
        let documents = try await context.heldDocuments(in: path)
        try await VaultAccess.withVault(context) { vault in
            do {
                try await HeldDocumentStore(in: vault).add(documents)
            } catch let error as VaultError where error.code == .recordExists {
                throw CommandFailure(error, nextStep: "symbolon mdoc list shows the documents of the vault.")
            }
        }
        for document in documents {
            MobileDocumentListCommand.report(
                "added", document.id, type: document.type, isSingleUse: document.isSingleUse, context)
        }
        context.console.say(
            "\(TerminalText.sanitised(path, limit: 300)) still holds the private key of the device: remove it.")
    }
}

/// `symbolon mdoc list`: the mobile documents of a vault, oldest first.
package enum MobileDocumentListCommand {
    package static let declaration = CommandDeclaration(
        "list", "Lists the mobile documents of a vault.",
        discussion: ["Of a copy of single use that was shown, only this entry is left, so that it is not added again."],
        examples: [.init("symbolon mdoc list ~/vault", "Shows names and types, and which copies are used.")],
        options: VaultAccess.opening, operands: [VaultAccess.folder.declaration])

    package static let run: Program.Body = { context in
        let entries = try await VaultAccess.withVault(context) { try await HeldDocumentStore(in: $0).entries() }
        for entry in entries {
            report("listed", entry.id, type: entry.type, isSingleUse: entry.isSingleUse, isUsed: entry.isUsed, context)
        }
        if entries.isEmpty { context.console.say("The vault has no mobile document.") }
    }

    /// Reports a document by an event and a line.
    static func report(
        _ action: String, _ id: String, type: String, isSingleUse: Bool, isUsed: Bool = false, _ context: CommandContext
    ) {
        context.reporter.event(
            .heldDocument,
            [
                .init("action", .string(action)), .init("document", .string(id)), .init("type", .string(type)),
                .init("isSingleUse", .bool(isSingleUse)), .init("isUsed", .bool(isUsed)),
            ])
        let use = isUsed ? "  used" : isSingleUse ? "  single use" : ""
        let head = action == "listed" ? "" : "\(action)  "
        context.reporter.put("\(head)\(id)  \(TerminalText.sanitised(type, limit: 80))\(use)")
    }
}

/// `symbolon mdoc remove`: removes a mobile document and its device key from a vault.
package enum MobileDocumentRemoveCommand {
    private static let document = Operand(
        .text("DOCUMENT"), "The name of the document, as symbolon mdoc list shows it.")
    private static let yes = FlagOption("yes", "Removes it without asking.")

    package static let declaration = CommandDeclaration(
        "remove", "Removes a mobile document with its device key from a vault.",
        discussion: [
            "It asks first. Without a copy elsewhere the document is lost: only the issuer makes another one."
        ],
        examples: [.init("symbolon mdoc remove ~/vault DOCUMENT --yes", "Removes it without asking.")],
        options: VaultAccess.opening + [yes.declaration],
        operands: [VaultAccess.folder.declaration, document.declaration])

    package static let run: Program.Body = { context in
        let id = try context.arguments.required(document)
        try await VaultAccess.withVault(context) { vault in
            let store = HeldDocumentStore(in: vault)
            guard let entry = try await store.entries().first(where: { $0.id == id }) else {
                let shown = TerminalText.sanitised(id, limit: 60)
                throw CommandFailure(
                    VaultError(.recordNotFound, "The vault has no mobile document \(shown)."),
                    nextStep: "symbolon mdoc list shows the names of documents.")
            }
            guard try await isWanted(entry.type, context) else { return context.console.say("Nothing was removed.") }
            try await store.remove(id)
            MobileDocumentListCommand.report(
                "removed", id, type: entry.type, isSingleUse: entry.isSingleUse, isUsed: entry.isUsed, context)
        }
    }

    private static func isWanted(_ type: String, _ context: CommandContext) async throws -> Bool {
        if context.arguments[yes] { return true }
        guard context.console.canAsk else {
            throw UsageError(
                .missingOption, "There is no terminal on which to ask.", nextStep: "Add --yes to remove the document.")
        }
        let answer = await context.console.ask(
            "Remove the \(TerminalText.sanitised(type, limit: 80))?", fallback: false)
        try Task.checkCancellation()
        return answer ?? false
    }
}
