import Aries
import AriesRuntime
import DIDComm
import Determinism
import JSON
import Terminal

/// `symbolon messages list`: what both sides wrote on a connection.
enum MessagesListCommand {
    static let declaration = CommandDeclaration(
        "list", "Lists the messages of a connection, oldest first.",
        examples: [.init("symbolon messages list ~/vault CONNECTION", "Shows what both sides wrote.")],
        options: VaultAccess.opening + [ConnectionOptions.limit.declaration, Options.json.declaration],
        operands: [VaultAccess.folder.declaration, ConnectionOptions.id.declaration])

    static let run: Program.Body = { context in
        let id = try context.arguments.required(ConnectionOptions.id)
        let limit = context.arguments[ConnectionOptions.limit] ?? 1000
        try await AgentAccess.withQuietAgent(context) { agent in
            _ = try await AgentAccess.connection(id, of: agent)
            try await ConnectionOptions.pages(limit) { cursor, limit in
                let page = try await agent.messages(on: id, after: cursor, limit: limit)
                for message in page.messages { show(message, context) }
                return (page.messages.count, page.next)
            }
        }
    }

    private static func show(_ entry: ConnectionMessage, _ context: CommandContext) {
        let type = entry.message.type.description
        let text = type == .basicMessage ? entry.message.object["content"]?.string : nil
        ConnectionTeller(reporter: context.reporter).message(
            entry.connection, entry.direction, id: entry.message.id, type: type, text: text, time: entry.time)
        let direction = entry.direction == .received ? "<" : ">"
        let shown = TerminalText.sanitised(text ?? "(\(type))", limit: 2000)
        context.reporter.put("\(entry.time.messageText)  \(direction)  \(shown)")
    }
}
