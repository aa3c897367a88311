import Aries
import AriesConnections
import CodedErrors
package import CommandProgram
import DIDComm
import Determinism
import JSON
package import Terminal

/// `symbolon invite create`: makes an invitation, as a link and a QR code.
package enum InviteCreateCommand {
    private static let endpoint = ValueOption(
        "endpoint", Options.address, "Where the invited side reaches you (at the mediator in use).")
    private static let kind = ValueOption(
        "kind", .choice("KIND", Aries.Invitation.Kind.allCases.map { ($0.rawValue, $0) }),
        "The specification it follows (out-of-band).")
    private static let handshake = ValueOption(
        "handshake", .choice("PROTOCOL", HandshakeOption.named),
        "A protocol to offer, most preferred first (all, the newest first).", isRepeatable: true)
    private static let service = ValueOption(
        "service", .choice("FORM", InvitationDraft.ServiceForm.allCases.map { ($0.rawValue, $0) }),
        "How it names you (inline).")
    private static let reusableKey = FlagOption(
        "reusable-key", "Uses one key for all such invitations, by which a connected wallet recognises you.")
    private static let publicDID = ValueOption(
        "public-did",
        ValueKind<DID>("DID") { (text) throws(InvalidValue) in
            guard let did = try? DID(parsing: text), text.hasPrefix("did:") else {
                throw InvalidValue("is not a DID", advice: "Write one such as did:web:example.org")
            }
            return did
        }, "Names only this DID, whose document must have your key and address.")
    private static let publicDocument = ValueOption(
        "public-document", .path("FILE"), "Writes the document of --public-did, which its owner publishes.")
    private static let request = ValueOption(
        "request", .path("FILE"), "Attaches the request in this file: a JSON message with @type.", isRepeatable: true)
    private static let multiUse = FlagOption("multi-use", "Lets more than one wallet use it.")
    private static let shortLink = FlagOption(
        "short-link", "Makes a short link, which the mediator serves, or listen at the endpoint.")
    private static let expires = ValueOption(
        "expires-in", .duration("TIME", in: .seconds(1)...(.seconds(315_360_000))),
        "How long it may be used (for ever).")
    private static let goal = ValueOption("goal", .text("TEXT"), "The purpose, in words.")
    private static let goalCode = ValueOption("goal-code", .text("CODE"), "The purpose, as a code.")

    package static let declaration = CommandDeclaration(
        "create", "Makes an invitation to connect: a link and a QR code.",
        discussion: [
            "Its key is kept in the vault before the link is shown. Answers are taken while listen runs on the same vault "
                + "and is reached at the endpoint, or later from the mediator (see mediator use). An invitation serves one "
                + "connection unless --multi-use is given.",
            "A wallet that accepts two invitations of one inviter uses one connection where it knows the inviter again: by the key "
                + "with --reusable-key, by the DID with --public-did. Others see then too that the two are of one inviter.",
            "--request attaches a request of another protocol, such as present-proof, which the other side gets with the "
                + "connection; its answer is a message on it. Requests make the link longer.",
            "While listen runs at the endpoint it serves the invitation at a short link, whose QR code is shown where that of the "
                + "link does not fit the window: to a wallet as JSON, to a browser as a page.",
            "--short-link asks the mediator to do so (shorten-url 1.0, as our cloud agent understands it), for a week at most. "
                + "The mediator sees the invitation then; invite withdraw takes the link back. A mediator that does not know "
                + "the request is named, and the invitation has its long link only.",
            "Without --json, standard output has only the link; with --short-link the short one.",
        ],
        examples: [
            .init(
                "symbolon invite create ~/vault --endpoint https://example.org",
                "Invites by out-of-band, any handshake."),
            .init("symbolon invite create ~/vault", "Invites to the mediator in use."),
            .init("symbolon invite create ~/vault --short-link", "Shows a code that fits any window."),
            .init(
                "symbolon invite create ~/vault --endpoint https://a.example --kind connections",
                "Invites an older agent."),
            .init(
                "symbolon invite create v --public-did did:web:a.test --public-document d.json",
                "Invites by a public DID, and writes its document."),
        ],
        options: VaultAccess.opening + [
            endpoint.declaration, kind.declaration, handshake.declaration, service.declaration, multiUse.declaration,
            reusableKey.declaration, publicDID.declaration, publicDocument.declaration, shortLink.declaration,
            expires.declaration,
            goal.declaration, goalCode.declaration, request.declaration, CommandAgentRunner.label.declaration,
            Options.allowPrivate.declaration, Options.qrFile.declaration,
        ],
        operands: [VaultAccess.folder.declaration])

    package static let run: Program.Body = { context in
        try QRCodeOutput.checkPicture(context.arguments[Options.qrFile])
        var configuration = CommandAgentRunner.configuration(context)
        var draft = try draft(context)
        draft.requests = try requests(context)
        let made = draft
        if let endpoint = context.arguments[endpoint] {
            configuration.endpoint = endpoint
            configuration.mediator.mode = .none
            return try await CommandAgentRunner.withQuietAgent(context, configuration) { agent in
                let link = try await invite(made, at: endpoint, by: agent, context)
                try show(link, ShortLink(link.short, expires: nil), isOwn: true, context)
            }
        }
        let wait = configuration.mediatorWait
        let quiet = try await inviteQuietly(made, configuration, context)
        if let quiet, !context.arguments[shortLink] { return try show(quiet, nil, context) }
        try await CommandAgentRunner.withWebAgent(context, configuration) { agent in
            var link = quiet
            if link == nil {
                let mediator = try await agent.mediated(within: wait)
                link = try await invite(made, at: mediator.endpoint ?? .queue, by: agent, context)
            }
            guard let link else { return }
            try show(link, context.arguments[shortLink] ? await shorten(link, by: agent, context) : nil, context)
        }
    }

    /// The time-out for the mediator to make a short link.
    private static let shortLinkWait = Duration.seconds(10)

    /// Asks the mediator for a short link; where it makes none, says why and returns nil.
    private static func shorten(
        _ link: InvitationLink, by agent: Agent, _ context: CommandContext
    ) async throws -> ShortLink? {
        do {
            guard let mediator = try await agent.mediator(),
                let connection = try await agent.connection(mediator.connection)
            else { throw AgentError(.mediatorUnknown, "No mediator is in use.") }
            return try await connection.shortLink(for: link.invitation, at: link.text, within: shortLinkWait)
        } catch let error as any CodedError where !Task.isCancelled {
            // The invitation is made, and its long link works.
            let reason = TerminalText.sanitised(error.reason, limit: 400)
            context.console.say("The mediator serves no short link: \(reason) (\(error.code.rawValue))")
            return nil
        }
    }

    /// Makes an invitation without contacting the mediator, with an unused key that it has registered; nil when there
    /// is none.
    private static func inviteQuietly(
        _ draft: InvitationDraft, _ configuration: AgentConfiguration, _ context: CommandContext
    ) async throws -> InvitationLink? {
        let made = Lock<InvitationLink?>(nil)
        try await CommandAgentRunner.withQuietAgent(context, configuration) { agent in
            guard let mediator = try await agent.mediator() else {
                throw AgentError(.mediatorUnknown, "No mediator is in use, and no --endpoint is given.")
            }
            guard let endpoint = mediator.endpoint, mediator.freeKeys > 0 else { return }
            let link = try await invite(draft, at: endpoint, by: agent, context)
            made.withLock { $0 = link }
        }
        return made.withLock { $0 }
    }

    private static func invite(
        _ draft: InvitationDraft, at endpoint: ServiceEndpoint, by agent: Agent, _ context: CommandContext
    ) async throws -> InvitationLink {
        var draft = draft
        draft.label = agent.label
        let isMultiUse = context.arguments[multiUse]
        let key: InvitationKeyChoice = context.arguments[reusableKey] ? .reusable : .fresh
        let invitation = try await agent.invite(draft, isMultiUse: isMultiUse, key: key)
        if let did = context.arguments[publicDID], let path = context.arguments[publicDocument] {
            let document = try await agent.document(of: did, for: invitation)
            try ReceivedFileWriter.replace(path, with: document.encoded)
        }
        return InvitationLink(invitation, at: endpoint)
    }

    /// Reads the requests to attach to the invitation, from the files of `--request`.
    private static func requests(_ context: CommandContext) throws -> [MessageAttachment] {
        var random = context.environment.makeRandom()
        let paths = context.arguments.all(request)
        guard paths.count <= MessageAttachment.maximumCount else {
            throw UsageError(
                .badValue, "--request is given \(paths.count) times.",
                nextStep: "Give it at most \(MessageAttachment.maximumCount) times.")
        }
        return try paths.enumerated().map { number, path in
            let message = try MessageFileReader.read(path, id: Message.makeID(from: &random))
            return MessageAttachment(
                id: "request-\(number)", mimeType: "application/json", content: .json(.object(message.object)))
        }
    }

    private static func draft(_ context: CommandContext) throws(UsageError) -> InvitationDraft {
        let arguments = context.arguments
        var draft = InvitationDraft(arguments[kind] ?? .outOfBand, label: "")
        draft.service = arguments[service] ?? .inline
        draft.goal = arguments[goal]
        draft.goalCode = arguments[goalCode]
        draft.publicDID = arguments[publicDID]
        if draft.publicDID != nil, draft.kind == .connections || arguments[service] != nil {
            throw UsageError(
                .conflict, "--public-did takes the place of --service, and is not for --kind connections.",
                nextStep: "Leave the other one out.")
        }
        if arguments[publicDocument] != nil, draft.publicDID == nil {
            throw UsageError(
                .conflict, "--public-document writes the document of --public-did, which is not given.",
                nextStep: "Add --public-did DID.")
        }
        let chosen = arguments.all(handshake)
        if draft.kind == .connections, !chosen.isEmpty {
            throw UsageError(
                .conflict, "--handshake says nothing for --kind connections, which has one protocol.",
                nextStep: "Leave one of the two out.")
        }
        if draft.kind == .connections,
            draft.service != .inline || draft.goal != nil || draft.goalCode != nil || !arguments.all(request).isEmpty
        {
            throw UsageError(
                .conflict, "--goal, --goal-code, --request and --service say nothing for --kind connections.",
                nextStep: "Leave them out, or make an invitation of --kind out-of-band.")
        }
        if !chosen.isEmpty { draft.handshakeProtocols = chosen }
        if let duration = arguments[expires] {
            let now = context.environment.wallTime().millisecondsSinceEpoch
            draft.expires = WallTime(millisecondsSinceEpoch: now + Int64(duration.inSeconds * 1000))
        }
        return draft
    }

    /// Shows the invitation: its link, its short link and a QR code.
    ///
    /// - Parameters:
    ///   - short: the short link at the mediator, or at our endpoint; nil for none.
    ///   - isOwn: whether the endpoint is ours, so that listen serves the invitation there.
    private static func show(
        _ link: InvitationLink, _ short: ShortLink?, isOwn: Bool = false, _ context: CommandContext
    ) throws {
        context.reporter.event(
            .invitationMade,
            link.fields + [
                .init("isMultiUse", .bool(context.arguments[multiUse])), .init("shortLink", .string(short?.address)),
                .init("shortLinkExpires", .string(short?.expires?.messageText)),
            ])
        guard let short else {
            context.reporter.put(link.text)
            return try QRCodeOutput.show(link: link.text, context)
        }
        let address = TerminalText.sanitised(short.address)
        guard context.arguments[shortLink] else {
            context.reporter.put(link.text)
            return try QRCodeOutput.show(
                link: link.text, orShort: address,
                remark: "While listen runs at the endpoint, this short link works too:", context)
        }
        context.reporter.put(address)
        let end = short.expires.map { "until \($0.messageText)" } ?? (isOwn ? "while listen runs" : "without an end")
        context.console.say("The short link works \(end).")
        try QRCodeOutput.show(link: address, context)
    }
}

/// The handshakes by their names in options.
enum HandshakeOption {
    static let named: [(name: String, value: MessageProtocol)] = [
        ("didexchange/1.1", .didExchange11), ("didexchange/1.0", .didExchange10), ("connections/1.0", .connections10),
    ]
}
