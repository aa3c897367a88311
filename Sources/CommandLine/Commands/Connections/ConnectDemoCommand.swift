import Aries
import AriesRuntime
import CryptoSuite
import DIDComm
import Determinism
import Terminal
import Vault

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

/// `symbolon connect demo`: two agents of this process that connect and talk over loopback.
enum ConnectDemoCommand {
    private static let handshake = ValueOption(
        "handshake", .choice("PROTOCOL", HandshakeChoice.named), "The protocol by which they connect.")

    static let declaration = CommandDeclaration(
        "demo", "Shows two agents that connect and talk, in this process.",
        discussion: [
            "Each has a vault of its own, in a temporary folder that is removed at the end. Envelopes pass from "
                + "one to the other without a network, sealed as between strangers."
        ],
        examples: [
            .init("symbolon connect demo", "Connects by DID exchange 1.1."),
            .init("symbolon connect demo --handshake connections/1.0 --json", "The older way, as JSON Lines."),
        ],
        options: [handshake.declaration, Options.json.declaration])

    static let run: Program.Body = { context in
        var random = context.environment.makeRandom()
        let name = "symbolon-connect-" + Message.makeID(from: &random)
        let folder = POSIXFile.join(FileManager.default.temporaryDirectory.path(), name)
        try ArrivingFile.makeFolder(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let post = DemoPost()
        let inviter = try await DemoParty("inviter", in: folder, by: post, context)
        do {
            let invitee = try await DemoParty("invitee", in: folder, by: post, context)
            let stage = ConnectStage(
                context: context, inviter: inviter, invitee: invitee,
                handshake: context.arguments[handshake] ?? .didExchange11)
            do {
                try await stage.play()
            } catch {
                await invitee.close()
                throw error
            }
            await invitee.close()
        } catch {
            await inviter.close()
            throw error
        }
        await inviter.close()
    }
}

/// Carries envelopes between the agents of the demonstration, without a network.
private final class DemoPost: Wire {
    private let agents = Lock<[String: Agent]>([:])

    func deliver(to agent: Agent, at endpoint: ServiceEndpoint) { agents.withLock { $0[endpoint.text] = agent } }

    func carry(
        _ envelope: [UInt8], to endpoint: ServiceEndpoint, answers: @escaping @Sendable ([UInt8]) -> Void
    ) async throws {
        guard let agent = agents.withLock({ $0[endpoint.text] }) else {
            throw AgentError(.deliveryFailed, "Nobody lives at that address.")
        }
        try await agent.receive(envelope)
    }

    func close() async {}
}

/// One side of the demonstration: a vault and an agent.
private struct DemoParty: Sendable {
    let agent: Agent
    let teller: ConnectionTeller
    let endpoint: ServiceEndpoint
    /// What the agent tells, for the play; the teller has its own.
    let events: AsyncStream<AgentEvent>
    private let vault: Vault
    private let telling: Task<Void, Never>

    init(_ name: String, in folder: String, by post: DemoPost, _ context: CommandContext) async throws {
        var random = context.environment.makeRandom()
        let key = VaultKey.keyFile(Secret(copying: random.bytes(count: 32)))
        endpoint = try ServiceEndpoint(parsing: "https://\(name).example.org")
        vault = try await Vault.create(at: POSIXFile.join(folder, name), key: key)
        var configuration = AgentConfiguration(label: name)
        configuration.endpoint = endpoint
        agent = AgentAccess.make(context, on: vault, configuration, post)
        let teller = ConnectionTeller(reporter: context.reporter, party: name)
        self.teller = teller
        let told = await agent.events()
        telling = Task { await teller.follow(told) }
        events = await agent.events()
        try await agent.start()
        post.deliver(to: agent, at: endpoint)
    }

    func close() async {
        await agent.stop()
        await telling.value
        await vault.close()
    }
}

/// Both sides of the demonstration.
private struct ConnectStage: Sendable {
    let context: CommandContext
    let inviter: DemoParty
    let invitee: DemoParty
    let handshake: MessageProtocol

    private var timekeeper: any Timekeeper { context.environment.timekeeper }

    func play() async throws {
        context.console.say(context.console.palette("Two agents connect and talk, in this process.", .bold))
        let link = try await invite()
        let start = timekeeper.now()
        let connection = try await connect(link)
        let seconds = (timekeeper.now() - start).inSeconds
        let theirs = try await wait(inviter, "connected") { event in
            if case .stage(let id, .completed, _) = event { id } else { nil }
        }
        try await say("Good morning. This is the invitee.", from: invitee, on: connection.id, to: inviter)
        try await say("Good morning. The inviter hears you.", from: inviter, on: theirs, to: invitee)
        let name = connection.handshake.description
        context.reporter.event(
            .connectDemo, [.init("protocol", .string(name)), .init("seconds", .number(seconds, places: 6))])
        context.reporter.put("connected by \(name) in \(Quantity.seconds(seconds)); a text went each way")
    }

    private func invite() async throws -> InvitationLink {
        var draft = InvitationDraft(.outOfBand, label: "inviter")
        draft.handshakeProtocols = [handshake]
        let link = InvitationLink(try await inviter.agent.invite(draft), at: inviter.endpoint)
        context.reporter.event(.invitationMade, link.fields + [.init("isMultiUse", .bool(false))])
        inviter.teller.say("I am reached at \(inviter.endpoint.text) and invite with this link:")
        context.console.say(link.text)
        return link
    }

    /// Reads the link as somebody does who was given it, and accepts.
    private func connect(_ link: InvitationLink) async throws -> Connection {
        guard case .invitation(let invitation) = try InvitationText(parsing: link.text) else {
            throw AriesError(.invitationUnrecognised, "A link of ours holds no invitation.")
        }
        invitee.teller.say("I accept it.")
        return try await invitee.agent.accept(invitation).completed()
    }

    private func say(_ text: String, from: DemoParty, on connection: String, to: DemoParty) async throws {
        let now = context.environment.wallTime()
        let message = BasicMessage(text, sent: now).message(id: await from.agent.makeID())
        from.teller.say("says:  \(text)")
        try await from.agent.send(message, on: connection)
        from.teller.message(connection, .sent, id: message.id, type: .basicMessage, text: text, time: now)
        try await wait(to, "a text") { event in
            if case .received(_, .text(let heard)) = event, heard.content == text { true } else { nil }
        }
    }

    @discardableResult
    private func wait<Value: Sendable>(
        _ party: DemoParty, _ what: String, _ match: @escaping @Sendable (AgentEvent) -> Value?
    ) async throws -> Value {
        let found = try await EventWait.first(
            in: party.events, within: .seconds(60), by: timekeeper, match)
        guard let found else {
            throw AgentError(.deliveryFailed, "Nothing came where this was waited for: \(what).")
        }
        return found
    }
}
