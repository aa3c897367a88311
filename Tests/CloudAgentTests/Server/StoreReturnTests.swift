import Aries
import AriesConnections
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing
import WebTransport

@testable import CloudAgent

/// Tests of an agent whose store answers again after it failed.
@Suite struct StoreReturnTests {
    /// A WebSocket of a client that keeps what is sent to it.
    private final class OpenSocket: ReplyChannel {
        private let sent = Lock<[[UInt8]]>([])
        private let end = Lock<WebSocketCloseCode?>(nil)
        var channel: IncomingChannel { .persistent }
        var isClosed: Bool { false }
        var envelopes: [[UInt8]] { sent.withLock { $0 } }
        var closed: WebSocketCloseCode? { end.withLock { $0 } }

        func send(_ envelope: [UInt8]) async -> Bool {
            sent.withLock { $0.append(envelope) }
            return true
        }

        func handOver(_ envelope: [UInt8]) async -> Bool { await send(envelope) }
        func close(_ code: WebSocketCloseCode, _ reason: String) { end.withLock { $0 = code } }
    }

    @Test func `a store operation after a lost connection runs on a new connection`() async throws {
        try await TemporaryFolder.with { folder in
            let faults = BreakableStore()
            let store = try await faults.open(in: folder)
            faults.breakConnections()
            #expect(try await store.read { try $0.settings.value("a") } == nil)
            faults.breakConnections()
            #expect(try await store.write(adding: 1) { try $0.settings.settle("a", [1]) } == [1])
            faults.isDown = true
            await #expect(throws: CloudAgentError(.unavailable, "")) {
                try await store.read { try $0.settings.value("a") }
            }
            faults.isDown = false
            #expect(try await store.read { try $0.settings.value("a") } == [1])
            await store.close()
        }
    }

    /// A client at a mediator in the time of the test, whose store the test breaks.
    private struct Client {
        let faults: BreakableStore
        let clock: HandClock
        let mediator: MediatorService
        let channel: AccountChannel
        let line: OpenSocket
        let account: Int64
        let goLive: ReceivedMessage
        /// Brings a message for the client to another mediator on the same store.
        let forward: (String) async throws -> Void

        /// The client is live, and has its status.
        func becomesLive() async throws {
            await channel.receive(goLive)
            #expect(try await eventually { mediator.live.contains(account) && line.envelopes.count == 1 })
        }
    }

    private static func withClient(_ body: (Client) async throws -> Void) async throws {
        try await TemporaryFolder.with { folder in
            let (faults, clock) = (BreakableStore(), HandClock())
            let store = try await faults.open(in: folder, breaksWriting: false)
            let agent = try await RunningAgent(in: folder, store: store)
            let service = WebService()
            let client = try await RawClient.connect(agent.invitation, at: agent.address.port, service: service)
            let (routing, key) = (try await client.mediate(), freshKey())
            _ = try await client.change(key)
            let entry = try #require(try await store.read { try $0.accounts.list(after: 0, limit: 1) }.first)
            let second = try MediatorService(
                MediatorContext(
                    CloudAgentConfiguration(), endpoints: MediatorEndpoints("http://127.0.0.1:1"),
                    secret: RunningAgent.secret(), clock: clock, wallTime: Wallet.time),
                store: store, transport: WebMessageTransport(service))
            let line = OpenSocket()
            let record = try AccountRecord(entry.body, by: second.context.secret)
            let connection = try #require(record.connection)
            let channel = AccountChannel(
                entry, record: record, connection: connection, services: second.channels, reply: line)
            let message = Message(
                try MessageType(parsing: "https://didcomm.org/messagepickup/2.0/live-delivery-change"), id: "1",
                body: ["live_delivery": true])
            let goLive = ReceivedMessage(
                message.askingForReturnRoute, sender: .authenticated(client.key.verkey, isExclusive: true),
                recipient: connection.ours.key, arrival: Wallet.time())
            let poster = Poster(service: service, port: agent.address.port)
            try await body(
                Client(
                    faults: faults, clock: clock, mediator: second, channel: channel, line: line,
                    account: entry.number, goLive: goLive
                ) { text in
                    let status = try await poster.forward(text, to: key, through: routing)
                    #expect(status == 202)
                })
            await channel.end()
            await second.leave()
            await service.stop()
            await agent.stop()
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `a live client whose mail could not be read gets it at the next check that the store answers`() async throws {
        try await Self.withClient { client in
            try await client.becomesLive()
            try await client.forward("a")
            client.faults.isDown = true
            await client.channel.mailArrived()
            await client.mediator.peers.look()
            #expect(client.line.envelopes.count == 1, "the store does not answer")
            client.faults.isDown = false
            await client.mediator.peers.look()
            #expect(try await eventually { client.line.envelopes.count == 2 })
            #expect(client.clock.now() == .zero, "no deadline was needed")
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `a live client whose connection could not be read after its mail was gets it at the next check`() async throws
    {
        try await Self.withClient { client in
            try await client.becomesLive()
            // An idle session releases its connection, and reads it again when there is mail.
            client.clock.advance(by: .seconds(1))
            #expect(try await eventually { await client.channel.isResting })
            let statement = "SELECT number, created, seen, served, body FROM accounts WHERE number = $1"
            client.faults.count(statement)
            try await client.forward("a")
            // The other mediator looks for an address of the client.
            #expect(try await eventually { client.faults.counted > 0 })
            client.faults.failNext(statement, CloudAgentError(.unavailable, "The connection is lost."))
            await client.channel.mailArrived()
            #expect(!client.faults.isFailureLeft)
            #expect(client.line.envelopes.count == 1, "the store failed")
            await client.mediator.peers.look()
            #expect(try await eventually { client.line.envelopes.count == 2 })
            #expect(client.clock.now() == .zero + .seconds(1), "no deadline was needed")
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `a WebSocket whose key could not be read is closed with 1013, so that its client connects again`() async throws
    {
        try await Self.withClient { client in
            client.faults.failNext(
                "SELECT kind, account, body FROM own_keys WHERE hash = $1",
                CloudAgentError(.unavailable, "The connection is lost."))
            await client.channel.receive(client.goLive)
            let isClosed = try await eventually { client.line.closed == .tryAgainLater }
            #expect(isClosed)
            #expect(client.line.envelopes.isEmpty)
        }
    }
}
