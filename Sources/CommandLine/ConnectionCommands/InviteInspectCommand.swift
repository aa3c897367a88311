import Aries
import AriesRuntime
package import CommandProgram
import DIDComm
import Determinism
package import Terminal
import VaultCommands

/// `symbolon invite inspect TEXT|FILE|-`: says what an invitation is and what accepting it would do.
package enum InviteInspectCommand {
    private static let vault = ValueOption(
        "vault", .path("VAULT"), "A vault, whose connections tell whether the inviter is known.")
    private static let fetch = FlagOption("fetch", "Fetches what a short link leads to.")

    package static let declaration = CommandDeclaration(
        "inspect", "Shows the sender of an invitation, and the effect of accepting it.",
        discussion: [
            "Read are links with c_i, oob, d_m or m in them, base64 with or without padding, and JSON, of connections 1.0 and "
                + "out-of-band 1.x. Nothing is sent, and nothing is fetched without --fetch: a short link is named as one.",
            "Label, goal and picture are the inviter's words; they prove nothing.",
        ],
        examples: [
            .init(#"symbolon invite inspect "https://example.org/ssi?oob=eyJ…""#, "Explains a link."),
            .init("symbolon invite inspect invitation.json --json", "Explains a file, as JSON Lines."),
            .init("symbolon invite inspect https://example.org/s/1 --fetch", "Fetches a short link and explains it."),
        ],
        options: [fetch.declaration, vault.declaration] + VaultAccess.opening + [
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
                "A request that stands alone and makes no connection: " + shown(message.type.description))
        case .shortLink: break
        }
    }

    private static func inspection(
        of invitation: Aries.Invitation, _ context: CommandContext
    ) async throws -> InvitationInspection {
        guard let vault = context.arguments[vault] else {
            return InvitationInspection(invitation, now: context.environment.wallTime())
        }
        let found = Lock<InvitationInspection?>(nil)
        try await AgentAccess.withQuietAgent(context, vault: vault) { agent in
            let plan: Result<AcceptancePlan, AriesError>
            do { plan = .success(try await agent.plan(for: invitation)) } catch let error as AriesError {
                plan = .failure(error)
            }
            found.withLock { $0 = InvitationInspection(invitation, plan: plan) }
        }
        return found.withLock { $0 } ?? InvitationInspection(invitation, now: context.environment.wallTime())
    }

    /// Untrusted text, sanitised for a terminal.
    package static func shown(_ text: String) -> String { TerminalText.sanitised(text) }
}
