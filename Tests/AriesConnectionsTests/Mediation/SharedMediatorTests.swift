import Aries
import CryptoSuite
import DIDComm
import Determinism
import Foundation
import JSON
import TestSupport
import Testing
import Vault

@testable import AriesConnections

/// Two processes on one vault, and a mediator that answers to the address at which one of them listens.
@Suite struct SharedMediatorTests {
    private let net = MemoryNet()
    private let clock = HandClock()

    /// A folder's vault twice, and a mediator whose answers about the service `answers` takes.
    private func with(
        _ habits: SimulatedMediator.Habits = .init(),
        _ body: (_ vaults: [Vault], SimulatedMediator) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "symbolon-shared-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = VaultKey.keyFile(Secret(copying: [UInt8](repeating: 7, count: 32)))
        let vaults = [
            try await Vault.create(at: folder.path(), key: key), try await Vault.open(at: folder.path(), key: key),
        ]
        try await body(vaults, try SimulatedMediator(.pickup2, isLive: false, net: net, habits: habits))
        for vault in vaults { await vault.close() }
    }

    private func agent(_ vault: Vault, seed: UInt64) -> Agent {
        Agent(
            store: vault, transport: MemoryTransport(net), configuration: AgentConfiguration(label: "Us"),
            clock: clock, random: SeededRandom(seed: seed),
            wallTime: { WallTime(millisecondsSinceEpoch: 1_760_000_000_000) })
    }

    /// Waits without letting time pass, so that nothing is sent again and nothing is given up.
    private func soon(_ agents: [Agent], _ holds: () async throws -> Bool) async throws -> Bool {
        for _ in 0..<20_000 {
            for agent in agents { try await agent.catchUp() }
            if try await holds() { return true }
            try await Task.sleep(for: .milliseconds(1))
        }
        return false
    }

    private func isReady(_ agent: Agent) async throws -> Bool {
        guard let summary = try await agent.mediator() else { return false }
        return summary.stage == .granted && summary.freeKeys == 4
    }

    @Test func `a process that asked a mediator uses answers that another process received, without waiting`()
        async throws
    {
        try await with { vaults, mediator in
            let (asking, listening) = (agent(vaults[0], seed: 2), agent(vaults[1], seed: 3))
            try await listening.start()
            mediator.change { state in
                state.habits.answersElsewhere = { envelope in Task { _ = try? await listening.receive(envelope) } }
            }
            try await asking.start()
            _ = try await asking.useMediator(mediator.invitation)
            #expect(try await soon([asking]) { try await isReady(asking) })
            #expect(try await listening.requests() == [])
            #expect(mediator.heard.count { $0 == "mediate-request" } == 1)
            for agent in [asking, listening] { await agent.stop() }
        }
    }

    @Test func `a mediation grant that came after the requesting process was killed is used by the next`() async throws
    {
        try await with { vaults, mediator in
            let (asking, listening) = (agent(vaults[0], seed: 2), agent(vaults[1], seed: 3))
            try await listening.start()
            let came = Lock(0)
            mediator.change { state in
                // As mediators in wide use: no thread, and no answer to a second request.
                state.habits.namesNoThread = true
                state.habits.answersElsewhere = { envelope in
                    Task {
                        _ = try? await listening.receive(envelope)
                        came.withLock { $0 += 1 }
                    }
                }
            }
            try await asking.start()
            _ = try await asking.useMediator(mediator.invitation)
            #expect(try await soon([]) { came.withLock { $0 } > 0 })
            await asking.stop()
            mediator.change { $0.habits.answersElsewhere = nil }
            let next = agent(vaults[0], seed: 4)
            try await next.start()
            _ = try await next.useMediator(mediator.invitation)
            #expect(try await soon([next]) { try await isReady(next) })
            #expect(mediator.heard.count { $0 == "mediate-request" } == 1)
            for agent in [next, listening] { await agent.stop() }
        }
    }

    @Test func `a mediation grant that an earlier version stored as a request is used`() async throws {
        try await with { vaults, mediator in
            let asking = agent(vaults[0], seed: 2)
            mediator.change { $0.habits.isSilentOnceConnected = true }
            try await asking.start()
            let connection = try await asking.useMediator(mediator.invitation)
            #expect(try await soon([asking]) { try await asking.mediator()?.stage == .asking })
            await asking.stop()
            let grant = Message(
                MessageType(.mediation10, "mediate-grant"), id: "grant-1",
                body: [
                    "endpoint": .string(mediator.endpoint.text), "routing_keys": [.string(mediator.routingKey.didKey)],
                ])
            let kept = AttachedRequest(grant, invitationID: nil, binding: .connection(connection.id))
            try await vaults[0].write { store in try AttachedRequestRecord(kept).insert(into: store) }
            mediator.change { $0.habits.isSilentOnceConnected = false }
            let next = agent(vaults[1], seed: 4)
            try await next.start()
            #expect(try await soon([next]) { try await isReady(next) })
            #expect(try await next.requests() == [])
            await next.stop()
        }
    }

    @Test func `a mediator's words when it rejects a request are in the error of the waiting call`() async throws {
        try await with { vaults, mediator in
            let asking = agent(vaults[0], seed: 2)
            mediator.change { state in
                state.habits.namesNoThread = true
                state.wasGrantedBefore = true
            }
            try await asking.start()
            _ = try await asking.useMediator(mediator.invitation)
            await #expect(throws: AriesError(.rejected, "")) { try await asking.mediated(within: .seconds(60)) }
            do {
                try await asking.mediated(within: .seconds(60))
            } catch let error as AriesError {
                #expect(error.reason.contains("Unknown."))
            }
            await asking.stop()
        }
    }

    @Test func `an unrequested mediation message is ignored, and never stored as a request`() async throws {
        let (inviter, invitee, inviterID, _) = try await connectedParties(net, clock)
        let told = await invitee.agent.events()
        for (type, name) in [(MessageProtocol.mediation10, "mediate-grant"), (.pickup20, "delivery")] {
            try await inviter.agent.send(Message(MessageType(type, name), id: name), on: inviterID)
            let code = try await whileTimePasses([inviter, invitee]) {
                try await told.first(within: .seconds(5), by: clock) { event in
                    if case .passedOver(_, let code, _) = event { code } else { nil }
                }
            }
            #expect(code == "aries.message.unexpected")
        }
        #expect(try await invitee.agent.requests() == [])
    }
}
