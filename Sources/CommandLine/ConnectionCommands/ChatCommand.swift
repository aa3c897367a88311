import Aries
import AriesConnections
package import CommandProgram
import DIDComm
import Determinism
import JSON
package import Terminal
import WebTransport

/// `symbolon chat`: sends lines typed here on a connection, and shows the other side's messages.
package enum ChatCommand {
    /// The interval at which the vault is polled for messages.
    private static let interval = Duration.milliseconds(300)

    package static let declaration = CommandDeclaration(
        "chat", "Exchanges messages on a connection, line by line, until Ctrl-D.",
        discussion: [
            "Each line typed is sent as a text, and each text of the other side is shown as it comes. At the end what was "
                + "typed is delivered for at most --timeout (10s); the rest is kept and sent by the next command that sends.",
            "Texts come from the mediator in use, or from listen on the same vault. --port opens the endpoint here, where the "
                + "other side was told it and no listen runs.",
        ],
        examples: [
            .init("symbolon chat ~/vault Bob", "Writes with Bob."),
            .init("symbolon chat ~/vault Bob --port 8020", "The same, where Bob sends to port 8020 of this machine."),
        ],
        options: VaultAccess.opening + [
            ListenCommand.address.declaration, ListenCommand.port.declaration, Options.allowPrivate.declaration,
            Options.timeout.declaration,
        ],
        operands: [VaultAccess.folder.declaration, ConnectionOptions.id.declaration])

    package static let run: Program.Body = { context in
        guard let port = context.arguments[ListenCommand.port] else { return try await chat(context, nil) }
        var server = ServerConfiguration()
        if let address = context.arguments[ListenCommand.address] { server.address = address }
        server.port = UInt16(port)
        let endpoint = AgentHTTPListener(server)
        _ = try await endpoint.start()
        do {
            try await chat(context, endpoint)
        } catch {
            await endpoint.stop()
            throw error
        }
        await endpoint.stop()
    }

    private static func chat(_ context: CommandContext, _ endpoint: AgentHTTPListener?) async throws {
        let word = try context.arguments.required(ConnectionOptions.id)
        var configuration = CommandAgentRunner.configuration(context)
        configuration.mediator.pollEvery = .seconds(2)
        try await CommandAgentRunner.withWebAgent(context, configuration, reportsMessages: false) { agent in
            endpoint?.serve(agent)
            let connection = try await CommandAgentRunner.connection(word, of: agent)
            guard !connection.isEnded else { throw AgentError(.connectionEnded, "It takes no more messages.") }
            guard connection.stage == .completed else {
                throw AgentError(.connectionIncomplete, "The connection is \(connection.state).")
            }
            let name = connection.shownName.isEmpty ? "The other side" : connection.shownName
            context.console.say("Connected with \(name). Type a line to send it; Ctrl-D ends.")
            try await exchange(connection.id, name, agent, context)
            let limit = context.arguments[Options.timeout] ?? .seconds(10)
            if try await !agent.settled(within: limit) {
                context.console.say("Not all of it is delivered yet; the rest goes with the next command that sends.")
            }
        }
    }

    /// Sends and shows until the input ends.
    private static func exchange(
        _ connection: String, _ name: String, _ agent: Agent, _ context: CommandContext
    ) async throws {
        var follower = MessageFollower(connection: connection)
        _ = try await follower.next(from: agent)
        let (reading, following) = (follower, name)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await send(on: connection, agent, context) }
            group.addTask { try await show(reading, from: following, agent, context) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private static func send(on connection: String, _ agent: Agent, _ context: CommandContext) async throws {
        let reporter = ConnectionReporter(reporter: context.reporter)
        while let line = await context.environment.input.readLine(limit: 16 * BasicMessage.maximumBytes) {
            let text = String(decoding: line.last == 13 ? line.dropLast() : line[...], as: UTF8.self)
            if text.isEmpty { continue }
            guard text.utf8.count <= BasicMessage.maximumBytes else {
                context.console.complain("Not sent: the line has more than \(BasicMessage.maximumBytes) bytes.")
                continue
            }
            let now = context.environment.wallTime()
            let message = BasicMessage(text, sent: now).message(id: await agent.makeID())
            try await agent.send(message, on: connection)
            reporter.message(
                connection, .sent, id: message.id, type: message.type.description, text: text, time: now,
                written: now)
        }
        try Task.checkCancellation()
    }

    private static func show(
        _ start: MessageFollower, from name: String, _ agent: Agent, _ context: CommandContext
    ) async throws {
        var follower = start
        let clock = context.environment.clock
        while true {
            for entry in try await follower.next(from: agent) where entry.direction == .received {
                let type = entry.message.type.description
                let text = type == .basicMessage ? entry.message.object["content"]?.string : nil
                ConnectionReporter(reporter: context.reporter).message(
                    entry.connection, .received, id: entry.message.id, type: type, text: text,
                    time: entry.time, written: entry.written)
                context.reporter.put("\(name): \(TerminalText.sanitised(text ?? "(\(type))", limit: 2000))")
            }
            try await clock.wait(until: clock.now() + interval)
        }
    }
}
