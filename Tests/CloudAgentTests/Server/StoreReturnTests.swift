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
    private final class Line: Carrier {
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

    @Test func `a step whose connection was lost since the last step is made on a new connection`() async throws {
        try await TemporaryFolder.with { folder in
            let faults = BreakableStore()
            let store = try await faults.open(in: folder)
            faults.breakConnections()
            #expect(try await store.setting("a") == nil)
            faults.breakConnections()
            #expect(try await store.settle("a", [1]) == [1])
            faults.isDown = true
            await #expect(throws: CloudAgentError(.unavailable, "")) { try await store.setting("a") }
            faults.isDown = false
            #expect(try await store.setting("a") == [1])
            await store.close()
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `a live client whose mail could not be read is sent it at the next look that the store answers`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let (faults, clock) = (BreakableStore(), HandClock())
            let store = try await faults.open(in: folder, breaksWriting: false)
            let agent = try await RunningAgent(in: folder, store: store)
            let service = WebService()
            let client = try await RawClient.connect(agent.invitation, at: agent.address.port, service: service)
            let (routing, key) = (try await client.mediate(), freshKey())
            _ = try await client.change(key)
            let entry = try #require(try await store.accounts(after: 0, limit: 1).first)
            // The client is live at a second agent in the time of the test.
            let office = try AgentOffice(
                CloudAgentConfiguration(), store, RunningAgent.secret(), AgentEndpoints("http://127.0.0.1:1"),
                wire: WebMessageTransport(service), timekeeper: clock, wallTime: Wallet.time)
            let line = Line()
            let body = try AccountBody(entry.body, by: office.secret)
            let connection = try #require(body.connection)
            let channel = AccountChannel(entry, body, connection, office, line)
            let message = Message(
                try MessageType(parsing: "https://didcomm.org/messagepickup/2.0/live-delivery-change"), id: "1",
                body: ["live_delivery": true])
            await channel.receive(
                ReceivedMessage(
                    message.askingForReturnRoute, sender: .authenticated(client.key.verkey, isExclusive: true),
                    recipient: connection.ours.key, arrival: Wallet.time()))
            #expect(try await eventually { office.live.contains(entry.number) && line.envelopes.count == 1 })
            let poster = Poster(service: service, port: agent.address.port)
            #expect(try await poster.forward("a", to: key, through: routing) == 202)
            faults.isDown = true
            await channel.mailArrived()
            await office.neighbours?.look()
            #expect(line.envelopes.count == 1, "the store does not answer")
            faults.isDown = false
            await office.neighbours?.look()
            #expect(try await eventually { line.envelopes.count == 2 })
            #expect(clock.now() == .zero, "no deadline was needed")
            await channel.end()
            await office.end()
            await service.stop()
            await agent.stop()
        }
    }
}
