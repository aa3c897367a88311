import Aries
import AriesConnections
package import CommandProgram
import DIDComm
import Determinism
package import Terminal

/// `symbolon connections ping`: asks the other side for a sign of life.
package enum ConnectionsPingCommand {
    private static let count = ValueOption("count", .integer("N", in: 1...1000), "How many pings (1).")

    package static let declaration = CommandDeclaration(
        "ping", "Checks whether the other side answers, and how fast.",
        discussion: ["An answer is waited for at most --timeout (10s); without one the command fails."],
        examples: [.init("symbolon connections ping ~/vault CONNECTION --count 3", "Asks three times.")],
        options: VaultAccess.opening + [
            count.declaration, Options.allowPrivate.declaration, Options.timeout.declaration,
        ],
        operands: [VaultAccess.folder.declaration, ConnectionOptions.id.declaration])

    package static let run: Program.Body = { context in
        try await ask(context) { agent, id, limit in
            for _ in 0..<(context.arguments[count] ?? 1) {
                let seconds = try await agent.ping(id, within: limit).inSeconds
                context.reporter.event(
                    .ping, [.init("connection", .string(id)), .init("seconds", .number(seconds, places: 6))])
                context.reporter.put("answered after \(NumberText.seconds(seconds))")
            }
        }
    }
}

/// `symbolon connections features`: the protocols that the other side supports.
package enum ConnectionsFeaturesCommand {
    private static let pattern = ValueOption(
        "match", .text("PATTERN"), "Which protocols are asked for; * at the end is anything (all).")

    package static let declaration = CommandDeclaration(
        "features", "Asks the other side which protocols it supports.",
        discussion: ["Answered is what the other side wants to tell; it proves nothing."],
        examples: [.init("symbolon connections features ~/vault CONNECTION", "Lists its protocols.")],
        options: VaultAccess.opening + [
            pattern.declaration, Options.allowPrivate.declaration, Options.timeout.declaration,
        ],
        operands: [VaultAccess.folder.declaration, ConnectionOptions.id.declaration])

    package static let run: Program.Body = { context in
        try await ask(context) { agent, id, limit in
            let list = try await agent.features(of: id, matching: context.arguments[pattern] ?? "*", within: limit)
            let names = list.features.map(\.protocol.description)
            context.reporter.event(
                .features,
                [.init("connection", .string(id)), .init("protocols", .array(names.map { .string($0) }))])
            for feature in list.features {
                let roles = TerminalText.sanitised(feature.roles.joined(separator: ", "))
                let name = TerminalText.sanitised(feature.protocol.description)
                context.reporter.put(roles.isEmpty ? name : "\(name)  \(roles)")
            }
        }
    }
}

/// `symbolon connections rotate`: changes our DID and key of a connection.
package enum ConnectionsRotateCommand {
    package static let declaration = CommandDeclaration(
        "rotate", "Replaces your DID and key in a connection.",
        discussion: [
            "The new DID is announced once, and the answer is awaited for at most --timeout (10s). Without one the command "
                + "ends with the status 0, and the change goes on: messages go by the old DID, both DIDs count until the "
                + "other side answers and seven days after that, and connections list shows “rotating”. Run the command "
                + "again to wait again. Not every agent can follow; one that refuses keeps the old DID.",
            "The connection with the mediator keeps its DID.",
        ],
        examples: [.init("symbolon connections rotate ~/vault CONNECTION", "Shows our new DID.")],
        options: VaultAccess.opening + [
            CommandAgentRunner.endpoint.declaration, CommandAgentRunner.form.declaration,
            Options.allowPrivate.declaration,
            Options.timeout.declaration,
        ],
        operands: [VaultAccess.folder.declaration, ConnectionOptions.id.declaration])

    package static let run: Program.Body = { context in
        try await ask(context) { agent, id, limit in
            let rotation = try await agent.rotate(id, within: limit)
            context.reporter.put(rotation.did.shownText)
            guard !rotation.isAcknowledged else { return }
            ConnectionReporter(reporter: context.reporter).rotated(
                id, rotation.did.text, isOurs: true, isAcknowledged: false)
        }
    }
}

/// Opens the agent and finds the connection that the arguments name; `body` gets both and the longest wait.
private func ask(
    _ context: CommandContext, _ body: @Sendable (Agent, String, Duration) async throws -> Void
) async throws {
    let word = try context.arguments.required(ConnectionOptions.id)
    let limit = context.arguments[Options.timeout] ?? .seconds(10)
    try await CommandAgentRunner.withWebAgent(context, CommandAgentRunner.configuration(context)) { agent in
        try await body(agent, try await CommandAgentRunner.connection(word, of: agent).id, limit)
    }
}
