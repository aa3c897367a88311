import Aries
import AriesRuntime
import DIDComm
import Determinism
import Testing
import WebTransport

@testable import CloudAgent

@Suite struct AccountChannelTests {
    /// A line that takes everything, and gives nothing.
    private final class Line: Carrier {
        var channel: IncomingChannel { .persistent }
        func send(_ envelope: [UInt8]) async -> Bool { true }
        func close(_ code: WebSocketCloseCode, _ reason: String) {}
    }

    /// The one account of an agent that stands beside a running one, with a client that has connected there.
    private static func withAccount(
        _ body: (AgentOffice, AccountEntry, RawClient) async throws -> Void
    ) async throws {
        try await TemporaryFolder.with { folder in
            let store = try await DatabaseStore.sqlite(at: "\(folder)/agent.sqlite")
            let agent = try await RunningAgent(in: folder, store: store)
            let service = WebService()
            let client = try await RawClient.connect(agent.invitation, at: agent.address.port, service: service)
            _ = try await client.mediate()
            let office = try AgentOffice(
                CloudAgentConfiguration(), store, RunningAgent.secret(), AgentEndpoints("http://127.0.0.1:1"),
                wire: WebWire(service), timekeeper: SystemTimekeeper(), wallTime: Wallet.time)
            try await body(office, try #require(await store.accounts(after: 0, limit: 1).first), client)
            await service.stop()
            await agent.stop()
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a message that comes while its line ends is passed over, and nobody waits for it`() async throws {
        try await Self.withAccount { office, entry, client in
            let body = try AccountBody(entry.body, by: office.secret)
            let connection = try #require(body.connection)
            let message = ReceivedMessage(
                Message(try MessageType(parsing: "https://didcomm.org/messagepickup/2.0/status-request"), id: "1"),
                sender: .authenticated(client.key.verkey, isExclusive: true), recipient: client.key.verkey,
                arrival: Wallet.time())
            // Who brings mail has much else to do, so that a message has to wait there.
            let others = (0..<4).map { _ in Task { while !Task.isCancelled { await office.note(.spoke, of: 0) } } }
            for round in 0..<50 {
                let channel = AccountChannel(entry, body, connection, office, Line())
                let isDone = Lock(false)
                let receiving = Task {
                    await channel.receive(message)
                    isDone.withLock { $0 = true }
                }
                // The end comes at another step of the message each time.
                for _ in 0..<round % 20 { await Task.yield() }
                await channel.end()
                #expect(try await eventually { isDone.withLock { $0 } })
                receiving.cancel()
            }
            for other in others { other.cancel() }
        }
    }
}
