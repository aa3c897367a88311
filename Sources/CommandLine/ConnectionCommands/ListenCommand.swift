import Aries
import AriesConnections
package import CommandProgram
import DIDComm
import Determinism
package import Terminal
import WebAddressing
import WebTransport

/// `symbolon listen`: keeps an endpoint of our own open.
package enum ListenCommand {
    static let address = ValueOption(
        "address",
        ValueKind<IPAddress>("ADDRESS") { (text) throws(InvalidValue) in
            guard let address = IPAddress(parsing: text) else {
                throw InvalidValue("is not an IP address", advice: "Write one such as 127.0.0.1 or 0.0.0.0")
            }
            return address
        }, "Where to listen (127.0.0.1, this machine alone).")
    static let port = ValueOption("port", .integer("N", in: 0...65535), "The port (0, any that is free).")
    private static let duration = ValueOption(
        "for", .duration("TIME", in: .milliseconds(1)...(.seconds(31_536_000))),
        "How long to listen (until interrupted).")
    private static let pickup = ValueOption(
        "pickup",
        .choice("VERSION", [("2.0", PickupClient.PickupProtocol.pickup2), ("1.0", .pickup1), ("implicit", .implicit)]),
        "Asks the mediator only by this protocol (the newest, and sent unasked).")

    package static let declaration = CommandDeclaration(
        "listen", "Receives messages over HTTP and WebSocket on one port.",
        discussion: [
            "Takes answers to invitations and messages on connections, keeps them in the vault, and sends what waits there. "
                + "--endpoint is the address that is advertised to others; without it that of the mediator in use or of the port. "
                + "What the mediator keeps for us is fetched; --pickup asks for it again and again by one protocol, for a mediator "
                + "whose newer ones are of no use.",
            "Without --json, standard output has the messages that come.",
        ],
        examples: [
            .init("symbolon listen ~/vault --port 8020", "Listens on this machine, until interrupted."),
            .init(
                "symbolon listen ~/vault --port 8020 --endpoint https://agent.example.org", "Listens behind a proxy."),
        ],
        options: VaultAccess.opening + DIDDocumentSource.options + [
            address.declaration, port.declaration, CommandAgentRunner.endpoint.declaration, duration.declaration,
            CommandAgentRunner.label.declaration, Options.allowPrivate.declaration, pickup.declaration,
        ],
        operands: [VaultAccess.folder.declaration])

    package static let run: Program.Body = { context in
        var server = ServerConfiguration()
        if let address = context.arguments[address] { server.address = address }
        server.port = UInt16(context.arguments[port] ?? 0)
        let endpoint = AgentHTTPListener(server)
        let socket = try await endpoint.start()
        do {
            try await serve(endpoint, at: socket, context)
        } catch {
            await endpoint.stop()
            throw error
        }
        await endpoint.stop()
    }

    private static func serve(
        _ endpoint: AgentHTTPListener, at socket: SocketAddress, _ context: CommandContext
    ) async throws {
        var configuration = CommandAgentRunner.configuration(context)
        let own = try ServiceEndpoint(parsing: "http://\(socket)")
        let shown = context.arguments[CommandAgentRunner.endpoint] ?? own
        configuration.endpoint = shown
        configuration.asksForAnswers = false
        configuration.mediator.pickup = context.arguments[pickup]
        configuration.mediator.keepsSocket = true
        try await CommandAgentRunner.withWebAgent(context, configuration) { agent in
            let events = await agent.events()
            endpoint.serve(agent)
            context.reporter.event(
                .listening, [.init("address", .string("\(socket)")), .init("endpoint", .string(shown.text))])
            let published = try await mediatorEndpoint(of: agent, context) ?? shown
            context.console.say("Listening on \(socket), advertised as \(published.text).")
            let clock = context.environment.clock
            guard let duration = context.arguments[duration] else { return try await wait(events) }
            let end = clock.now() + duration
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await wait(events) }
                group.addTask { try await clock.wait(until: end) }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    /// Returns the mediator's endpoint, if new connections use it; nil when `--endpoint` is given.
    private static func mediatorEndpoint(of agent: Agent, _ context: CommandContext) async throws -> ServiceEndpoint? {
        guard context.arguments[CommandAgentRunner.endpoint] == nil else { return nil }
        return try await agent.mediator()?.endpoint
    }

    /// Waits until the run is interrupted.
    ///
    /// - Throws: `CancellationError`; `agent.stopped` when the agent ended because of its vault;
    ///   `agent.mediator.replaced`, `agent.mediator.closed`.
    private static func wait(_ events: AsyncStream<AgentEvent>) async throws {
        var reason = "The agent ended."
        for await event in events {
            switch event {
            case .stopped(let cause): reason = cause
            case .mediator(.problem(let code, let words, _)):
                let ends: [AgentError.Code] = [.mediatorReplaced, .mediatorClosed]
                if let end = ends.first(where: { $0.rawValue == code }) { throw AgentError(end, words) }
            default: break
            }
        }
        try Task.checkCancellation()
        throw AgentError(.stopped, reason)
    }
}
