import AriesConnections
package import CommandProgram
package import Terminal

/// `symbolon connections delete`: informs the other side, and deletes a connection with its keys and messages.
package enum ConnectionsDeleteCommand {
    package static let declaration = CommandDeclaration(
        "delete", "Ends a connection and deletes its keys and messages.",
        discussion: [
            "The other side is notified, for at most --timeout (5s), unless --silent is given. On a terminal it asks first; --yes "
                + "answers. What is deleted cannot be brought back."
        ],
        examples: [.init("symbolon connections delete ~/vault CONNECTION --yes", "Deletes it without asking.")],
        options: VaultAccess.opening + [
            yes.declaration, silent.declaration, Options.allowPrivate.declaration, Options.timeout.declaration,
        ],
        operands: [VaultAccess.folder.declaration, ConnectionOptions.id.declaration])

    private static let yes = FlagOption("yes", "Answers the question.")
    private static let silent = FlagOption("silent", "Does not tell the other side.")

    package static let run: Program.Body = { context in
        let word = try context.arguments.required(ConnectionOptions.id)
        let isSilent = context.arguments[silent]
        let delete: @Sendable (Agent) async throws -> Void = { agent in
            let summary = try await CommandAgentRunner.connection(word, of: agent)
            let id = summary.id
            guard try await isWanted(summary, context) else {
                return context.console.say("Nothing was deleted.")
            }
            var isInformed = false
            if isSilent {
                try await agent.remove(id)
            } else {
                isInformed = try await agent.hangUp(id, within: context.arguments[Options.timeout] ?? .seconds(5))
            }
            context.reporter.event(
                .connectionDeleted, [.init("connection", .string(id)), .init("isTold", .bool(isInformed))])
            context.reporter.put("\(id)  deleted")
            if !isSilent, !isInformed, summary.connection != nil { context.console.say("The other side was not told.") }
        }
        if isSilent {
            return try await CommandAgentRunner.withQuietAgent(
                context, CommandAgentRunner.configuration(context), delete)
        }
        try await CommandAgentRunner.withWebAgent(context, CommandAgentRunner.configuration(context), delete)
    }

    private static func isWanted(_ summary: ConnectionSummary, _ context: CommandContext) async throws -> Bool {
        if context.arguments[yes] { return true }
        guard context.console.canAsk else {
            throw UsageError(
                .missingOption, "There is no terminal on which to ask.", nextStep: "Add --yes to delete the connection."
            )
        }
        return await context.console.ask("Delete “\(summary.shownName)”?", fallback: false) ?? false
    }
}
