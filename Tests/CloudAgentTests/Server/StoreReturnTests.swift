import Aries
import AriesRuntime
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing
import WebTransport

@testable import CloudAgent

/// What happens when a store answers again that did not.
@Suite struct StoreReturnTests {
    /// A WebSocket of a client that keeps what is sent to it.
    private final class OpenSocket: ReplyChannel {
        private let sent = Lock<[[UInt8]]>([])
        var channel: IncomingChannel { .persistent }
        var envelopes: [[UInt8]] { sent.withLock { $0 } }

        func send(_ envelope: [UInt8]) async -> Bool {
            sent.withLock { $0.append(envelope) }
            return true
        }

        func handOver(_ envelope: [UInt8]) async -> Bool { await send(envelope) }
        func close(_ code: WebSocketCloseCode, _ reason: String) {}
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

    @Test(.timeLimit(.minutes(2)))
    func `a live client whose mail could not be read gets it at the next check that the store answers`() async throws {
        try await TemporaryFolder.with { folder in
            let (faults, clock) = (BreakableStore(), HandClock())
            let store = try await faults.open(in: folder, breaksWriting: false)
            let agent = try await RunningAgent(in: folder, store: store)
            let service = WebService()
            let client = try await RawClient.connect(agent.invitation, at: agent.address.port, service: service)
            let (routing, key) = (try await client.mediate(), freshKey())
            _ = try await client.change(key)
            let entry = try #require(try await store.read { try $0.accounts.list(after: 0, limit: 1) }.first)
            // The client is live at a second agent in the time of the test.
            let second = try MediatorService(
                CloudAgentConfiguration(), store: store, secret: RunningAgent.secret(),
                endpoints: MediatorEndpoints("http://127.0.0.1:1"), transport: WebMessageTransport(service),
                clock: clock,
                wallTime: Wallet.time)
            let line = OpenSocket()
            let body = try AccountRecord(entry.body, by: second.context.secret)
            let connection = try #require(body.connection)
            let channel = AccountChannel(entry, body, connection, second.channels, line)
            let message = Message(
                try MessageType(parsing: "https://didcomm.org/messagepickup/2.0/live-delivery-change"), id: "1",
                body: ["live_delivery": true])
            await channel.receive(
                ReceivedMessage(
                    message.askingForReturnRoute, sender: .authenticated(client.key.verkey, isExclusive: true),
                    recipient: connection.ours.key, arrival: Wallet.time()))
            #expect(try await eventually { second.live.contains(entry.number) && line.envelopes.count == 1 })
            let poster = Poster(service: service, port: agent.address.port)
            #expect(try await poster.forward("a", to: key, through: routing) == 202)
            faults.isDown = true
            await channel.mailArrived()
            await second.peers.look()
            #expect(line.envelopes.count == 1, "the store does not answer")
            faults.isDown = false
            await second.peers.look()
            #expect(try await eventually { line.envelopes.count == 2 })
            #expect(clock.now() == .zero, "no deadline was needed")
            await channel.end()
            await second.leave()
            await service.stop()
            await agent.stop()
        }
    }
}
