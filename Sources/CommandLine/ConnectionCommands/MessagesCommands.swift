import Aries
package import AriesConnections
package import CommandProgram
import DIDComm
import Determinism
import JSON
package import Terminal

/// `symbolon messages list`: lists the messages of both sides of a connection.
package enum MessagesListCommand {
    package static let declaration = CommandDeclaration(
        "list", "Lists the messages of a connection, in the order of writing.",
        discussion: [
            "A line begins with the time at which the message was written, as its writer states it; one that came a minute "
                + "later or more has the time of arrival behind it. A stated time after the arrival, or more than 30 days "
                + "before it, does not count: the line stands by its arrival then."
        ],
        examples: [.init("symbolon messages list ~/vault CONNECTION", "Shows what both sides wrote.")],
        options: VaultAccess.opening + [ConnectionOptions.limit.declaration],
        operands: [VaultAccess.folder.declaration, ConnectionOptions.id.declaration])

    package static let run: Program.Body = { context in
        let word = try context.arguments.required(ConnectionOptions.id)
        let limit = context.arguments[ConnectionOptions.limit] ?? 1000
        try await CommandAgentRunner.withQuietAgent(context) { agent in
            let id = try await CommandAgentRunner.connection(word, of: agent).id
            var messages: [ConnectionMessage] = []
            try await ConnectionOptions.pages(limit) { cursor, limit in
                let page = try await agent.messages(on: id, after: cursor, limit: limit)
                messages += page.messages
                return (page.messages.count, page.next)
            }
            for message in inOrder(messages) { show(message, context) }
        }
    }

    /// Sorts messages by the time of writing; those of one time stay in the order of arrival.
    static func inOrder(_ messages: [ConnectionMessage]) -> [ConnectionMessage] {
        messages.enumerated().sorted { ($0.element.order, $0.offset) < ($1.element.order, $1.offset) }.map(\.element)
    }

    /// The times of a message for a line: the one that it is sorted by, and the other where it differs.
    static func times(of entry: ConnectionMessage) -> (shown: String, more: String) {
        let (order, arrival) = (entry.order, entry.time)
        let delay = arrival.millisecondsSinceEpoch - order.millisecondsSinceEpoch
        if delay >= 60_000 { return (order.messageText, "  (came \(arrival.messageText))") }
        guard let written = entry.written, written != order else { return (order.messageText, "") }
        let isNear =
            abs(
                written.millisecondsSinceEpoch.subtractingReportingOverflow(
                    arrival.millisecondsSinceEpoch
                ).partialValue) < 60_000
        return (order.messageText, isNear ? "" : "  (its writer says \(written.messageText))")
    }

    /// Shows a message of a connection in a line, and reports it as an event.
    ///
    /// - Parameter withConnection: whether the line names the connection.
    package static func show(_ entry: ConnectionMessage, _ context: CommandContext, withConnection: Bool = false) {
        let type = entry.message.type.description
        let text = type == .basicMessage ? entry.message.object["content"]?.string : nil
        ConnectionReporter(reporter: context.reporter).message(
            entry.connection, entry.direction, id: entry.message.id, type: type, text: text, time: entry.time,
            written: entry.written)
        let direction = entry.direction == .received ? "<" : ">"
        let question = Question.isQuestion(entry.message) ? try? Question(entry.message) : nil
        let shown =
            question.map { "\(entry.message.id)  " + ConnectionReporter.words(for: $0) }
            ?? TerminalText.sanitised(text ?? "(\(type))", limit: 2000)
        let prefix = withConnection ? "\(entry.connection)  " : ""
        let times = times(of: entry)
        context.reporter.put("\(times.shown)  \(prefix)\(direction)  \(shown)\(times.more)")
    }
}

/// `symbolon messages send`: sends a text to the other side of a connection.
package enum MessagesSendCommand {
    private static let text = Operand(
        ValueKind<String>("TEXT") { (text) throws(InvalidValue) in
            guard !text.isEmpty, text.utf8.count <= BasicMessage.maximumBytes else {
                throw InvalidValue(
                    "is empty or longer than 65,536 bytes", advice: "Write a text of 1 to 65,536 bytes")
            }
            return text
        }, "The text; - for one in each line of standard input.")
    /// The most bytes of standard input.
    private static let maximumInputBytes = 64 << 20

    package static let declaration = CommandDeclaration(
        "send", "Sends a text to the other side of a connection.",
        discussion: [
            "The text is in the vault before it is sent. When it is not delivered within --timeout (30s) the command fails, "
                + "and the text is sent with the next command that sends.",
            "With - standard input, up to 64 MiB, is read to its end, and each of its lines is sent as a text, one after the "
                + "other, without the carriage return that other systems put at its end. Empty lines are passed over. The first that is not delivered ends the command.",
        ],
        examples: [
            .init(#"symbolon messages send ~/vault CONNECTION Hello"#, "Sends a text."),
            .init("symbolon messages send ~/vault CONNECTION -", "Sends each line of standard input."),
        ],
        options: VaultAccess.opening + [
            Options.allowPrivate.declaration, Options.timeout.declaration,
        ],
        operands: [VaultAccess.folder.declaration, ConnectionOptions.id.declaration, text.declaration])

    package static let run: Program.Body = { context in
        let content = try context.arguments.required(text)
        let contents = content == "-" ? try await lines(context) : [content]
        try await MessageSender.with(context) { sending in
            for content in contents {
                try await sending.send { _, _, id, now in BasicMessage(content, sent: now).message(id: id) }
            }
        }
    }

    private static func lines(_ context: CommandContext) async throws -> [String] {
        try texts(in: try await context.standardInput(limit: maximumInputBytes))
    }

    /// Splits standard input into lines, each a text to send; all are checked before the first is sent.
    ///
    /// - Throws: `input.too-large`, `input.empty`.
    static func texts(in bytes: [UInt8]) throws(CommandError) -> [String] {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        var texts: [String] = []
        for (number, whole) in lines.enumerated() {
            let line = whole.last == UInt8(ascii: "\r") ? whole.dropLast() : whole
            if line.isEmpty { continue }
            // Invalid UTF-8 grows when it is replaced.
            let text = String(decoding: line, as: UTF8.self)
            guard text.utf8.count <= BasicMessage.maximumBytes else {
                throw CommandError(
                    .inputTooLarge,
                    "Line \(number + 1) of standard input has more than \(BasicMessage.maximumBytes) bytes.")
            }
            texts.append(text)
        }
        guard !texts.isEmpty else { throw CommandError(.inputEmpty, "Standard input holds no text.") }
        return texts
    }
}

/// `symbolon messages ask`: sends a question with answers to choose from.
package enum MessagesAskCommand {
    private static let text = Operand(.text("TEXT"), "The question.")
    private static let answer = ValueOption(
        "answer", .text("TEXT"), "An answer to choose from.", isRequired: true, isRepeatable: true)
    private static let detail = ValueOption("detail", .text("TEXT"), "More about the question.")

    package static let declaration = CommandDeclaration(
        "ask", "Asks the other side of a connection a question.",
        discussion: ["The answer comes like other messages: to listen, or to messages watch."],
        examples: [
            .init("symbolon messages ask ~/vault CONNECTION Ready --answer Yes --answer No", "Asks it.")
        ],
        options: VaultAccess.opening + [
            answer.declaration, detail.declaration, Options.allowPrivate.declaration, Options.timeout.declaration,
        ],
        operands: [VaultAccess.folder.declaration, ConnectionOptions.id.declaration, text.declaration])

    package static let run: Program.Body = { context in
        let content = try context.arguments.required(text)
        let answers = context.arguments.all(answer)
        guard answers.count <= Question.maximumAnswers else {
            throw UsageError(
                .badValue, "There are more than \(Question.maximumAnswers) answers to choose from.",
                nextStep: "Give fewer of them.")
        }
        try await MessageSender.send(context) { _, _, id, _ in
            Question(content, detail: context.arguments[detail], answers: answers, id: id).message
        }
    }
}

/// `symbolon messages answer`: answers a question of the other side.
package enum MessagesAnswerCommand {
    private static let question = Operand(.text("QUESTION"), "The question's identifier, as the list shows it.")
    private static let choice = Operand(.text("ANSWER"), "One of the answers that it offers.")

    package static let declaration = CommandDeclaration(
        "answer", "Answers a question of the other side.",
        examples: [.init("symbolon messages answer ~/vault CONNECTION QUESTION Yes", "Answers Yes.")],
        options: VaultAccess.opening + [
            Options.allowPrivate.declaration, Options.timeout.declaration,
        ],
        operands: [
            VaultAccess.folder.declaration, ConnectionOptions.id.declaration, question.declaration,
            choice.declaration,
        ])

    package static let run: Program.Body = { context in
        let (name, choice) = (try context.arguments.required(question), try context.arguments.required(choice))
        try await MessageSender.send(context) { agent, connection, id, now in
            guard let asked = try await agent.receivedMessage(name, on: connection), Question.isQuestion(asked) else {
                throw AgentError(.requestUnknown, "The other side asked no question of that name.")
            }
            return try Question(asked).answer(choice, id: id, now: now)
        }
    }
}

/// Sends messages, and waits until each is delivered.
private struct MessageSender: Sendable {
    private let context: CommandContext
    private let agent: Agent
    private let connection: String

    /// Sends the one message that `make` returns, and waits until it is delivered.
    static func send(
        _ context: CommandContext,
        _ make: @Sendable (_ agent: Agent, _ connection: String, _ id: String, _ now: WallTime) async throws -> Message
    ) async throws {
        try await with(context) { try await $0.send(make) }
    }

    /// Opens the agent, finds the connection that the arguments name, and runs `body` with a sender for it.
    static func with(
        _ context: CommandContext, _ body: @Sendable (MessageSender) async throws -> Void
    ) async throws {
        let word = try context.arguments.required(ConnectionOptions.id)
        try await CommandAgentRunner.withWebAgent(context, CommandAgentRunner.configuration(context)) { agent in
            let id = try await CommandAgentRunner.connection(word, of: agent).id
            try await body(MessageSender(context: context, agent: agent, connection: id))
        }
    }

    func send(_ make: (Agent, String, String, WallTime) async throws -> Message) async throws {
        let now = context.environment.wallTime()
        let message = try await make(agent, connection, await agent.makeID(), now)
        let events = await agent.events()
        try await agent.send(message, on: connection)
        let type = message.type.description
        ConnectionReporter(reporter: context.reporter).message(
            connection, .sent, id: message.id, type: type,
            text: type == .basicMessage ? message.object["content"]?.string : nil, time: now, written: now)
        let isSent = try await events.delivery(
            of: message.id, on: connection, within: context.arguments[Options.timeout] ?? .seconds(30),
            by: context.environment.clock)
        guard isSent == true else {
            if isSent == nil, await agent.deliveryFailure(on: connection) == nil {
                throw AgentError(.deliveryLate, "The other side has not taken the message in time; it is sent later.")
            }
            throw await agent.undelivered(
                on: connection, "The message was not delivered in time; it is kept and sent later.")
        }
        context.reporter.put(message.id)
    }
}
