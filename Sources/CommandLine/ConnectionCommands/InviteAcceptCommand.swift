package import Aries
import AriesConnections
package import CommandProgram
import DIDComm
import Determinism
package import Terminal

/// `symbolon invite accept`: connects to the maker of an invitation.
package enum InviteAcceptCommand {
    private static let name = ValueOption("name", .text("NAME"), "The local name of the connection.")
    private static let newConnection = FlagOption(
        "new-connection", "Makes a new connection, also where one with the inviter exists.")

    package static let declaration = CommandDeclaration(
        "accept", "Accepts an invitation and waits until both sides are connected.",
        discussion: [
            "An inviter that answers at once does so on the connection that this command opens, so no address of our own is "
                + "needed. One that answers later needs an address: --endpoint, that of listen on the same vault, or a mediator "
                + "(see mediator use). Without either a late answer is lost.",
            "The command waits at most --timeout (1m). The connection goes on waiting for seven days, or as long as the "
                + "invitation counts: listen, or the same invitation again, completes it. A short link is fetched first.",
            "A request that was handed over is not sent again before you accept the same invitation again, because many "
                + "inviters take a second one for another wallet's.",
            "An inviter named by a DID is found by the document that the DID holds, by --did-document, from the host of a "
                + "did:web, or by --resolver.",
            "Where a connection with the inviter exists, it is used, and --name renames it. --new-connection insists on a new "
                + "one, also for an invitation that was accepted before; the inviter may refuse that.",
            "What only asks for something makes no connection: the request is kept, see symbolon requests.",
            "Without --json, standard output has only the connection's identifier; the last line says how it came about.",
        ],
        examples: [
            .init(#"symbolon invite accept ~/vault "https://example.org/ssi?oob=eyJ…""#, "Connects by a link."),
            .init("symbolon invite accept ~/vault invitation.json --name Bank", "Connects, and names the connection."),
        ],
        options: VaultAccess.opening + DIDDocumentSource.options + [
            name.declaration, newConnection.declaration, CommandAgentRunner.endpoint.declaration,
            CommandAgentRunner.label.declaration,
            CommandAgentRunner.form.declaration,
            Options.allowPrivate.declaration, InvitationSource.allowHTTP.declaration, Options.timeout.declaration,
        ],
        operands: [VaultAccess.folder.declaration, InvitationSource.text.declaration])

    package static let run: Program.Body = { context in
        let text = try await read(context)
        let done = Lock<InvitationAcceptanceReport?>(nil)
        try await CommandAgentRunner.withWebAgent(context, CommandAgentRunner.configuration(context)) { agent in
            let acceptance: InvitationAcceptanceReport
            switch text {
            case .invitation(let invitation): acceptance = try await accept(invitation, by: agent, context)
            case .request(let message):
                _ = try await agent.keep(message)
                acceptance = InvitationAcceptanceReport(outcome: .requestOnly)
            case .shortLink: return
            }
            done.withLock { $0 = acceptance }
        }
        // The agent's events are reported before the result.
        done.withLock { $0 }?.report(context)
    }

    /// Reads the invitation of the argument, or the one that its short link leads to.
    package static func read(_ context: CommandContext) async throws -> InvitationText {
        let text = try await InvitationSource.read(context)
        guard case .shortLink(let address) = text else { return text }
        context.reporter.event(.shortLink, [.init("address", .string(address))])
        return try await InvitationSource.fetch(address, context)
    }

    private static func accept(
        _ invitation: Aries.Invitation, by agent: Agent, _ context: CommandContext
    ) async throws -> InvitationAcceptanceReport {
        let limit = context.arguments[Options.timeout] ?? .seconds(60)
        let begun = try await agent.accept(
            invitation, name: context.arguments[name], reuseWait: limit, connectsAnew: context.arguments[newConnection])
        guard begun.outcome != .requestOnly else { return InvitationAcceptanceReport(outcome: .requestOnly) }
        try await CommandAgentRunner.wait(for: begun, limit, by: agent, context)
        if try await !agent.settled(within: .seconds(10)) {
            context.console.say("The last message is not delivered yet; it goes with the next command.")
        }
        let summary = try await CommandAgentRunner.connection(begun.id, of: agent)
        return InvitationAcceptanceReport(outcome: begun.outcome, notReused: begun.notReused, summary: summary)
    }
}

/// The result of accepting, reported last.
private struct InvitationAcceptanceReport: Sendable {
    let outcome: AgentConnection.InvitationOutcome
    var notReused: AriesError?
    var summary: ConnectionSummary?

    func report(_ context: CommandContext) {
        if let summary {
            context.reporter.event(.connection, summary.fields)
            context.reporter.put(summary.id)
        }
        context.reporter.event(
            .acceptance,
            [
                .init("connection", .string(summary?.id)), .init("outcome", .string(outcome.rawValue)),
                .init("code", .string(notReused?.code.rawValue)), .init("reason", .string(notReused?.reason)),
            ])
        context.console.say(words)
    }

    private var words: String {
        let name = summary?.shownName ?? ""
        let other = name.isEmpty ? "the inviter" : "“\(name)”"
        switch outcome {
        case .begun: return "A new connection with \(other) was made\(why)."
        case .reused: return "The inviter agreed to use the connection with \(other) again."
        case .existing, .opened: return "There is a connection with \(other) already; it is used."
        case .acceptedBefore: return "This invitation was accepted before; its connection with \(other) is used."
        case .requestOnly: return "The request is kept; no connection was made."
        }
    }

    private var why: String {
        guard let error = notReused else { return "" }
        let reason = TerminalText.sanitised(error.reason, limit: 200)
        return "; the one that exists was not used again (\(error.code.rawValue): \(reason))"
    }
}
