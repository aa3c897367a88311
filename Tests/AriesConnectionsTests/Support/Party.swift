import Aries
import CryptoSuite
import DIDComm
import Determinism
import TestSupport
import Testing

@testable import AriesConnections

/// An agent with its store, its transport and its clock, which can be killed and started again.
final class Party: @unchecked Sendable {
    // Invariant: a test uses it from one task.
    let name: String
    let net: MemoryNet
    let clock: HandClock
    let endpoint: ServiceEndpoint
    private(set) var store: MemoryStore
    private(set) var transport: MemoryTransport
    private(set) var agent: Agent
    private var seed: UInt64
    private let adjust: (inout AgentConfiguration) -> Void

    init(
        _ name: String, net: MemoryNet, clock: HandClock, seed: UInt64 = 1, storeFault: MemoryStore.Fault? = nil,
        transportFault: MemoryTransport.Fault? = nil, hasAddress: Bool = true,
        adjust: @escaping (inout AgentConfiguration) -> Void = { _ in }
    ) throws {
        self.name = name
        self.net = net
        self.clock = clock
        self.seed = seed
        self.adjust = adjust
        endpoint = hasAddress ? try ServiceEndpoint(parsing: "http://\(name).example") : .queue
        store = MemoryStore(fault: storeFault)
        transport = MemoryTransport(net, fault: transportFault)
        agent = Self.make(name, endpoint, store, transport, clock, seed, adjust)
        net.put(agent, at: endpoint)
        transport.belongs(to: agent)
    }

    private static func make(
        _ name: String, _ endpoint: ServiceEndpoint, _ store: MemoryStore, _ transport: MemoryTransport,
        _ clock: HandClock,
        _ seed: UInt64, _ adjust: (inout AgentConfiguration) -> Void
    ) -> Agent {
        var configuration = AgentConfiguration(label: name)
        configuration.endpoint = endpoint
        adjust(&configuration)
        return Agent(
            store: store, transport: transport, configuration: configuration, clock: clock,
            random: SeededRandom(seed: seed),
            wallTime: {
                let passed = (clock.now() - .zero) / .milliseconds(1)
                return WallTime(millisecondsSinceEpoch: 1_760_000_000_000 + Int64(passed))
            })
    }

    /// Ends the agent as a crash does, and starts another on what its store holds.
    func restart() async throws {
        await agent.stop()
        seed += 1000
        store = MemoryStore(store.seize())
        transport = MemoryTransport(net)
        agent = Self.make(name, endpoint, store, transport, clock, seed, adjust)
        net.put(agent, at: endpoint)
        try await agent.start()
    }
}

/// Waits until a condition holds; advances the clock only while all parties are idle, so that no test
/// depends on how fast the machine is.
func settled(
    _ parties: [Party], within limit: Duration = .seconds(7200), step: Duration = .seconds(10),
    until holds: () async throws -> Bool
) async throws -> Bool {
    let clock = parties[0].clock
    let end = clock.now() + limit
    var quiet = 0
    while clock.now() < end {
        if try await holds() { return true }
        try await Task.sleep(for: .milliseconds(1))
        var isIdle = true
        for party in parties where await !party.agent.isIdle { isIdle = false }
        quiet = isIdle ? quiet + 1 : 0
        guard quiet > 5 else { continue }
        clock.advance(by: step)
        quiet = 0
    }
    return try await holds()
}

/// Runs `body`, and advances the clock whenever all parties are idle.
func whileTimePasses<Value: Sendable>(
    _ parties: [Party], step: Duration = .seconds(10), _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let task = Task { try await body() }
    let isDone = Lock(false)
    let waiting = Task {
        _ = await task.result
        isDone.withLock { $0 = true }
    }
    _ = try await settled(parties, step: step) { isDone.withLock { $0 } }
    await waiting.value
    return try await task.value
}

extension Agent {
    /// The number of the agent's handshakes under way.
    var handshakeCount: Int { get async throws { try await perform { $0.parts.handshakes.count } } }
}
