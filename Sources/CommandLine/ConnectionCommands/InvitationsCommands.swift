import Aries
import AriesConnections
import CodedErrors
package import CommandProgram
import DIDComm
import Determinism
package import Terminal

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
        try await CommandAgentRunner.withQuietAgent(context) { agent in
            var table = TextTable([
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

/// `symbolon invite show`: an invitation with its link, as when it was made.
package enum InviteShowCommand {
    package static let declaration = CommandDeclaration(
        "show", "Shows an invitation again, with its link and QR code.",
        discussion: [
            "Standard output has the link. One that is no longer open is shown without a QR code, because requests for it "
                + "are refused."
        ],
        examples: [.init("symbolon invite show ~/vault INVITATION", "Shows the link and its QR code.")],
        options: VaultAccess.opening + [Options.qrFile.declaration],
        operands: [VaultAccess.folder.declaration, InvitationArgument.id.declaration])

    package static let run: Program.Body = { context in
        let word = try context.arguments.required(InvitationArgument.id)
        try QRCodeOutput.checkPicture(context.arguments[Options.qrFile])
        try await CommandAgentRunner.withQuietAgent(context) { agent in
            let summary = try await InvitationArgument.invitation(word, of: agent)
            context.reporter.event(.issuedInvitation, summary.fields)
            let link = summary.shortLink ?? InvitationLink(summary.invitation, at: summary.endpoint).text
            context.reporter.put(TerminalText.sanitised(link, limit: 1 << 20))
            context.console.say("state: \(summary.standing.rawValue), for \(summary.isMultiUse ? "many" : "one")")
            guard summary.standing == .open else { return }
            try QRCodeOutput.show(link: link, context)
        }
    }
}

/// The argument that names an invitation, and the search for it.
private enum InvitationArgument {
    static let id = Operand(.text("INVITATION"), "The invitation's identifier, or the beginning of it.")

    /// Finds the invitation that a word of the command line names.
    ///
    /// - Throws: `agent.invitation.unknown` where it means none.
    static func invitation(_ word: String, of agent: Agent) async throws -> InvitationSummary {
        var found: [InvitationSummary] = []
        try await ConnectionOptions.pages(.max) { cursor, limit in
            let page = try await agent.invitations(after: cursor, limit: limit)
            found += page.invitations.filter {
                $0.invitation.id == word || IdentifierPrefix.matches($0.invitation.id, word)
            }
            return (page.invitations.count, page.next)
        }
        let id = try IdentifierPrefix.choose(word, among: found.map(\.invitation.id), of: "invitations")
        guard let invitation = found.first(where: { $0.invitation.id == id }) else {
            throw AgentError(.invitationUnknown, "The vault has no invitation of that name.")
        }
        return invitation
    }
}

/// `symbolon invite withdraw`: withdraws an invitation.
package enum InviteWithdrawCommand {
    package static let declaration = CommandDeclaration(
        "withdraw", "Revokes an invitation.",
        discussion: [
            "Connections that came from it stay. Requests that come later are refused with that reason. A mediator that serves the "
                + "invitation at a short link is asked to do so no longer; where it is not reached, the link ends by its time."
        ],
        examples: [.init("symbolon invite withdraw ~/vault INVITATION", "Ends an invitation for many.")],
        options: VaultAccess.opening + [Options.allowPrivate.declaration],
        operands: [VaultAccess.folder.declaration, InvitationArgument.id.declaration])

    /// The time-out for the mediator to remove a short link.
    private static let shortLinkWait = Duration.seconds(5)

    package static let run: Program.Body = { context in
        let word = try context.arguments.required(InvitationArgument.id)
        let short = Lock<String?>(nil)
        try await CommandAgentRunner.withQuietAgent(context) { agent in
            let summary = try await agent.withdraw(
                try await InvitationArgument.invitation(word, of: agent).invitation.id)
            context.reporter.event(.issuedInvitation, summary.fields)
            let shown = TerminalText.sanitised(summary.invitation.id)
            context.reporter.put("\(shown)  \(summary.standing.rawValue)")
            if try await agent.mediator() != nil { short.withLock { $0 = summary.shortLink } }
        }
        if let short = short.withLock({ $0 }) { try await remove(short, context) }
    }

    /// Has the mediator serve a short link no longer; the invitation is withdrawn in any case.
    private static func remove(_ short: String, _ context: CommandContext) async throws {
        try await CommandAgentRunner.withWebAgent(context, CommandAgentRunner.configuration(context)) { agent in
            guard let mediator = try await agent.mediator(),
                let connection = try await agent.connection(mediator.connection)
            else { return }
            do {
                try await connection.removeShortLink(short, within: shortLinkWait)
                context.console.say("The mediator serves its short link no longer.")
            } catch let error as any CodedError where !Task.isCancelled {
                let reason = TerminalText.sanitised(error.reason, limit: 400)
                context.console.say("The mediator did not take the short link back: \(reason) (\(error.code.rawValue))")
            }
        }
    }
}

extension InvitationSummary {
    /// The fields of the event `issued-invitation`.
    var fields: [JSONText.Member] {
        InvitationLink(invitation, at: endpoint).fields + [
            .init("isMultiUse", .bool(isMultiUse)), .init("goalCode", .string(invitation.goalCode)),
            .init("goal", .string(invitation.goal)), .init("created", .string(created?.messageText)),
            .init("state", .string(standing.rawValue)), .init("shortLink", .string(shortLink)),
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
