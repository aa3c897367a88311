import Aries
import AriesConnections
import CommandProgram
import DIDComm
import Determinism
import Terminal
import Vault
import WebAddressing
import WebTransport

/// Runs an agent on the vault that the arguments name, for the time of one command.
enum CommandAgentRunner {
    static let label = ValueOption(
        "label", .text("NAME"), "What we call ourselves to the other side (as vault create was told).")
    static let form = ValueOption(
        "did-form", .choice("FORM", DIDForm.allCases.map { ($0.rawValue, $0) }),
        "How we name ourselves by didexchange (what fits its version).")
    static let endpoint = ValueOption("endpoint", Options.address, "Where the other side reaches us.")

    /// Makes an agent's configuration; `--endpoint` is the address at which another command on the vault listens.
    static func configuration(_ context: CommandContext) -> AgentConfiguration {
        var configuration = AgentConfiguration(label: context.arguments[label] ?? "Symbolon")
        configuration.form = context.arguments[form]
        // The WebSocket to the mediator belongs to `listen`, which may run at the same time.
        configuration.mediator.keepsSocket = false
        if let endpoint = context.arguments[endpoint] {
            configuration.endpoint = endpoint
            configuration.asksForAnswers = true
            configuration.mediator.mode = .fetchOnly
        }
        return configuration
    }

    /// Runs `body` with an agent that sends nothing: outgoing messages stay in the vault.
    static func withQuietAgent(
        _ context: CommandContext, _ configuration: AgentConfiguration = AgentConfiguration(label: ""),
        vault: String? = nil, _ body: @Sendable (Agent) async throws -> Void
    ) async throws {
        var configuration = configuration
        if configuration.mediator.mode == .full { configuration.mediator.mode = .offline }
        try await withAgent(context, configuration, NonSendingTransport(), nil, vault: vault, body)
    }

    /// Runs `body` with an agent that sends by HTTP and WebSocket, and reports its events.
    ///
    /// - Parameter tellsMessages: whether messages for people are reported as they arrive.
    static func withWebAgent(
        _ context: CommandContext, _ configuration: AgentConfiguration, reportsMessages: Bool = true,
        _ body: @Sendable (Agent) async throws -> Void
    ) async throws {
        let reporter = ConnectionReporter(
            reporter: context.reporter, reportsMessages: reportsMessages, wallTime: context.environment.wallTime)
        let service = WebService()
        var configuration = configuration
        try DIDDocumentSource(context).apply(to: &configuration, service, context.environment.clock)
        let transports = try UserSettings(context.console.variables).transports()
        configuration.outboundTransports = transports.reduce(into: []) { found, name in
            switch name {
            case .http: found.formUnion(ServiceEndpoint.Transport.ofHTTP)
            case .ws: found.formUnion(ServiceEndpoint.Transport.ofWebSocket)
            }
        }
        let policy: IPAddressPolicy = context.arguments[Options.allowPrivate] ? .allowPrivate : .publicOnly
        do {
            try await withAgent(context, configuration, WebMessageTransport(service, policy: policy), reporter, body)
        } catch {
            await service.stop()
            throw error
        }
        await service.stop()
    }

    private static func withAgent(
        _ context: CommandContext, _ configuration: AgentConfiguration, _ transport: any MessageTransport,
        _ reporter: ConnectionReporter?, vault path: String? = nil, _ body: @Sendable (Agent) async throws -> Void
    ) async throws {
        let vault = try await VaultAccess.open(context, at: path)
        var configuration = configuration
        do {
            if context.arguments[label] == nil, let own = try await VaultOwnerLabel.read(vault) {
                configuration.label = own
            }
        } catch {
            await vault.close()
            throw error
        }
        let agent = make(context, on: vault, configuration, transport)
        let events = await agent.events()
        let reporting = reporter.map { reporter in Task { await reporter.follow(events) } }
        var catching: Task<Void, Never>?
        // Events before the end are still reported, and answers that came to another command are still taken.
        func close() async {
            // Messages that a mediator has sent and forgotten are waited for also after an interruption.
            if await agent.handsOverOnce { context.environment.forcedEnd.extend(to: Agent.onceWait + .seconds(2)) }
            await agent.finish(within: .milliseconds(1500))
            catching?.cancel()
            await reporting?.value
            await vault.close()
        }
        do {
            try await agent.start()
            let clock = context.environment.clock
            // Another command on the vault may fetch messages, and may change the mediator.
            let mayMiss = configuration.asksForAnswers || [.full, .fetchOnly].contains(configuration.mediator.mode)
            catching = mayMiss ? Task { await catchUp(agent, by: clock) } : nil
            try await body(agent)
        } catch {
            await close()
            throw error
        }
        await close()
    }

    /// Polls the vault for the changes that a `listen` command makes, every 100 ms.
    private static func catchUp(_ agent: Agent, by clock: any MonotonicClock) async {
        do {
            while true {
                try await clock.wait(until: clock.now() + .milliseconds(100))
                try await agent.catchUp()
            }
        } catch {
            // It was cancelled, or the agent reports why it ended.
        }
    }

    /// Waits until a connection is complete, at most `limit`; its handshake may continue afterwards.
    ///
    /// - Throws: the error that ended it, the error of delivering its request, `agent.delivery.foreign` when its server
    ///   is no agent's, and `aries.connection.timeout`.
    static func wait(
        for begun: AgentConnection, _ limit: Duration, isMediator: Bool = false, by agent: Agent,
        _ context: CommandContext
    ) async throws {
        let clock = context.environment.clock
        let end = clock.now() + limit
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = try await begun.completed() }
            group.addTask {
                while clock.now() < end {
                    try await clock.wait(until: min(end, clock.now() + .milliseconds(200)))
                    if let error = try await begun.foreignAnswer(countsEmpty: isMediator) { throw error }
                }
                if let error = await agent.deliveryFailure(on: begun.id) { throw error }
                let summary = try await agent.summary(of: begun.id)
                let isLate = "The inviter has not answered within the time allowed"
                throw AriesError(
                    .timeout,
                    summary?.takesLateAnswers ?? true
                        ? "\(isLate); the connection waits for it."
                        : "\(isLate). This wallet has neither --endpoint nor a mediator, so a late answer does not reach it: see mediator use."
                )
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    static func make(
        _ context: CommandContext, on store: any RecordStore, _ configuration: AgentConfiguration,
        _ transport: any MessageTransport
    ) -> Agent {
        Agent(
            store: store, transport: transport, configuration: configuration, clock: context.environment.clock,
            random: context.environment.makeRandom(), wallTime: context.environment.wallTime)
    }

    /// The connection that a word of the command line names; see `ConnectionReference`.
    ///
    /// - Throws: `agent.connection.unknown`; `usage.bad-value` for a word that names several.
    static func connection(_ word: String, of agent: Agent) async throws -> ConnectionSummary {
        try await ConnectionReference(word).find(in: agent)
    }
}
