import Aries
import CryptoSuite
import DIDComm
import Determinism
import FoundationEssentials
import JSON
import TestSupport
import Testing
import Vault
import WebAddressing
import WebTransport

@testable import AriesConnections

/// Connections that are opened by their name, at every stage, by both sides.
@Suite struct ConnectionHandleTests {
    /// The stage of a handshake at which one process ends and another goes on.
    enum Restart: CaseIterable, Sendable {
        /// The invitee has stored its request, which no server has taken.
        case requestNotSent
        /// The invitee's request was taken; the response to it is lost.
        case responseLost
        /// The inviter has sent its response, which is lost.
        case inviterResponded
        /// The connection is complete; the invitee begins again.
        case inviteeCompleted
        /// The connection is complete; the inviter begins again.
        case inviterCompleted

        var isInviter: Bool { self == .inviterResponded || self == .inviterCompleted }
    }

    private static let handshakes: [MessageProtocol] = [.connections10, .didExchange10, .didExchange11]

    @Test(arguments: Restart.allCases, handshakes)
    func `a connection handle by name completes after a restart at every stage, for both roles`(
        _ restart: Restart, _ handshake: MessageProtocol
    ) async throws {
        let (net, clock) = (MemoryNet(), HandClock())
        let inviter = try Party("inviter", net: net, clock: clock)
        let invitee = try Party("invitee", net: net, clock: clock, seed: 2)
        try await inviter.agent.start()
        try await invitee.agent.start()
        var draft = InvitationDraft(.outOfBand, label: "Inviter")
        draft.handshakeProtocols = [handshake]
        let invitation = try await inviter.agent.invite(draft)
        if restart == .requestNotSent { net.put(nil, at: inviter.endpoint) }
        if restart == .responseLost || restart == .inviterResponded { net.swallow(true, at: invitee.endpoint) }
        _ = try await invitee.agent.accept(invitation)
        let before: [HandshakeStage] =
            switch restart {
            case .requestNotSent: []
            case .responseLost, .inviterResponded: [.responded]
            case .inviteeCompleted, .inviterCompleted: [.completed]
            }
        let isThere = try await settled([inviter, invitee]) {
            try await inviter.agent.connections().connections.map(\.stage) == before
        }
        #expect(isThere)
        while await !invitee.agent.isIdle { await Task.yield() }
        net.put(inviter.agent, at: inviter.endpoint)
        net.swallow(false, at: invitee.endpoint)
        let party = restart.isInviter ? inviter : invitee
        try await party.restart()
        let name = try #require(try await party.agent.connections().connections.first?.id)
        let handle = try #require(try await party.agent.connection(name))
        #expect(handle.outcome == .opened)
        let connection = try await whileTimePasses([inviter, invitee]) { try await handle.completed() }
        #expect(connection.id == name && connection.handshake == handshake)
        #expect(await handle.stages.reduce(into: []) { $0.append($1) } == [.completed])
        try await handle.send(text: "Good morning.")
        let other = restart.isInviter ? invitee : inviter
        #expect(
            try await settled([inviter, invitee]) {
                other.store.records(of: "aries.message").compactMap { try? ConnectionMessage($0) }
                    .contains { $0.direction == .received && $0.message.object["content"]?.string == "Good morning." }
            })
    }

    @Test func `a name without a connection has no handle, and a removed connection's handle reports that`()
        async throws
    {
        let (net, clock) = (MemoryNet(), HandClock())
        let (_, invitee, _, id) = try await connectedParties(net, clock)
        #expect(try await invitee.agent.connection("another") == nil)
        let handle = try #require(try await invitee.agent.connection(id))
        #expect(try await handle.summary().stage == .completed)
        try await invitee.agent.remove(id)
        #expect(await handle.stages.reduce(into: []) { $0.append($1) } == [.abandoned])
        await #expect(throws: AgentError(.connectionUnknown, "")) { try await handle.completed() }
        await #expect(throws: AgentError(.connectionUnknown, "")) { try await handle.summary() }
    }

    @Test func `a stopped agent's connection handle reports that, and works again when the agent is started again`()
        async throws
    {
        let (net, clock) = (MemoryNet(), HandClock())
        let (_, invitee, _, id) = try await connectedParties(net, clock)
        let handle = try #require(try await invitee.agent.connection(id))
        await invitee.agent.stop()
        await #expect(throws: AgentError(.stopped, "")) { try await handle.completed() }
        try await invitee.agent.start()
        #expect(try await handle.completed().id == id)
    }

    @Test func `an agent opened by folder, key and label goes on with its connections when it is opened again`()
        async throws
    {
        let base = FileManager.default.temporaryDirectory.appending(path: "symbolon-open-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: base) }
        let key = VaultKey.keyFile(Secret(copying: [UInt8](repeating: 7, count: 32)))
        let bank = try await Agent.open(
            folder: base + "/bank", key: key, label: "Bank", reach: .listener(ServerConfiguration()))
        var wallet = try await Agent.open(folder: base + "/wallet", key: key, label: "Wallet", policy: .allowPrivate)
        let begun = try await wallet.accept(bank.invite(InvitationDraft(.outOfBand, label: "Bank")))
        #expect(try await begun.completed().label == "Bank")
        await wallet.close()
        wallet = try await Agent.open(folder: base + "/wallet", key: key, label: "Wallet", policy: .allowPrivate)
        let handle = try #require(try await wallet.connection(begun.id))
        #expect(try await handle.completed().id == begun.id)
        let events = await bank.events()
        try await handle.send(text: "Good morning.")
        let text = await events.first { if case .received(_, .text) = $0 { true } else { false } }
        guard case .received(_, .text(let message)) = text else { throw AgentError(.stopped, "no text") }
        #expect(message.content == "Good morning.")
        await wallet.close()
        await bank.close()
        let other = VaultKey.keyFile(Secret(copying: [UInt8](repeating: 8, count: 32)))
        await #expect(throws: VaultError.self) {
            _ = try await Agent.open(folder: base + "/wallet", key: other, label: "Wallet")
        }
    }
}
