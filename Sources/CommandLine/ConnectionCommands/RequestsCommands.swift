import Aries
import AriesRuntime
package import CommandProgram
import DIDComm
import Determinism
package import Terminal
import VaultCommands

/// `symbolon requests list`: requests that arrived with invitations or on connections, and wait.
package enum RequestsListCommand {
    package static let declaration = CommandDeclaration(
        "list", "Lists pending requests.",
        examples: [.init("symbolon requests list ~/vault", "Shows identifiers, connections and kinds.")],
        options: VaultAccess.opening, operands: [VaultAccess.folder.declaration])

    package static let run: Program.Body = { context in
        try await AgentAccess.withQuietAgent(context) { agent in
            var table = Table([.init("request"), .init("connection"), .init("type")])
            for request in try await agent.requests() {
                context.reporter.event(.request, [.init("party", .null)] + request.fields)
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

/// `symbolon requests decline`: declines a request.
package enum RequestsDeclineCommand {
    private static let id = Operand(.text("REQUEST"), "The request's identifier, or the beginning of it.")

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
        operands: [VaultAccess.folder.declaration, id.declaration])

    package static let run: Program.Body = { context in
        let word = try context.arguments.required(id)
        try await AgentAccess.withWebAgent(context, AgentAccess.configuration(context)) { agent in
            let requests = try await agent.requests()
            guard let id = try IdentifierPrefix.choose(word, among: requests.map(\.message.id), of: "requests"),
                let request = requests.first(where: { $0.message.id == id })
            else {
                throw AgentError(.requestUnknown, "The vault has no request of that name.")
            }
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
