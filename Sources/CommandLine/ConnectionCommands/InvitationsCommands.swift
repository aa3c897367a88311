import Aries
import AriesRuntime
package import CommandProgram
import DIDComm
package import Terminal
import VaultCommands

/// `symbolon invite list`: the invitations that were made on a vault, oldest first.
package enum InviteListCommand {
    package static let declaration = CommandDeclaration(
        "list", "Lists the invitations made with a vault, oldest first.",
        discussion: [
            "Those that were used, have expired or were withdrawn are among them, with their state. --json has the links."
        ],
        examples: [.init("symbolon invite list ~/vault", "Shows identifiers, states and goals.")],
        options: VaultAccess.opening + [ConnectionOptions.limit.declaration],
        operands: [VaultAccess.folder.declaration])

    package static let run: Program.Body = { context in
        let limit = context.arguments[ConnectionOptions.limit] ?? 1000
        try await AgentAccess.withQuietAgent(context) { agent in
            var table = Table([
                .init("invitation"), .init("state"), .init("for"), .init("made"), .init("expires"), .init("goal"),
            ])
            try await ConnectionOptions.pages(limit) { cursor, limit in
                let page = try await agent.invitations(after: cursor, limit: limit)
                for summary in page.invitations {
                    context.reporter.event(.issuedInvitation, summary.fields)
                    table.add(summary.row)
                }
                return (page.invitations.count, page.next)
            }
            for line in table.lines(palette: context.console.palette) { context.reporter.put(line) }
        }
    }
}

/// `symbolon invite withdraw`: withdraws an invitation.
package enum InviteWithdrawCommand {
    private static let id = Operand(
        .text("INVITATION"), "The invitation's identifier, or the beginning of it.")

    package static let declaration = CommandDeclaration(
        "withdraw", "Revokes an invitation.",
        discussion: ["Connections that came from it stay. Requests that come later are refused with that reason."],
        examples: [.init("symbolon invite withdraw ~/vault INVITATION", "Ends an invitation for many.")],
        options: VaultAccess.opening, operands: [VaultAccess.folder.declaration, id.declaration])

    package static let run: Program.Body = { context in
        let word = try context.arguments.required(id)
        try await AgentAccess.withQuietAgent(context) { agent in
            let summary = try await agent.withdraw(try await Self.id(word, of: agent))
            context.reporter.event(.issuedInvitation, summary.fields)
            let shown = TerminalText.sanitised(summary.invitation.id)
            context.reporter.put("\(shown)  \(summary.standing.rawValue)")
        }
    }

    /// The identifier that a word means; the word itself where it means none.
    private static func id(_ word: String, of agent: Agent) async throws -> String {
        var ids: [String] = []
        try await ConnectionOptions.pages(.max) { cursor, limit in
            let page = try await agent.invitations(after: cursor, limit: limit)
            ids += page.invitations.map(\.invitation.id).filter { $0 == word || IdentifierPrefix.matches($0, word) }
            return (page.invitations.count, page.next)
        }
        return try IdentifierPrefix.choose(word, among: ids, of: "invitations") ?? word
    }
}

extension InvitationSummary {
    /// The fields of the event `issued-invitation`.
    var fields: [JSONText.Member] {
        InvitationLink(invitation, at: endpoint).fields + [
            .init("isMultiUse", .bool(isMultiUse)), .init("goalCode", .string(invitation.goalCode)),
            .init("goal", .string(invitation.goal)), .init("created", .string(created?.messageText)),
            .init("state", .string(standing.rawValue)),
        ]
    }

    package var row: [String] {
        let goal = invitation.goal ?? invitation.goalCode ?? ""
        return [
            invitation.id, standing.rawValue, isMultiUse ? "many" : "one", created?.messageText ?? "–",
            invitation.expires?.messageText ?? "never", TerminalText.sanitised(goal, limit: 60),
        ]
    }
}
