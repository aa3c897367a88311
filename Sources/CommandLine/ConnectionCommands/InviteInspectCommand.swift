import Aries
import AriesConnections
package import CommandProgram
import DIDComm
import Determinism
package import Terminal

/// `symbolon invite inspect TEXT|FILE|-`: describes an invitation and the effect of accepting it.
package enum InviteInspectCommand {
    private static let vault = ValueOption(
        "vault", .path("VAULT"), "A vault, whose connections tell whether the inviter is known.")
    private static let fetch = FlagOption("fetch", "Fetches what a short link leads to, and the document of a did:web.")

    package static let declaration = CommandDeclaration(
        "inspect", "Shows the sender of an invitation, and the effect of accepting it.",
        discussion: [
            "It reads links with c_i, oob, d_m or m in them, base64 with or without padding, and JSON, of connections 1.0 and "
                + "out-of-band 1.x. Nothing is sent, and nothing is fetched without --fetch: a short link is named as one.",
            "The document of a DID is looked for as invite accept does: --did-document, --resolver, and with --fetch the host of "
                + "a did:web. What accepting would refuse is refused here with the same code.",
            "Label, goal and picture are the inviter's words; they prove nothing.",
        ],
        examples: [
            .init(#"symbolon invite inspect "https://example.org/ssi?oob=eyJ…""#, "Explains a link."),
            .init("symbolon invite inspect invitation.json --json", "Explains a file, as JSON Lines."),
            .init("symbolon invite inspect https://example.org/s/1 --fetch", "Fetches a short link and explains it."),
        ],
        options: [fetch.declaration, vault.declaration] + DIDDocumentSource.options + VaultAccess.opening + [
            Options.allowPrivate.declaration, InvitationSource.allowHTTP.declaration,
        ],
        operands: [InvitationSource.text.declaration])

    package static let run: Program.Body = { context in
        let text = try await InvitationSource.read(context)
        guard case .shortLink(let address) = text else { return try await report(text, context) }
        context.reporter.event(.shortLink, [.init("address", .string(address))])
        guard context.arguments[fetch] else {
            context.reporter.put("A short link: the invitation has to be fetched from " + shown(address))
            return
        }
        try await report(try await InvitationSource.fetch(address, context), context)
    }

    private static func report(_ text: InvitationText, _ context: CommandContext) async throws {
        switch text {
        case .invitation(let invitation):
            let inspection = try await inspection(of: invitation, context)
            context.reporter.event(.connectionInvitation, inspection.fields)
            for line in inspection.lines { context.reporter.put(line) }
            if let problem = inspection.problem { throw problem }
        case .request(let message):
            context.reporter.event(
                .attachedRequest, [.init("id", .string(message.id)), .init("type", .string(message.type.description))])
            context.reporter.put(
                "A request without a connection: " + shown(message.type.description))
        case .shortLink: break
        }
    }

    private static func inspection(
        of invitation: Aries.Invitation, _ context: CommandContext
    ) async throws -> InvitationInspection {
        let plan = try await plan(for: invitation, context)
        let source = try DIDDocumentSource(context)
        let services = await source.services(
            of: invitation, fetches: context.arguments[fetch] || source.hasResolver, context.environment.clock)
        return InvitationInspection(invitation, plan: plan, services: services)
    }

    /// The effect of accepting, given the connections of the vault if there is one.
    private static func plan(
        for invitation: Aries.Invitation, _ context: CommandContext
    ) async throws -> Result<InvitationAcceptancePlan, AriesError> {
        let now = context.environment.wallTime()
        func planned() -> Result<InvitationAcceptancePlan, AriesError> {
            Result { () throws(AriesError) in try InvitationAcceptancePlan(invitation, known: [], now: now) }
        }
        guard let vault = context.arguments[vault] else { return planned() }
        let found = Lock<Result<InvitationAcceptancePlan, AriesError>?>(nil)
        try await CommandAgentRunner.withQuietAgent(context, vault: vault) { agent in
            let plan: Result<InvitationAcceptancePlan, AriesError>
            do { plan = .success(try await agent.plan(for: invitation)) } catch let error as AriesError {
                plan = .failure(error)
            }
            found.withLock { $0 = plan }
        }
        return found.withLock { $0 } ?? planned()
    }

    /// Untrusted text, sanitised for a terminal.
    package static func shown(_ text: String) -> String { TerminalText.sanitised(text) }
}
