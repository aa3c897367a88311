import Aries
import AriesConnections
package import CommandProgram
import DIDComm
import Determinism
import JSON
package import Terminal

/// `symbolon requests list`: requests that arrived with invitations or on connections, and wait.
package enum RequestsListCommand {
    package static let declaration = CommandDeclaration(
        "list", "Lists pending requests.",
        examples: [.init("symbolon requests list ~/vault", "Shows identifiers, connections and kinds.")],
        options: VaultAccess.opening, operands: [VaultAccess.folder.declaration])

    package static let run: Program.Body = { context in
        try await CommandAgentRunner.withQuietAgent(context) { agent in
            var table = TextTable([.init("request"), .init("connection"), .init("type")])
            for request in try await agent.requests() {
                context.reporter.event(.request, [.init("party", .null)] + request.fields())
                let connection = if case .connection(let id) = request.binding { id } else { "–" }
                table.add([
                    TerminalText.sanitised(request.message.id, limit: 80), connection,
                    TerminalText.sanitised(request.message.type.description),
                ])
            }
            for line in table.lines(palette: context.console.palette) { context.reporter.put(line) }
        }
    }
}

/// `symbolon requests show`: one request, with its whole message.
package enum RequestsShowCommand {
    package static let declaration = CommandDeclaration(
        "show", "Shows one request with its message.",
        discussion: ["The message is text of its sender; it is shown as one line of JSON."],
        examples: [.init("symbolon requests show ~/vault REQUEST", "Shows what is asked.")],
        options: VaultAccess.opening, operands: [VaultAccess.folder.declaration, RequestArgument.id.declaration])

    package static let run: Program.Body = { context in
        let word = try context.arguments.required(RequestArgument.id)
        try await CommandAgentRunner.withQuietAgent(context) { agent in
            let request = try await RequestArgument.request(word, of: agent)
            let message = String(decoding: request.message.encoded, as: UTF8.self)
            context.reporter.event(.request, [.init("party", .null)] + request.fields(message: message))
            context.reporter.put(TerminalText.sanitised(message, limit: 1 << 20))
        }
    }
}

/// `symbolon requests answer`: answers a request with a message from a file.
package enum AttachedRequestAnswerCommand {
    private static let message = ValueOption(
        "message", .path("FILE"), "The answer: a JSON object with @type and the members of the message.")

    /// Answers a request with the message of a file.
    private struct FileAnswerHandler: RequestHandler {
        let answer: RequestAnswer
        let features: [FeatureList.Feature]

        func answer(to request: AttachedRequest) -> RequestAnswer { answer }
    }

    package static let declaration = CommandDeclaration(
        "answer", "Answers a request on its connection.",
        discussion: [
            "The answer is the message in the file of --message, on the thread of the request; @id and ~thread in the file "
                + "are replaced. The request is kept no longer. An application with the library answers by handlers of its own."
        ],
        examples: [
            .init(
                "symbolon requests answer ~/vault REQUEST --message menu.json", "Answers with the message in menu.json."
            )
        ],
        options: VaultAccess.opening + [
            message.declaration, Options.allowPrivate.declaration, Options.timeout.declaration,
        ],
        operands: [VaultAccess.folder.declaration, RequestArgument.id.declaration])

    package static let run: Program.Body = { context in
        let word = try context.arguments.required(RequestArgument.id)
        let answer = try context.arguments[message].map { try read($0) }
        var configuration = CommandAgentRunner.configuration(context)
        if let answer {
            configuration.requestHandlers = [FileAnswerHandler(answer: answer, features: [.init(answer.type.protocol)])]
        }
        try await CommandAgentRunner.withWebAgent(context, configuration) { agent in
            let request = try await RequestArgument.request(word, of: agent)
            guard case .connection(let name) = request.binding, let connection = try await agent.connection(name) else {
                throw RequestArgument.unknown
            }
            let events = await agent.events()
            let sent = try await connection.answer(request)
            let isDelivered = try await events.delivery(
                of: sent.id, on: name, within: context.arguments[Options.timeout] ?? .seconds(10),
                by: context.environment.clock)
            let id = request.message.id
            context.reporter.event(
                .requestAnswered, [.init("id", .string(id)), .init("isTold", .bool(isDelivered ?? false))])
            context.reporter.put("\(TerminalText.sanitised(id))  answered")
            if isDelivered != true { context.console.say("The answer goes with the next command that connects.") }
        }
    }

    private static func read(_ path: String) throws -> RequestAnswer {
        let message = try MessageFileReader.read(path, id: "answer")
        var body = message.object
        for name in ["@id", "@type", "~thread"] { body[name] = nil }
        return RequestAnswer(message.type, body: body)
    }
}

/// The argument that names a request, and the search for it.
private enum RequestArgument {
    static let id = Operand(.text("REQUEST"), "The request's identifier, or the beginning of it.")

    static var unknown: AgentError { AgentError(.requestUnknown, "The vault has no request of that name.") }

    static func request(_ word: String, of agent: Agent) async throws -> AttachedRequest {
        let requests = try await agent.requests()
        guard let id = try IdentifierPrefix.choose(word, among: requests.map(\.message.id), of: "requests"),
            let request = requests.first(where: { $0.message.id == id })
        else { throw unknown }
        return request
    }
}

/// `symbolon requests decline`: declines a request.
package enum RequestsDeclineCommand {
    package static let declaration = CommandDeclaration(
        "decline", "Declines a request and notifies its sender.",
        discussion: [
            "The sender gets the report of the request's own protocol where it has one, on the connection of the request, or "
                + "else where the request or its invitation says. It is tried for at most --timeout (10s); the request is kept "
                + "no longer in any case."
        ],
        examples: [.init("symbolon requests decline ~/vault REQUEST", "Declines it.")],
        options: VaultAccess.opening + [
            Options.allowPrivate.declaration, Options.timeout.declaration,
        ],
        operands: [VaultAccess.folder.declaration, RequestArgument.id.declaration])

    package static let run: Program.Body = { context in
        let word = try context.arguments.required(RequestArgument.id)
        try await CommandAgentRunner.withWebAgent(context, CommandAgentRunner.configuration(context)) { agent in
            let request = try await RequestArgument.request(word, of: agent)
            let id = request.message.id
            let queue = if case .connection(let connection) = request.binding { connection } else { id }
            let events = await agent.events()
            let refusal = try await agent.decline(request)
            let isInformed = try await events.delivery(
                of: refusal, on: queue, within: context.arguments[Options.timeout] ?? .seconds(10),
                by: context.environment.clock)
            context.reporter.event(
                .requestDeclined, [.init("id", .string(id)), .init("isTold", .bool(isInformed ?? false))])
            context.reporter.put("\(TerminalText.sanitised(id))  declined")
            if isInformed != true { context.console.say("Its sender could not be told yet.") }
        }
    }
}
