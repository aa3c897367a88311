import Aries
import AriesConnections
package import CommandProgram
import DIDComm
import Determinism
package import Terminal

/// `symbolon messages watch`: shows the messages of both sides as they come.
package enum MessagesWatchCommand {
    private static let connection = Operand(
        .text("CONNECTION"), "The name or identifier of one connection; all of them if not given.", arity: .optional)
    private static let duration = ValueOption(
        "for", .duration("TIME", in: .milliseconds(1)...(.seconds(31_536_000))),
        "How long to watch (until interrupted).")

    /// The interval at which the vault is polled.
    static let interval = Duration.milliseconds(500)

    package static let declaration = CommandDeclaration(
        "watch", "Shows messages as they arrive and leave, until interrupted.",
        discussion: [
            "Shown are the messages that any command stores in the vault from now on, such as listen. What waits to be sent "
                + "is sent meanwhile, and what comes back is taken."
        ],
        examples: [
            .init("symbolon messages watch ~/vault", "Follows all connections."),
            .init("symbolon messages watch ~/vault CONNECTION --for 1h --json", "Follows one for an hour."),
        ],
        options: VaultAccess.opening + [
            duration.declaration, Options.allowPrivate.declaration,
        ],
        operands: [VaultAccess.folder.declaration, connection.declaration])

    package static let run: Program.Body = { context in
        let word = context.arguments[connection]
        let clock = context.environment.clock
        var configuration = CommandAgentRunner.configuration(context)
        configuration.mediator.pollEvery = .seconds(2)
        try await CommandAgentRunner.withWebAgent(context, configuration, reportsMessages: false) { agent in
            let id: String? =
                if let word { try await CommandAgentRunner.connection(word, of: agent).id } else { nil }
            var follower = MessageFollower(connection: id)
            _ = try await follower.next(from: agent)
            context.console.say("Watching. Press Ctrl-C to stop.")
            let end = context.arguments[duration].map { clock.now() + $0 }
            while true {
                for message in try await follower.next(from: agent) {
                    MessagesListCommand.show(message, context, withConnection: id == nil)
                }
                let now = clock.now()
                if let end, now >= end { return }
                try await clock.wait(until: min(end ?? now + interval, now + interval))
            }
        }
    }
}
