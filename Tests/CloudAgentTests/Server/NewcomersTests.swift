import Aries
import AriesConnections
import CryptoSuite
import DIDComm
import Determinism
import Testing
import WebAddressing
import WebTransport

@testable import CloudAgent

/// Tests of the number of accounts that one source may open.
@Suite struct NewcomersTests {
    private func agent(
        in folder: String, perHour: Int, change: (inout CloudAgentConfiguration) -> Void = { _ in }
    ) async throws -> MediatorService {
        var configuration = CloudAgentConfiguration()
        change(&configuration)
        configuration.perSourceAccounts = perHour
        return try MediatorService(
            MediatorContext(
                configuration, endpoints: try MediatorEndpoints("http://agent.example"),
                secret: try RunningAgent.secret(), clock: SystemMonotonicClock(), wallTime: Wallet.time),
            store: try await DatabaseStore.sqlite(at: "\(folder)/agent.sqlite"),
            transport: WebMessageTransport(WebService()))
    }

    /// Asks for an account from an address; whether one was opened.
    private func opens(_ agent: MediatorService, from address: String) async throws -> Bool {
        let source = SocketAddress(try #require(IPAddress(parsing: address)), 4000)
        let request = try RawClient.request(for: agent.invited.general.current.invitation)
        let before = try await agent.store.read { try $0.inspection.totals() }.accounts
        let reply = HTTPReplyChannel()
        let line = MediatorClientConnection(reply, from: source, services: agent.channels)
        #expect(await agent.handler.take(request, on: line) == .taken)
        #expect(reply.answer != nil, "a refusal is an answer")
        return try await agent.store.read { try $0.inspection.totals() }.accounts > before
    }

    @Test func `a source address may open its allowed number of accounts per hour, and other sources are not delayed`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let agent = try await agent(in: folder, perHour: 2)
            #expect(try await opens(agent, from: "192.0.2.1"))
            #expect(try await opens(agent, from: "192.0.2.1"))
            #expect(try await opens(agent, from: "192.0.2.1") == false)
            #expect(agent.counters.counts.turnedAway == 1)
            #expect(try await opens(agent, from: "2001:db8::1"))
            #expect(try await opens(agent, from: "2001:db8::2"))
            #expect(try await opens(agent, from: "2001:db8::3") == false, "by the first 64 bits")
            for _ in 0..<4 { #expect(try await opens(agent, from: "127.0.0.1"), "a proxy may be here") }
            await agent.store.close()
        }
    }

    @Test func `without a limit a source address may open any number of accounts`() async throws {
        try await TemporaryFolder.with { folder in
            let agent = try await agent(in: folder, perHour: 0)
            for _ in 0..<4 { #expect(try await opens(agent, from: "192.0.2.1")) }
            await agent.store.close()
        }
    }

    @Test func `an account removed because it was never confirmed is opened again by the same request`() async throws {
        try await TemporaryFolder.with { folder in
            // Every account counts as old.
            let agent = try await agent(in: folder, perHour: 0) { $0.confirmationWait = .seconds(-60) }
            let request = try RawClient.request(for: agent.invited.general.current.invitation)
            for _ in 0..<2 {
                let line = MediatorClientConnection(HTTPReplyChannel(), from: nil, services: agent.channels)
                #expect(await agent.handler.take(request, on: line) == .taken)
                #expect(try await agent.store.read { try $0.inspection.totals() }.accounts == 1)
                _ = await agent.maintenance.once(after: nil)
                #expect(try await agent.store.read { try $0.inspection.totals() }.accounts == 0)
            }
            await agent.store.close()
        }
    }

    @Test func `the key cache holds its capacity, and keys dropped from it are read again from the store`() async throws
    {
        try await TemporaryFolder.with { folder in
            let agent = try await agent(in: folder, perHour: 0)
            var random = SystemRandom()
            var keys: [AgentKey] = []
            for start in stride(from: 0, to: KeyCache.capacity + 1, by: 512) {
                let more = (start..<min(start + 512, KeyCache.capacity + 1)).map { _ in AgentKey.make(from: &random) }
                try await agent.store.write(adding: 0) {
                    try $0.ownKeys.add(more.map { KeyCache.stored($0, .routing, by: agent.context.secret) })
                }
                keys += more
            }
            for key in keys { #expect(try await agent.keyCache.find(key.verkey)?.key.verkey == key.verkey) }
            #expect((KeyCache.capacity / 2...KeyCache.capacity).contains(agent.keyCache.count))
            #expect(try await agent.keyCache.find(keys[0].verkey)?.key.verkey == keys[0].verkey)
            await agent.store.close()
        }
    }

    @Test func `a key in use stays in the key cache while a full capacity of other keys is used once`() async throws {
        try await TemporaryFolder.with { folder in
            let agent = try await agent(in: folder, perHour: 0)
            var random = SystemRandom()
            let busy = AgentKey.make(from: &random)
            try await agent.store.write(adding: 0) {
                try $0.ownKeys.add([KeyCache.stored(busy, .routing, by: agent.context.secret)])
            }
            for _ in 0..<2 {
                _ = try await agent.keyCache.find(busy.verkey)
                // So many that a key which was not used meanwhile counts as unused.
                for _ in 0..<KeyCache.capacity / 1024 {
                    let others = (0..<512).map { _ in AgentKey.make(from: &random) }
                    try await agent.store.write(adding: 0) {
                        try $0.ownKeys.add(others.map { KeyCache.stored($0, .routing, by: agent.context.secret) })
                    }
                    for other in others { _ = try await agent.keyCache.find(other.verkey) }
                }
            }
            await agent.store.close()
            #expect(try await agent.keyCache.find(busy.verkey)?.key.verkey == busy.verkey, "without the store")
        }
    }
}
