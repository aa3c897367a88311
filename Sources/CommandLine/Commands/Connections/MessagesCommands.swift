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

/// `symbolon messages send`: a text to the other side of a connection.
enum MessagesSendCommand {
    private static let text = Operand(
        ValueKind<String>("TEXT") { (text) throws(ValueComplaint) in
            guard !text.isEmpty, text.utf8.count <= BasicMessage.maximumBytes else {
                throw ValueComplaint(
                    "is empty or longer than 65,536 bytes", advice: "Write a text of 1 to 65,536 bytes")
            }
            return text
        }, "The text.")

    static let declaration = CommandDeclaration(
        "send", "Sends a text to the other side of a connection.",
        discussion: [
            "The text is in the vault before it is sent. When it is not delivered within --timeout (30s) the command fails, "
                + "and the text is sent with the next command that sends."
        ],
        examples: [.init(#"symbolon messages send ~/vault CONNECTION Hello"#, "Sends a text.")],
        options: VaultAccess.opening + [
            AgentAccess.allowPrivate.declaration, Options.timeout.declaration, Options.json.declaration,
        ],
        operands: [VaultAccess.folder.declaration, ConnectionOptions.id.declaration, text.declaration])

    static let run: Program.Body = { context in
        let id = try context.arguments.required(ConnectionOptions.id)
        let content = try context.arguments.required(text)
        try await AgentAccess.withWebAgent(context, AgentAccess.configuration(context)) { agent in
            let teller = ConnectionTeller(reporter: context.reporter)
            let events = await agent.events()
            let now = context.environment.wallTime()
            let message = BasicMessage(content, sent: now).message(id: await agent.makeID())
            try await agent.send(message, on: id)
            teller.message(id, .sent, id: message.id, type: .basicMessage, text: content, time: now)
            let isSent = try await EventWait.first(
                in: events, within: context.arguments[Options.timeout] ?? .seconds(30),
                by: context.environment.timekeeper
            ) { event in
                switch event {
                case .sent(_, message.id): true
                case .undelivered(_, message.id): false
                default: nil
                }
            }
            guard isSent == true else {
                throw AgentError(.deliveryFailed, "The text was not delivered in time; it is kept and sent later.")
            }
            context.reporter.put(message.id)
        }
    }
}
