import Aries
import DIDComm
import Determinism
import TestSupport
import Testing
import Vault

@testable import AriesConnections

/// Two agents on one store, as two commands are of which one listens.
@Suite struct SharingTests {
    private let net = MemoryNet()
    private let clock = HandClock()

    /// An agent that accepts on the store of one that listens, and asks for answers only where `asks`.
    private func accepting(for listener: Party, asks: Bool) async throws -> Agent {
        var configuration = AgentConfiguration(label: listener.name)
        configuration.endpoint = listener.endpoint
        configuration.asksForAnswers = asks
        let agent = Agent(
            store: listener.store, transport: MemoryTransport(net), configuration: configuration, clock: clock,
            random: SeededRandom(seed: 99), wallTime: { WallTime(millisecondsSinceEpoch: 1_760_000_000_000) })
        try await agent.start()
        return agent
    }

    private func parties() async throws -> (inviter: Party, listener: Party) {
        let inviter = try Party("inviter", net: net, clock: clock)
        let listener = try Party("listener", net: net, clock: clock, seed: 2)
        try await inviter.agent.start()
        try await listener.agent.start()
        return (inviter, listener)
    }

    @Test func `an agent that does not listen at its address asks for answers on the connections that it opens`()
        async throws
    {
        let (inviter, listener) = try await parties()
        let agent = try await accepting(for: listener, asks: true)
        // The listener is away, so an answer that went to the address would be lost.
        net.put(nil, at: listener.endpoint)
        let invitation = try await inviter.agent.invite(InvitationDraft(.outOfBand, label: "Inviter"))
        let connection = try await agent.accept(invitation).completed()
        #expect(connection.ours.endpoint == listener.endpoint)
        await agent.stop()
    }

    @Test func `a handshake that another process on the same store completed is completed for this agent too`()
        async throws
    {
        let (inviter, listener) = try await parties()
        let agent = try await accepting(for: listener, asks: false)
        let invitation = try await inviter.agent.invite(InvitationDraft(.outOfBand, label: "Inviter"))
        let begun = try await agent.accept(invitation)
        let isComplete = try await settled([inviter, listener]) {
            try await listener.agent.summary(of: begun.id)?.stage == .completed
        }
        #expect(isComplete)
        // It may have met the newer record already, when it noted that its request was handed over.
        try await agent.catchUp()
        #expect(try await begun.completed().id == begun.id)
        await agent.stop()
    }

    @Test func `a reuse agreement that another process on the same store received is taken over by this agent`()
        async throws
    {
        let (inviter, listener) = try await parties()
        let agent = try await accepting(for: listener, asks: true)
        let first = try await inviter.agent.invite(InvitationDraft(.outOfBand, label: "Inviter"))
        let connection = try await agent.accept(first)
        _ = try await connection.completed()
        let isComplete = try await settled([inviter, listener]) {
            try await inviter.agent.connections().connections.map(\.stage) == [.completed]
        }
        #expect(isComplete)
        await agent.stop()
        let second = try await known(to: inviter)
        let later = try await accepting(for: listener, asks: false)
        async let accepted = later.accept(second)
        let isAnswered = try await settled([inviter, listener]) {
            let isAsked = try await later.perform { $0.parts.reuse.count } > 0
            return isAsked && listener.store.records(of: "aries.reuse").isEmpty
        }
        #expect(isAnswered)
        try await later.catchUp()
        let outcome = try await accepted
        #expect(outcome.outcome == .reused && outcome.id == connection.id)
        await later.stop()
    }

    /// Another invitation of the same inviter, with the key of the first.
    private func known(to inviter: Party) async throws -> Invitation {
        let stored = try #require(inviter.store.records(of: "aries.invitation").first)
        let address = try InvitationRecord(stored).issued.address
        let invitation = try InvitationDraft(.outOfBand, label: "Inviter").invitation(id: "another", address: address)
        let record = InvitationRecord(IssuedInvitation(invitation, address: address, isMultiUse: true))
        try await inviter.store.write { store in try record.save(in: store) }
        return invitation
    }
}
