import Aries
import AriesConnections
package import CommandProgram
import DIDComm
package import Terminal
import Vault

/// The parts that the commands on connections share.
enum ConnectionOptions {
    static let id = Operand(
        .text("CONNECTION"), "The connection's name or identifier, or the beginning of that.")
    static let limit = ValueOption("limit", .integer("N", in: 1...1_000_000), "How many at most (1000).")

    /// Reads pages until `limit` or the end.
    static func pages(
        _ limit: Int, _ page: (RecordCursor?, Int) async throws -> (count: Int, next: RecordCursor?)
    ) async throws {
        var (cursor, left): (RecordCursor?, Int) = (nil, limit)
        repeat {
            let (count, next) = try await page(cursor, min(left, 500))
            left -= count
            cursor = next
        } while cursor != nil && left > 0
    }
}

/// `symbolon connections list`: the connections of a vault, oldest first.
package enum ConnectionsListCommand {
    package static let declaration = CommandDeclaration(
        "list", "Lists the connections of a vault, oldest first.",
        examples: [.init("symbolon connections list ~/vault", "Shows identifiers, states and names.")],
        options: VaultAccess.opening + [ConnectionOptions.limit.declaration],
        operands: [VaultAccess.folder.declaration])

    package static let run: Program.Body = { context in
        let limit = context.arguments[ConnectionOptions.limit] ?? 1000
        try await CommandAgentRunner.withQuietAgent(context) { agent in
            var table = TextTable([.init("connection"), .init("state"), .init("role"), .init("name"), .init("begun")])
            try await ConnectionOptions.pages(limit) { cursor, limit in
                let page = try await agent.connections(after: cursor, limit: limit)
                for summary in page.connections {
                    context.reporter.event(.connection, summary.fields)
                    table.add([
                        summary.id, summary.state, summary.role.rawValue, summary.shownName,
                        summary.created.messageText,
                    ])
                }
                return (page.connections.count, page.next)
            }
            for line in table.lines(palette: context.console.palette) { context.reporter.put(line) }
        }
    }
}

/// `symbolon connections show`: all details of one connection.
package enum ConnectionsShowCommand {
    package static let declaration = CommandDeclaration(
        "show", "Shows one connection.",
        discussion: [
            "A long DID is shortened; --json has it whole. The state is that of the handshake until it is complete, then "
                + "“completed”; “rotating” while the other side has not acknowledged a new DID of ours; “ended” when it has "
                + "ended the connection; “broken” when it uses a key that it never announced, so that you have to connect anew."
        ],
        examples: [.init("symbolon connections show ~/vault CONNECTION", "Shows DIDs, address and state.")],
        options: VaultAccess.opening,
        operands: [VaultAccess.folder.declaration, ConnectionOptions.id.declaration])

    package static let run: Program.Body = { context in
        let id = try context.arguments.required(ConnectionOptions.id)
        try await CommandAgentRunner.withQuietAgent(context) { agent in
            let summary = try await CommandAgentRunner.connection(id, of: agent)
            context.reporter.event(.connection, summary.fields)
            for (label, value) in rows(summary) {
                context.reporter.put(TerminalText.padded(label, to: 12) + TerminalText.sanitised(value, limit: 4096))
            }
        }
    }

    private static func words(for rotation: PendingDIDRotation) -> String {
        let since = rotation.begun.map { "since \($0.messageText), " } ?? ""
        return "\(since)the other side has not answered yet; both DIDs of ours count"
    }

    private static func rows(_ summary: ConnectionSummary) -> [(String, String)] {
        let known: [(String, String?)] = [
            ("connection", summary.id), ("state", summary.state), ("role", summary.role.rawValue),
            ("name", summary.name), ("label", summary.label), ("made by", summary.connection?.handshake.description),
            ("our DID", summary.ourDID?.shownText), ("their DID", summary.theirDID?.shownText),
            ("new DID", summary.rotation?.did.shownText), ("rotating", summary.rotation.map(Self.words(for:))),
            ("address", summary.theirEndpoint), ("invitation", summary.invitation.id),
            ("goal", summary.invitation.goal ?? summary.invitation.goalCode),
            ("picture", summary.invitation.imageURL.map { $0 + " (not fetched)" }),
            ("begun", summary.created.messageText),
            ("given up", summary.failure.map { "\($0)" }),
            ("not sent", summary.deliveryFailure.map { "\($0.code): \($0.reason)" }),
        ]
        return known.compactMap { label, value in value.map { (label, $0) } }
    }
}

/// `symbolon connections rename`: changes our name for a connection.
package enum ConnectionsRenameCommand {
    private static let name = Operand(
        ValueKind<String>("NAME") { (text) throws(InvalidValue) in
            guard text.utf8.count <= 1024 else {
                throw InvalidValue("is longer than 1,024 bytes", advice: "Choose a shorter name")
            }
            return text
        }, "What we call it; empty takes the name away.")

    package static let declaration = CommandDeclaration(
        "rename", "Renames a connection locally.",
        examples: [.init("symbolon connections rename ~/vault CONNECTION Bank", "Calls it Bank.")],
        options: VaultAccess.opening,
        operands: [VaultAccess.folder.declaration, ConnectionOptions.id.declaration, name.declaration])

    package static let run: Program.Body = { context in
        let word = try context.arguments.required(ConnectionOptions.id)
        let name = try context.arguments.required(name)
        try await CommandAgentRunner.withQuietAgent(context) { agent in
            let id = try await CommandAgentRunner.connection(word, of: agent).id
            try await agent.rename(id, to: name.isEmpty ? nil : name)
            let summary = try await CommandAgentRunner.connection(id, of: agent)
            context.reporter.event(.connection, summary.fields)
            context.reporter.put("\(id)  \(summary.shownName)")
        }
    }
}
