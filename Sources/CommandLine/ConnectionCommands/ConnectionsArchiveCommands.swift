import AriesConnections
package import CommandProgram
import Determinism
package import Terminal
import Vault

/// The parts that the export and import of connections share.
private enum ConnectionArchiveOptions {
    static let connection = ValueOption(
        "connection", .text("CONNECTION"), "One connection (all of them); for import by its identifier.")

    /// Makes a filter that exports the records of the requested connections only, and counts the connections.
    ///
    /// - Parameter only: the identifier of the one connection; nil for all.
    static func filter(only: String?, counting connections: Lock<Int>) -> @Sendable (StoredRecord) -> Bool {
        { record in
            let isWanted =
                only.map { ConnectionRecordFilter.holds(record, of: $0) } ?? ConnectionRecordFilter.holds(record)
            if isWanted, ConnectionRecordFilter.isConnection(record) { connections.withLock { $0 += 1 } }
            return isWanted
        }
    }

    static func report(_ action: String, _ connections: Int, _ records: Int, _ context: CommandContext) {
        context.reporter.event(
            .connectionsArchive,
            [
                .init("action", .string(action)), .init("connections", .integer(connections)),
                .init("records", .integer(records)),
            ])
        context.reporter.put("\(NumberText.count(connections)) connections, \(NumberText.count(records)) records")
    }
}

/// `symbolon connections export`: connections in one sealed file.
package enum ConnectionsExportCommand {
    private static let file = Operand(.path("FILE"), "The export, which must not be there yet.")

    package static let declaration = CommandDeclaration(
        "export", "Exports connections, with keys and messages, to one sealed file.",
        discussion: [
            "The file has a passphrase of its own. After moving it elsewhere, delete the connections here with "
                + "--silent, because two places that use one connection get in each other's way."
        ],
        examples: [
            .init("symbolon connections export ~/vault connections.export", "Asks for both passphrases."),
            .init(
                "symbolon connections export ~/vault bank.export --connection CONNECTION", "Only one connection."),
        ],
        options: VaultAccess.opening + [
            ConnectionArchiveOptions.connection.declaration, VaultAccess.exportPassphrase.declaration,
        ],
        operands: [VaultAccess.folder.declaration, file.declaration])

    package static let run: Program.Body = { context in
        let path = try context.arguments.required(file)
        let only: String? =
            if let word = context.arguments[ConnectionArchiveOptions.connection] { try await id(word, context) } else {
                nil
            }
        let count = Lock(0)
        let summary = try await VaultAccess.withVault(context) { vault in
            let source = context.arguments[VaultAccess.exportPassphrase] ?? .prompt
            let secret = try await VaultAccess.readTwice(source, "Passphrase for the export", context)
            return try await vault.exportRecords(
                to: path, passphrase: secret, where: ConnectionArchiveOptions.filter(only: only, counting: count))
        }
        ConnectionArchiveOptions.report("export", count.withLock { $0 }, summary.records, context)
    }

    /// Returns the identifier of a connection; its handshake has to be complete, because its records are not enough to
    /// continue it.
    private static func id(_ word: String, _ context: CommandContext) async throws -> String {
        let found = Lock(word)
        try await CommandAgentRunner.withQuietAgent(context) { agent in
            let summary = try await CommandAgentRunner.connection(word, of: agent)
            guard summary.connection != nil else {
                throw AgentError(
                    .connectionIncomplete, "The connection is not complete, so it cannot be exported.")
            }
            found.withLock { $0 = summary.id }
        }
        return found.withLock { $0 }
    }
}

/// `symbolon connections import`: connections from a sealed file.
package enum ConnectionsImportCommand {
    private static let file = Operand(.path("FILE"), "The export, of connections or of a vault.")

    package static let declaration = CommandDeclaration(
        "import", "Imports connections from an export, all or none.",
        discussion: ["A connection that is there already refuses the whole export. Other records are left out."],
        examples: [.init("symbolon connections import ~/vault connections.export", "Asks for both passphrases.")],
        options: VaultAccess.opening + [
            ConnectionArchiveOptions.connection.declaration, VaultAccess.exportPassphrase.declaration,
        ],
        operands: [VaultAccess.folder.declaration, file.declaration])

    package static let run: Program.Body = { context in
        let path = try context.arguments.required(file)
        let only = context.arguments[ConnectionArchiveOptions.connection]
        let count = Lock(0)
        let summary = try await VaultAccess.withVault(context) { vault in
            let source = context.arguments[VaultAccess.exportPassphrase] ?? .prompt
            let secret = try await VaultAccess.read(source, "Passphrase of the export", context)
            return try await vault.importRecords(
                from: path, passphrase: secret, where: ConnectionArchiveOptions.filter(only: only, counting: count))
        }
        guard summary.records > 0 else {
            throw AgentError(.connectionUnknown, "The export holds no such connection.")
        }
        ConnectionArchiveOptions.report("import", count.withLock { $0 }, summary.records, context)
    }
}
