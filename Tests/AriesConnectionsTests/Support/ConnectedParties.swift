import Aries
import TestSupport
import Testing

@testable import AriesConnections

/// Starts two agents and connects them; returns both, and the identifier of the connection at each.
func connectedParties(
    _ net: MemoryNet, _ clock: HandClock, inviteeHasAddress: Bool = true, name: String? = nil,
    adjust: @escaping (inout AgentConfiguration) -> Void = { _ in }
) async throws -> (inviter: Party, invitee: Party, inviterID: String, inviteeID: String) {
    let inviter = try Party("inviter", net: net, clock: clock, adjust: adjust)
    let invitee = try Party("invitee", net: net, clock: clock, seed: 2, hasAddress: inviteeHasAddress, adjust: adjust)
    try await inviter.agent.start()
    try await invitee.agent.start()
    let invitation = try await inviter.agent.invite(InvitationDraft(.outOfBand, label: "Inviter"))
    let connection = try await invitee.agent.accept(invitation, name: name)
    _ = try await connection.completed()
    let isComplete = try await settled([inviter, invitee]) {
        try await inviter.agent.connections().connections.map(\.stage) == [.completed]
    }
    #expect(isComplete)
    let inviterID = try #require(try await inviter.agent.connections().connections.first?.id)
    return (inviter, invitee, inviterID, connection.id)
}
