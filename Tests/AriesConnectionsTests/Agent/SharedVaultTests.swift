import Aries
import CryptoSuite
import DIDComm
import Determinism
import Foundation
import TestSupport
import Testing
import Vault

@testable import AriesConnections

/// Two agents that use one vault, as two commands do.
@Suite struct SharedVaultTests {
    private let net = MemoryNet()
    private let clock = HandClock()

    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "symbolon-agents-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.path())
    }

    private func agent(_ vault: Vault, at endpoint: ServiceEndpoint, seed: UInt64) -> Agent {
        var configuration = AgentConfiguration(label: "Invitee")
        configuration.endpoint = endpoint
        return Agent(
            store: vault, transport: MemoryTransport(net), configuration: configuration, clock: clock,
            random: SeededRandom(seed: seed), wallTime: { WallTime(millisecondsSinceEpoch: 1_760_000_000_000) })
    }

    /// Waits as `settled` does, for agents without parties.
    private func eventually(_ agents: [Agent], _ holds: () async throws -> Bool) async throws -> Bool {
        var quiet = 0
        for _ in 0..<60_000 {
            if try await holds() { return true }
            try await Task.sleep(for: .milliseconds(1))
            var isIdle = true
            for agent in agents where await !agent.isIdle { isIdle = false }
            quiet = isIdle ? quiet + 1 : 0
            guard quiet > 5 else { continue }
            clock.advance(by: .seconds(5))
            quiet = 0
        }
        return false
    }

    @Test func `a handshake that two agents drive on one vault completes once, and both agents report it`() async throws
    {
        try await withFolder { folder in
            let key = VaultKey.keyFile(Secret(copying: [UInt8](repeating: 7, count: 32)))
            let vaults = [try await Vault.create(at: folder, key: key), try await Vault.open(at: folder, key: key)]
            let inviter = try Party("inviter", net: net, clock: clock)
            try await inviter.agent.start()
            let endpoint = try ServiceEndpoint(parsing: "http://invitee.example")
            let one = agent(vaults[0], at: endpoint, seed: 2)
            let other = agent(vaults[1], at: endpoint, seed: 3)
            try await one.start()
            net.put(nil, at: inviter.endpoint)
            let connection = try await one.accept(inviter.agent.invite(InvitationDraft(.outOfBand, label: "Inviter")))
            #expect(try await eventually([one]) { await one.isIdle })
            // The other one goes on with the same handshake, and answers come to it alone.
            net.put(other, at: endpoint)
            try await other.start()
            net.put(inviter.agent, at: inviter.endpoint)
            let completing = Task { try await connection.completed() }
            let isDone = try await eventually([one, other, inviter.agent]) {
                for agent in [one, other] { try await agent.catchUp() }
                guard try await inviter.agent.connections().connections.map(\.stage) == [.completed] else {
                    return false
                }
                let (here, there) = (try await one.handshakeCount == 0, try await other.handshakeCount == 0)
                return here && there
            }
            #expect(isDone)
            #expect(try await completing.value.id == connection.id)
            for agent in [one, other] {
                #expect(await agent.isRunning)
                #expect(try await agent.connections().connections.map(\.stage) == [.completed])
            }
            try await other.rename(connection.id, to: "Them")
            #expect(try await one.summary(of: connection.id)?.name == "Them")
            for agent in [one, other, inviter.agent] { await agent.stop() }
            for vault in vaults { await vault.close() }
        }
    }

    @Test func `an agent ends a handshake that another agent on its vault deleted, and goes on with its others`()
        async throws
    {
        try await withFolder { folder in
            let key = VaultKey.keyFile(Secret(copying: [UInt8](repeating: 7, count: 32)))
            let vaults = [try await Vault.create(at: folder, key: key), try await Vault.open(at: folder, key: key)]
            let inviter = try Party("inviter", net: net, clock: clock)
            try await inviter.agent.start()
            net.swallow(true, at: inviter.endpoint)
            let endpoint = try ServiceEndpoint(parsing: "http://invitee.example")
            let one = agent(vaults[0], at: endpoint, seed: 2)
            let other = agent(vaults[1], at: endpoint, seed: 3)
            try await one.start()
            let connection = try await one.accept(inviter.agent.invite(InvitationDraft(.outOfBand, label: "Inviter")))
            try await other.start()
            try await other.remove(connection.id)
            let stages = await connection.followedStages()
            let isOver = try await eventually([one, other]) {
                try await one.catchUp()
                return try await one.handshakeCount == 0
            }
            #expect(isOver)
            for await _ in stages {}
            #expect(await one.isRunning)
            #expect(try await one.connections().connections.isEmpty)
            for agent in [one, other, inviter.agent] { await agent.stop() }
            for vault in vaults { await vault.close() }
        }
    }
}
