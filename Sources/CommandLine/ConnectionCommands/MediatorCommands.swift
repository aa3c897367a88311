import Aries
import AriesConnections
package import CommandProgram
import DIDComm
import Determinism
package import Terminal

/// `symbolon mediator use`: has a mediator take our messages.
package enum MediatorUseCommand {
    package static let declaration = CommandDeclaration(
        "use", "Connects with a mediator, which then keeps your messages.",
        discussion: [
            "New connections and invitations are reached at the mediator from then on, each by a key of its own that the "
                + "mediator knows before anybody else. It keeps messages while nothing runs here; listen and the other "
                + "commands that connect fetch them. The same invitation again asks again, on a new connection where the mediator "
                + "does not repeat its answer on the first, or grants there and confirms no key. "
                + "A short link is fetched first.",
            "Without --json, standard output has only the mediator's address.",
        ],
        examples: [
            .init(#"symbolon mediator use ~/vault "https://mediator.example?oob=eyJ…""#, "Uses a mediator by a link.")
        ],
        options: VaultAccess.opening + [
            CommandAgentRunner.label.declaration, Options.allowPrivate.declaration,
            InvitationSource.allowHTTP.declaration,
            Options.timeout.declaration,
        ],
        operands: [VaultAccess.folder.declaration, InvitationSource.text.declaration])

    /// The time to wait for the mediator to confirm the first key; after it the mediator is pinged.
    private static let keyWait = Duration.seconds(4)

    /// Connects and asks for mediation; connects anew where the mediator does not continue the connection of an
    /// earlier request.
    private static func use(
        _ invitation: Aries.Invitation, _ timeout: Duration, by agent: Agent, _ context: CommandContext
    ) async throws -> MediationClientSummary {
        try await connect(invitation, timeout, by: agent, context)
        let cause: AriesError
        do {
            let mediator = try await mediated(within: timeout, by: agent, context.environment.clock)
            if let mediator { return mediator }
            cause = AriesError(
                .mediationRefused, "The mediator granted, and answers, but does not confirm keys on this connection.")
        } catch let error as AriesError where error.code == .rejected {
            // It knows the earlier request, and does not repeat its answer.
            cause = error
        }
        // Nothing of ours is reached through it, and it is not waited for.
        try await agent.leaveMediator(isForced: true, within: .zero)
        let reason = TerminalText.sanitised(cause.reason, limit: 400)
        context.console.say("\(reason) A new connection with the mediator is made.")
        do {
            try await connect(invitation, timeout, by: agent, context)
        } catch  where !Task.isCancelled {
            // An invitation for one connection alone is used up.
            throw cause
        }
        return try await agent.mediated(within: timeout)
    }

    /// Waits for the grant and a confirmed key; nil when the mediator grants, but then answers pings only.
    ///
    /// ACA-Py keeps two records of two requests that come at a time, such as those of a command that was killed and of
    /// the next, and answers nothing about the keys of a connection with two.
    private static func mediated(
        within timeout: Duration, by agent: Agent, _ clock: any MonotonicClock
    ) async throws -> MediationClientSummary? {
        guard timeout > keyWait else { return try await agent.mediated(within: timeout) }
        let begin = clock.now()
        do {
            return try await agent.mediated(within: keyWait)
        } catch let error as AgentError where error.code == .mediatorUnreachable {
            if try await confirmsNoKey(agent) { return nil }
        }
        return try await agent.mediated(within: max(.zero, timeout - (clock.now() - begin)))
    }

    private static func confirmsNoKey(_ agent: Agent) async throws -> Bool {
        func isKeyless() async throws -> Bool {
            guard let mediator = try await agent.mediator() else { return false }
            return mediator.stage == .granted && mediator.freeKeys == 0 && mediator.usedKeys == 0
        }
        guard try await isKeyless(), let id = try await agent.mediator()?.connection else { return false }
        do {
            _ = try await agent.ping(id, within: keyWait)
        } catch  where !Task.isCancelled {
            return false
        }
        return try await isKeyless()
    }

    /// Connects with the mediator; after a failure, deletes the connection unless a late answer can still arrive.
    private static func connect(
        _ invitation: Aries.Invitation, _ timeout: Duration, by agent: Agent, _ context: CommandContext
    ) async throws {
        try await forgetUnfinished(by: agent)
        let connection = try await agent.useMediator(invitation)
        do {
            try await CommandAgentRunner.wait(for: connection, timeout, isMediator: true, by: agent, context)
        } catch {
            if !Task.isCancelled, try await agent.summary(of: connection.id)?.takesLateAnswers == false {
                try await agent.leaveMediator(isForced: true)
            }
            guard let late = error as? AriesError, late.code == .timeout else { throw error }
            throw AgentError(
                .mediatorUnreachable, "The mediator did not answer the request for a connection within \(timeout).")
        }
    }

    /// Deletes a connection with a mediator that an earlier command left unfinished: its answer cannot arrive, and
    /// some mediators take a repeated request for that of another wallet.
    private static func forgetUnfinished(by agent: Agent) async throws {
        guard let mediator = try await agent.mediator(), mediator.stage == .connecting,
            let connection = try await agent.summary(of: mediator.connection), connection.stage != .completed,
            !connection.takesLateAnswers
        else { return }
        try await agent.leaveMediator(isForced: true)
    }

    package static let run: Program.Body = { context in
        let invitation = try await InvitationSource.invitation(context)
        let timeout = context.arguments[Options.timeout] ?? .seconds(60)
        try await CommandAgentRunner.withWebAgent(context, CommandAgentRunner.configuration(context)) { agent in
            let mediator = try await use(invitation, timeout, by: agent, context)
            context.reporter.event(.mediator, mediator.fields)
            context.reporter.put(mediator.endpoint?.text ?? "")
        }
    }
}

/// `symbolon mediator show`: the mediator in use.
package enum MediatorShowCommand {
    package static let declaration = CommandDeclaration(
        "show", "Shows the mediator in use, without contacting it.",
        examples: [.init("symbolon mediator show ~/vault", "Shows its address, and how many keys it knows.")],
        options: VaultAccess.opening,
        operands: [VaultAccess.folder.declaration])

    package static let run: Program.Body = { context in
        try await CommandAgentRunner.withQuietAgent(context) { agent in
            guard let mediator = try await agent.mediator() else {
                throw AgentError(.mediatorUnknown, "No mediator is in use.")
            }
            context.reporter.event(.mediator, mediator.fields)
            for (label, value) in rows(mediator) {
                context.reporter.put(TerminalText.padded(label, to: 12) + TerminalText.sanitised(value, limit: 4096))
            }
        }
    }

    private static func rows(_ mediator: MediationClientSummary) -> [(String, String)] {
        let known: [(String, String?)] = [
            ("connection", mediator.connection), ("label", mediator.label), ("state", mediator.stage.rawValue),
            ("address", mediator.endpoint?.text), ("socket", mediator.socket?.text),
            ("fetched by", mediator.flavour.rawValue), ("used keys", "\(mediator.usedKeys)"),
            ("free keys", "\(mediator.freeKeys)"), ("kept aside", "\(mediator.quarantined)"),
            ("given up", mediator.failure.map { "\($0)" }),
        ]
        return known.compactMap { label, value in value.map { (label, $0) } }
    }
}

/// `symbolon mediator leave`: removes our keys from the mediator and forgets it.
package enum MediatorLeaveCommand {
    private static let force = FlagOption("force", "Also when connections are still reached through it.")

    package static let declaration = CommandDeclaration(
        "leave", "Removes your keys from the mediator and stops using it.",
        discussion: [
            "A peer that knows only the mediator's address does not reach us any more, so this is refused while connections or "
                + "invitations use it, unless --force is given. A mediator that does not answer is forgotten all the same."
        ],
        examples: [.init("symbolon mediator leave ~/vault --force", "Leaves it, whatever is reached through it.")],
        options: VaultAccess.opening + [
            force.declaration, Options.allowPrivate.declaration, Options.timeout.declaration,
        ],
        operands: [VaultAccess.folder.declaration])

    package static let run: Program.Body = { context in
        try await CommandAgentRunner.withWebAgent(context, CommandAgentRunner.configuration(context)) { agent in
            let isConfirmed = try await agent.leaveMediator(
                isForced: context.arguments[force], within: context.arguments[Options.timeout] ?? .seconds(10))
            context.reporter.event(.mediatorLeft, [.init("isConfirmed", .bool(isConfirmed))])
            context.console.say(
                isConfirmed
                    ? "The mediator has forgotten our keys."
                    : "The mediator did not confirm it; it is forgotten here, and may still keep messages.")
        }
    }
}

extension MediationClientSummary {
    /// The fields of the event `mediator`.
    var fields: [JSONText.Member] {
        [
            .init("connection", .string(connection)), .init("label", .string(label)),
            .init("stage", .string(stage.rawValue)),
            .init("endpoint", .string(endpoint?.text)), .init("socket", .string(socket?.text)),
            .init("pickup", .string(flavour.rawValue)), .init("isLive", .bool(isLive)),
            .init("usedKeys", .integer(usedKeys)), .init("freeKeys", .integer(freeKeys)),
            .init("quarantined", .integer(quarantined)), .init("code", .string(failure?.code.rawValue)),
        ]
    }
}

extension ConnectionReporter {
    /// Reports an event of the mediator, except those that users need not see.
    func report(_ news: MediationClientEvent) {
        reporter.event(.mediatorNews, news.fields)
        switch news {
        case .stage(_, let stage): say("mediator  \(Self.words(for: stage))")
        case .problem(let code, let reason, _):
            say("mediator  \(TerminalText.sanitised(reason, limit: 400)) (\(code))")
        case .socket(let isOpen):
            say("mediator  \(isOpen ? "is connected and sends messages as they come" : "is not connected")")
        case .left: say("mediator  was left by another command; nothing more is fetched from it")
        case .caughtUp: break
        case .quarantined(let code, _): say("mediator  a message cannot be decrypted and is quarantined (\(code))")
        }
    }

    private static func words(for stage: MediatorUse.Stage) -> String {
        switch stage {
        case .connecting: "is being connected"
        case .asking: "was asked for mediation"
        case .granted: "takes messages for us"
        case .denied: "does not take messages for us"
        }
    }
}

extension MediationClientEvent {
    /// The fields of the event `mediator-news`.
    var fields: [JSONText.Member] {
        var (what, stage, code, reason): (String, String?, String?, String?) = ("", nil, nil, nil)
        var (retry, isOpen, remaining): (JSONText, JSONText, JSONText) = (.null, .null, .null)
        switch self {
        case .stage(_, let reached): (what, stage) = ("stage", reached.rawValue)
        case .left: what = "left"
        case .problem(let cause, let words, let wait):
            what = "problem"
            code = cause
            reason = words
            if let wait { retry = .number(wait.inSeconds) }
        case .socket(let open): (what, isOpen) = ("line", .bool(open))
        case .caughtUp(let left): (what, remaining) = ("caught-up", .integer(left))
        case .quarantined(let cause, let words): (what, code, reason) = ("quarantined", cause, words)
        }
        return [
            .init("what", .string(what)), .init("stage", .string(stage)), .init("code", .string(code)),
            .init("reason", .string(reason)), .init("retryInSeconds", retry), .init("isOpen", isOpen),
            .init("remaining", remaining),
        ]
    }
}
