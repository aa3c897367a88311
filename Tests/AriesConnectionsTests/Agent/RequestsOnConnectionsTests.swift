import Aries
import DIDComm
import Determinism
import TestSupport
import Testing
import Vault

@testable import AriesConnections

/// Requests of protocols that nothing here speaks, and invitations that were made before.
@Suite struct RequestsOnConnectionsTests {
    private let net = MemoryNet()
    private let clock = HandClock()

    private static func request(_ id: String) -> Message {
        Message(MessageType(MessageProtocol("present-proof", 2, 0), "request-presentation"), id: id)
    }

    @Test(.shows("ARI-128"))
    func `a request on a connection is stored, reported, and declined with its own protocol's problem report`()
        async throws
    {
        let (inviter, invitee, inviterID, inviteeID) = try await connectedParties(net, clock)
        let told = await invitee.agent.events()
        try await inviter.agent.send(Self.request("proof-1"), on: inviterID)
        let request = try #require(
            try await whileTimePasses([inviter, invitee]) {
                try await told.first(within: .seconds(5), by: clock) { event in
                    if case .requested(let request) = event { request } else { nil }
                }
            })
        #expect(request.binding == .connection(inviteeID) && request.message.id == "proof-1")
        try await invitee.restart()
        #expect(try await invitee.agent.requests(on: inviteeID) == [request])
        try await invitee.agent.decline(request)
        #expect(try await invitee.agent.requests() == [])
        let refusal = try await settled([inviter, invitee]) {
            let messages = try await inviter.agent.messages(on: inviterID).messages.filter { $0.direction == .received }
            return messages.contains {
                $0.message.type.description == "https://didcomm.org/present-proof/2.0/problem-report"
            }
        }
        #expect(refusal)
    }

    @Test func `at most 256 requests of one connection wait, and a further one is stored as a message only`()
        async throws
    {
        let (inviter, invitee, inviterID, inviteeID) = try await connectedParties(net, clock)
        try await invitee.store.write { store in
            for number in 1..<AttachedRequestRecord.maximumArrived {
                let request = AttachedRequest(
                    Self.request("old-\(number)"), invitationID: nil, binding: .connection(inviteeID))
                try AttachedRequestRecord(request).insert(into: store)
            }
        }
        for id in ["last", "beyond"] { try await inviter.agent.send(Self.request(id), on: inviterID) }
        let isKept = try await settled([inviter, invitee]) {
            try await invitee.agent.receivedMessage("beyond", on: inviteeID) != nil
        }
        #expect(isKept)
        let names = try await invitee.agent.requests(on: inviteeID).map(\.message.id)
        #expect(
            names.count == AttachedRequestRecord.maximumArrived && names.contains("last") && !names.contains("beyond"))
    }

    @Test func `invitations are listed with their state, and a withdrawn one makes no connection`() async throws {
        let inviter = try Party("inviter", net: net, clock: clock)
        let invitee = try Party("invitee", net: net, clock: clock, seed: 2)
        try await inviter.agent.start()
        try await invitee.agent.start()
        var draft = InvitationDraft(.outOfBand, label: "Inviter")
        draft.goal = "to meet"
        let used = try await inviter.agent.invite(draft)
        let many = try await inviter.agent.invite(draft, isMultiUse: true)
        _ = try await invitee.agent.accept(used).completed()
        let withdrawn = try await inviter.agent.withdraw(many.id)
        #expect(withdrawn.standing == .withdrawn && withdrawn.isMultiUse)
        try await inviter.restart()
        let listed = try await inviter.agent.invitations().invitations
        #expect(listed.map(\.invitation.id) == [used.id, many.id] && listed.map(\.standing) == [.used, .withdrawn])
        #expect(listed.first?.invitation.goal == "to meet" && listed.first?.endpoint == inviter.endpoint)
        #expect(listed.allSatisfy { $0.created == WallTime(millisecondsSinceEpoch: 1_760_000_000_000) })
        let refused = try await invitee.agent.accept(many)
        await #expect(throws: AriesError(.rejected, "")) { try await refused.completed() }
        await #expect(throws: AgentError(.invitationUnknown, "")) { try await inviter.agent.withdraw("none") }
        await #expect(throws: AgentError(.connectionAbandoned, "")) {
            try await invitee.agent.ping(refused.id, within: .seconds(1))
        }
    }

    @Test func `the stages reported for a connection name the invitation that it came from`() async throws {
        let inviter = try Party("inviter", net: net, clock: clock)
        let invitee = try Party("invitee", net: net, clock: clock, seed: 2)
        try await inviter.agent.start()
        try await invitee.agent.start()
        let events = await inviter.agent.events()
        let first = try await inviter.agent.invite(InvitationDraft(.outOfBand, label: "1"))
        let second = try await inviter.agent.invite(InvitationDraft(.outOfBand, label: "2"))
        for invitation in [second, first] {
            _ = try await invitee.agent.accept(invitation).completed()
            let name = try await whileTimePasses([inviter, invitee]) {
                try await events.first(within: .seconds(5), by: clock) { event in
                    if case .stage(_, .completed, _, let name) = event { name } else { nil }
                }
            }
            #expect(name == invitation.id)
        }
    }

    @Test func `the DID method of our DID can be chosen for a single connection`() async throws {
        let inviter = try Party("inviter", net: net, clock: clock)
        let invitee = try Party("invitee", net: net, clock: clock, seed: 2)
        try await inviter.agent.start()
        try await invitee.agent.start()
        for (form, start) in [(DIDForm.peer2, "did:peer:2"), (.peer4, "did:peer:4")] {
            let invitation = try await inviter.agent.invite(InvitationDraft(.outOfBand, label: "Inviter"))
            let connection = try await invitee.agent.accept(invitation, form: form).completed()
            #expect(connection.ourDID.text.hasPrefix(start))
        }
    }
}
