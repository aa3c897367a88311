import Aries
import DIDComm
import Determinism
import TestSupport
import Testing

@testable import AriesConnections

@Suite struct ConnectingTests {
    private let net = MemoryNet()
    private let clock = HandClock()

    private func draft(_ kind: Invitation.Kind, _ handshakes: [MessageProtocol]? = nil) -> InvitationDraft {
        var draft = InvitationDraft(kind, label: "Inviter")
        if let handshakes { draft.handshakeProtocols = handshakes }
        return draft
    }

    private func summaries(_ party: Party) async throws -> [ConnectionSummary] {
        try await party.agent.connections().connections
    }

    private func bothComplete(_ parties: Party...) async throws -> Bool {
        for party in parties where try await summaries(party).map(\.stage) != [.completed] { return false }
        return true
    }

    @Test(
        arguments: [
            (Invitation.Kind.connections, nil), (.outOfBand, [.connections10]), (.outOfBand, [.didExchange10]),
            (.outOfBand, [.didExchange11]),
        ] as [(Invitation.Kind, [MessageProtocol]?)])
    func `an accepted invitation ends in a connection on both sides`(
        kind: Invitation.Kind, handshakes: [MessageProtocol]?
    ) async throws {
        let inviter = try Party("inviter", net: net, clock: clock)
        let invitee = try Party("invitee", net: net, clock: clock, seed: 2)
        try await inviter.agent.start()
        try await invitee.agent.start()
        let invitation = try await inviter.agent.invite(draft(kind, handshakes))
        let connection = try await invitee.agent.accept(invitation)
        #expect(connection.outcome == .begun)
        let ours = try await connection.completed()
        #expect(try await settled([inviter, invitee]) { try await bothComplete(inviter, invitee) })
        let theirs = try #require(try await summaries(inviter).first?.connection)
        #expect(ours.theirs.verkeys.contains(theirs.ours.key) && theirs.theirs.owns(ours.ours.key))
        #expect(ours.role == .invitee && theirs.role == .inviter && ours.label == "Inviter")
        #expect(clock.now() == .zero, "nothing had to be waited for")
    }
}
