import Aries
import AriesConnections
package import CommandProgram
import CryptoSuite
import DIDComm
import Determinism
package import Terminal
import Vault
import WebAddressing
import WebTransport

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

/// `symbolon connect demo`: two agents of this process that connect and talk over loopback.
package enum ConnectDemoCommand {
    private static let handshake = ValueOption(
        "handshake", .choice("PROTOCOL", HandshakeOption.named), "The protocol by which they connect.")
    private static let socket = FlagOption("web-socket", "Sends by WebSocket instead of HTTP.")

    package static let declaration = CommandDeclaration(
        "demo", "Demonstrates two agents that connect and exchange messages.",
        discussion: [
            "Each has a vault of its own, in a temporary folder that is removed at the end, and listens on a port of this "
                + "machine. Everything that crosses is a sealed envelope, as between strangers."
        ],
        examples: [
            .init("symbolon connect demo", "Connects by DID exchange 1.1."),
            .init("symbolon connect demo --handshake connections/1.0 --json", "The older way, as JSON Lines."),
        ],
        options: [handshake.declaration, socket.declaration])

    package static let run: Program.Body = { context in
        var random = context.environment.makeRandom()
        let name = "symbolon-connect-" + Message.makeID(from: &random)
        let folder = POSIXFile.join(FileManager.default.temporaryDirectory.path(), name)
        try ReceivedFileWriter.makeFolder(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let scheme = context.arguments[socket] ? "ws" : "http"
        let inviter = try await DemoParty("inviter", in: folder, scheme: scheme, context)
        do {
            let invitee = try await DemoParty("invitee", in: folder, scheme: scheme, context)
            let stage = ConnectDemoParties(
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
        stageIsOver(context)
    }

    private static func stageIsOver(_ context: CommandContext) {
        context.console.say("Both vaults are removed.")
    }
}

/// One side of the demonstration: a vault, an endpoint, and an agent.
private struct DemoParty: Sendable {
    let agent: Agent
    let reporter: ConnectionReporter
    let endpoint: ServiceEndpoint
    /// The events of this side's agent that the demonstration waits for; the reporter reads a second stream.
    let events: AsyncStream<AgentEvent>
    private let door: AgentHTTPListener
    private let vault: Vault
    private let service: WebService
    private let reporting: Task<Void, Never>

    init(_ name: String, in folder: String, scheme: String, _ context: CommandContext) async throws {
        var random = context.environment.makeRandom()
        let key = VaultKey.keyFile(Secret(copying: random.bytes(count: 32)))
        let vault = try await Vault.create(at: POSIXFile.join(folder, name), key: key)
        let door = AgentHTTPListener()
        let service = WebService()
        do {
            let socket = try await door.start()
            let endpoint = try ServiceEndpoint(parsing: "\(scheme)://\(socket)")
            var configuration = AgentConfiguration(label: name)
            configuration.endpoint = endpoint
            let agent = CommandAgentRunner.make(
                context, on: vault, configuration, WebMessageTransport(service, policy: .allowPrivate))
            try await agent.start()
            door.serve(agent)
            let reporter = ConnectionReporter(
                reporter: context.reporter, party: name, wallTime: context.environment.wallTime)
            let reported = await agent.events()
            reporting = Task { await reporter.follow(reported) }
            events = await agent.events()
            self.agent = agent
            self.reporter = reporter
            self.endpoint = endpoint
        } catch {
            await door.stop(within: .zero)
            await service.stop()
            await vault.close()
            throw error
        }
        self.door = door
        self.vault = vault
        self.service = service
    }

    func close() async {
        await agent.stop()
        await reporting.value
        await door.stop(within: .zero)
        await service.stop()
        await vault.close()
    }
}

/// Both sides of the demonstration.
private struct ConnectDemoParties: Sendable {
    let context: CommandContext
    let inviter: DemoParty
    let invitee: DemoParty
    let handshake: MessageProtocol

    private var clock: any MonotonicClock { context.environment.clock }

    func play() async throws {
        context.console.say(context.console.palette("Two agents connect and talk, on this machine.", .bold))
        let link = try await invite()
        let start = clock.now()
        let connection = try await connect(link)
        let seconds = (clock.now() - start).inSeconds
        let theirs = try await wait(inviter, "connected") { event in
            if case .stage(let id, .completed, _, _) = event { id } else { nil }
        }
        try await say("Good morning. This is the invitee.", from: invitee, on: connection.id, to: inviter)
        try await say("Good morning. The inviter hears you.", from: inviter, on: theirs, to: invitee)
        let name = connection.handshake.description
        context.reporter.event(
            .connectDemo, [.init("protocol", .string(name)), .init("seconds", .number(seconds, places: 6))])
        context.reporter.put("connected by \(name) in \(NumberText.seconds(seconds)); a text went each way")
    }

    private func invite() async throws -> InvitationLink {
        var draft = InvitationDraft(.outOfBand, label: "inviter")
        draft.handshakeProtocols = [handshake]
        let link = InvitationLink(try await inviter.agent.invite(draft), at: inviter.endpoint)
        context.reporter.event(
            .invitationMade,
            link.fields + [
                .init("isMultiUse", .bool(false)), .init("shortLink", .null), .init("shortLinkExpires", .null),
            ])
        inviter.reporter.say("I listen at \(inviter.endpoint.text) and invite with this link:")
        context.console.say(link.text)
        return link
    }

    /// Reads the link of an invitation as its receiver would, and accepts it.
    private func connect(_ link: InvitationLink) async throws -> Connection {
        guard case .invitation(let invitation) = try InvitationText(parsing: link.text) else {
            throw AriesError(.invitationUnrecognised, "The link holds no invitation.")
        }
        invitee.reporter.say("I accept it.")
        return try await invitee.agent.accept(invitation).completed()
    }

    private func say(_ text: String, from: DemoParty, on connection: String, to: DemoParty) async throws {
        let now = context.environment.wallTime()
        let message = BasicMessage(text, sent: now).message(id: await from.agent.makeID())
        from.reporter.say("says:  \(text)")
        try await from.agent.send(message, on: connection)
        from.reporter.message(
            connection, .sent, id: message.id, type: .basicMessage, text: text, time: now,
            written: now)
        try await wait(to, "a text") { event in
            if case .received(_, .text(let heard)) = event, heard.content == text { true } else { nil }
        }
    }

    @discardableResult
    private func wait<Value: Sendable>(
        _ party: DemoParty, _ what: String, _ match: @escaping @Sendable (AgentEvent) -> Value?
    ) async throws -> Value {
        let found = try await party.events.first(within: .seconds(60), by: clock, match)
        guard let found else {
            throw AgentError(.deliveryFailed, "Nothing came where this was waited for: \(what).")
        }
        return found
    }
}
