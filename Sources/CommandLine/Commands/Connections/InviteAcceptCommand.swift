import Aries
import AriesRuntime
import DIDComm
import Determinism
import Terminal

/// `symbolon invite accept`: connects to whoever made an invitation.
enum InviteAcceptCommand {
    static let text = Operand(
        ValueKind<String>("TEXT|FILE|-", completesFiles: true) { (text) throws(ValueComplaint) in text },
        "The link or text itself, a file, or - for standard input.")
    private static let name = ValueOption("name", .text("NAME"), "What we call the connection.")

    static let declaration = CommandDeclaration(
        "accept", "Accepts an invitation and waits until both sides are connected.",
        discussion: [
            "The inviter answers on the connections that this command opens, so no address of our own is needed. Whoever is "
                + "not connected within --timeout (1m) is given up, with the reason; nothing else changes.",
            "With --endpoint the inviter is told an address for later: that of listen on the same vault.",
            "Without --json, standard output has the connection's identifier alone.",
        ],
        examples: [
            .init(#"symbolon invite accept ~/vault "https://example.org/ssi?oob=eyJ…""#, "Connects by a link."),
            .init("symbolon invite accept ~/vault invitation.json --name Bank", "Connects, and names the connection."),
        ],
        options: VaultAccess.opening + [
            name.declaration, AgentAccess.endpoint.declaration, AgentAccess.label.declaration,
            AgentAccess.allowPrivate.declaration, Options.timeout.declaration, Options.json.declaration,
        ],
        operands: [VaultAccess.folder.declaration, text.declaration])

    static let run: Program.Body = { context in
        let invitation = try await read(context)
        var configuration = AgentAccess.configuration(context)
        configuration.policy.giveUpAfter = context.arguments[Options.timeout] ?? .seconds(60)
        try await AgentAccess.withWebAgent(context, configuration) { agent in
            try await accept(invitation, by: agent, context)
        }
    }

    static func read(_ context: CommandContext) async throws -> Aries.Invitation {
        let bytes = try await contents(try context.arguments.required(text), context)
        switch try InvitationText(parsing: String(decoding: bytes, as: UTF8.self)) {
        case .invitation(let invitation):
            guard invitation.offersHandshake else {
                throw AriesError(.handshakeUnsupported, "The invitation asks for something and offers no connection.")
            }
            return invitation
        case .request:
            throw AriesError(.handshakeUnsupported, "The text is a request that stands alone and offers no connection.")
        case .shortLink:
            throw AriesError(
                .invitationUnrecognised,
                "The link holds no invitation itself; open it and copy the address that it leads to.")
        }
    }

    /// Standard input, a file if there is one of that name, else the text itself.
    private static func contents(_ name: String, _ context: CommandContext) async throws -> [UInt8] {
        if name == "-" { return try await context.standardInput(limit: InvitationText.maximumBytes) }
        guard !name.utf8.contains(0), name.utf8.count < 4096, POSIXFile.exists(name) else { return Array(name.utf8) }
        return try BoundedFile.read(name, limit: InvitationText.maximumBytes)
    }

    private static func accept(
        _ invitation: Aries.Invitation, by agent: Agent, _ context: CommandContext
    ) async throws {
        let teller = ConnectionTeller(reporter: context.reporter)
        let begun = try await agent.accept(invitation, name: context.arguments[name])
        switch begun.outcome {
        case .begun: break
        case .acceptedBefore: teller.say("This invitation was accepted before.")
        default: teller.say("There is a connection with this inviter already.")
        }
        _ = try await begun.completed()
        if try await !agent.settled(within: .seconds(10)) {
            teller.say("The last message is not delivered yet; it goes with the next command.")
        }
        let summary = try await AgentAccess.connection(begun.id, of: agent)
        context.reporter.event(.connection, summary.fields)
        context.reporter.put(summary.id)
    }
}
