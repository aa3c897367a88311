import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing
import Vault

@testable import AriesConnections

@Suite struct AgentTests {
    private let net = MemoryNet()
    private let clock = HandClock()

    private func text(_ number: Int) -> Message {
        Message(
            MessageType(MessageProtocol("basicmessage", 1, 0), "message"), id: "message-\(number)",
            body: ["content": .string("\(number)")])
    }

    /// Two agents with a complete connection, and its name at each.
    private func connected(
        inviteeHasAddress: Bool = true, adjust: @escaping (inout AgentConfiguration) -> Void = { _ in }
    ) async throws -> (inviter: Party, invitee: Party, inviterID: String, inviteeID: String) {
        try await connectedParties(
            net, clock, inviteeHasAddress: inviteeHasAddress, name: "friend", adjust: adjust)
    }

    private func received(_ party: Party) -> [String] {
        party.store.records(of: "aries.message").compactMap { try? ConnectionMessage($0) }
            .filter { $0.direction == .received }.map(\.message.id)
            .filter { $0.hasPrefix("message-") }
    }

    @Test func `an agent refuses calls as stopped before its start and after its stop`() async throws {
        let party = try Party("a", net: net, clock: clock)
        let draft = InvitationDraft(.outOfBand, label: "A")
        await #expect(throws: AgentError(.stopped, "")) { try await party.agent.invite(draft) }
        try await party.agent.start()
        try await party.agent.start()
        _ = try await party.agent.invite(draft)
        await party.agent.stop()
        await #expect(throws: AgentError(.stopped, "")) { try await party.agent.invite(draft) }
        await #expect(throws: AgentError(.stopped, "")) { try await party.agent.receive(Array("{}".utf8)) }
    }

    @Test func `an agent with the allowed number of waiting operations refuses a further one as busy`() async throws {
        let none = try Party("a", net: net, clock: clock) { $0.maximumWaiting = 0 }
        await #expect(throws: AgentError(.busy, "")) { try await none.agent.start() }
        let one = try Party("b", net: net, clock: clock) { $0.maximumWaiting = 1 }
        try await one.agent.start()
        _ = try await one.agent.invite(InvitationDraft(.outOfBand, label: "B"))
    }

    @Test func `an agent with the allowed number of open handshakes refuses to accept another invitation`() async throws
    {
        let inviter = try Party("inviter", net: net, clock: clock)
        let invitee = try Party("invitee", net: net, clock: clock, seed: 2) { $0.maximumHandshakes = 1 }
        try await inviter.agent.start()
        try await invitee.agent.start()
        net.put(nil, at: inviter.endpoint)
        _ = try await invitee.agent.accept(inviter.agent.invite(InvitationDraft(.outOfBand, label: "1")))
        let second = try await inviter.agent.invite(InvitationDraft(.outOfBand, label: "2"))
        await #expect(throws: AgentError(.busy, "")) { try await invitee.agent.accept(second) }
    }

    @Test func `the stages of a new connection are reported up to its completion`() async throws {
        let inviter = try Party("inviter", net: net, clock: clock)
        let invitee = try Party("invitee", net: net, clock: clock, seed: 2)
        try await inviter.agent.start()
        try await invitee.agent.start()
        net.put(nil, at: inviter.endpoint)
        let connection = try await invitee.agent.accept(
            inviter.agent.invite(InvitationDraft(.connections, label: "Inviter")))
        let stages = await connection.followedStages()
        net.put(inviter.agent, at: inviter.endpoint)
        async let seen = stages.reduce(into: []) { $0.append($1) }
        let isComplete = try await settled([inviter, invitee]) {
            try await invitee.agent.summary(of: connection.id)?.stage == .completed
        }
        #expect(isComplete)
        #expect(await seen == [.requested, .completed])
        #expect(await connection.stages.reduce(into: []) { $0.append($1) } == [.completed])
    }

    @Test func `an invitee gives up an inviter that never answers, once, and reports the cause to the caller`()
        async throws
    {
        let inviter = try Party("inviter", net: net, clock: clock)
        let invitee = try Party("invitee", net: net, clock: clock, seed: 2) { $0.policy.giveUpAfter = .seconds(300) }
        try await inviter.agent.start()
        try await invitee.agent.start()
        let invitation = try await inviter.agent.invite(InvitationDraft(.connections, label: "Inviter"))
        net.put(nil, at: inviter.endpoint)
        let connection = try await invitee.agent.accept(invitation)
        let isOver = try await settled([inviter, invitee]) {
            try await invitee.agent.summary(of: connection.id)?.stage == .abandoned
        }
        #expect(isOver)
        await #expect(throws: AriesError(.timeout, "")) { try await connection.completed() }
        #expect(try await invitee.agent.summary(of: connection.id)?.failure == AriesError(.timeout, ""))
        try await invitee.restart()
        #expect(try await invitee.agent.summary(of: connection.id)?.stage == .abandoned)
    }

    @Test(.shows("ARI-084"))
    func `messages arrive in order and once, although deliveries failed and envelopes came twice`() async throws {
        let (inviter, invitee, inviterID, inviteeID) = try await connected()
        net.refuse(2, at: inviter.endpoint)
        for number in 1...3 { try await invitee.agent.send(text(number), on: inviteeID) }
        try await inviter.agent.send(text(4), on: inviterID)
        #expect(try await settled([inviter, invitee]) { received(inviter).count == 3 && received(invitee).count == 1 })
        #expect(received(inviter) == ["message-1", "message-2", "message-3"])
        for envelope in net.carried { try await inviter.agent.receive(envelope) }
        #expect(received(inviter) == ["message-1", "message-2", "message-3"], "nothing is taken twice")
        #expect(invitee.store.records(of: "aries.outbox").isEmpty)
    }

    @Test(.shows("CHK-133")) func `a message that cannot be delivered is reported, kept, and sent after a restart`()
        async throws
    {
        let (inviter, invitee, _, inviteeID) = try await connected { $0.retryAfter = [.seconds(1), .seconds(5)] }
        let events = await invitee.agent.events()
        net.put(nil, at: inviter.endpoint)
        try await invitee.agent.send(text(1), on: inviteeID)
        var undelivered: AgentEvent?
        async let told: AgentEvent? = {
            for await event in events { if case .undelivered = event { return event } }
            return nil
        }()
        _ = try await settled([inviter, invitee], within: .seconds(60)) { false }
        await invitee.agent.stop()
        undelivered = await told
        #expect(undelivered == .undelivered(connection: inviteeID, messageID: "message-1"))
        #expect(invitee.store.records(of: "aries.outbox").count == 1)
        net.put(inviter.agent, at: inviter.endpoint)
        try await invitee.restart()
        #expect(try await settled([inviter, invitee]) { received(inviter) == ["message-1"] })
    }

    @Test func `an agent without an address gets waiting messages in the responses to what it sends`() async throws {
        let (inviter, invitee, inviterID, inviteeID) = try await connected(inviteeHasAddress: false)
        try await inviter.agent.send(text(1), on: inviterID)
        _ = try await settled([inviter, invitee], within: .seconds(60)) { false }
        #expect(inviter.store.records(of: "aries.outbox").count == 1, "it is kept until the invitee asks")
        try await invitee.agent.send(text(2), on: inviteeID)
        #expect(try await settled([inviter, invitee]) { received(invitee) == ["message-1"] })
        #expect(received(inviter) == ["message-2"])
    }

    @Test(.shows("CHK-054"))
    func `a single-use invitation is refused to a second invitee, which learns that it was rejected`() async throws {
        let (inviter, invitee, _, _) = try await connected()
        let third = try Party("third", net: net, clock: clock, seed: 3)
        try await third.agent.start()
        let stored = try #require(inviter.store.records(of: "aries.invitation").first)
        let invitation = try InvitationRecord(stored).issued.invitation
        let connection = try await third.agent.accept(invitation)
        let isOver = try await settled([inviter, invitee, third]) {
            try await third.agent.summary(of: connection.id)?.stage == .abandoned
        }
        #expect(isOver)
        #expect(try await third.agent.summary(of: connection.id)?.failure?.code == .rejected)
        #expect(try await inviter.agent.connections().connections.count == 1)
    }

    @Test(.shows("ARI-002", "ARI-072"))
    func `a multi-use invitation makes a connection for each invitee, each with keys of its own`() async throws {
        let inviter = try Party("inviter", net: net, clock: clock)
        try await inviter.agent.start()
        let invitation = try await inviter.agent.invite(
            InvitationDraft(.outOfBand, label: "Inviter"), isMultiUse: true)
        var invitees: [Party] = []
        for seed in 2...4 as ClosedRange<UInt64> {
            let invitee = try Party("invitee\(seed)", net: net, clock: clock, seed: seed)
            try await invitee.agent.start()
            _ = try await invitee.agent.accept(invitation).completed()
            invitees.append(invitee)
        }
        let isComplete = try await settled([inviter] + invitees) {
            try await inviter.agent.connections().connections.map(\.stage) == [.completed, .completed, .completed]
        }
        #expect(isComplete)
        let keys = try await inviter.agent.connections().connections.compactMap(\.connection?.ours.key)
        #expect(Set(keys).count == 3)
    }

    @Test(.shows("ARI-060"))
    func `accepting an invitation again, or another one of the same inviter, returns the existing connection`()
        async throws
    {
        let (inviter, invitee, _, inviteeID) = try await connected()
        let stored = try #require(inviter.store.records(of: "aries.invitation").first)
        let invitation = try InvitationRecord(stored).issued.invitation
        let again = try await invitee.agent.accept(invitation)
        #expect(again.id == inviteeID && again.outcome == .acceptedBefore)
        let address = try InvitationRecord(stored).issued.address
        let another = try InvitationDraft(.connections, label: "Inviter").invitation(id: "another", address: address)
        let used = try await invitee.agent.accept(another)
        #expect(used.id == inviteeID && used.outcome == .existing)
        #expect(try await invitee.agent.connections().connections.count == 1)
    }

    @Test(.shows("ARI-060"))
    func `an invitation accepted before is recognised among all connections, not only the latest`() async throws {
        let inviter = try Party("inviter", net: net, clock: clock)
        let invitee = try Party("invitee", net: net, clock: clock, seed: 2)
        try await inviter.agent.start()
        try await invitee.agent.start()
        var accepted: [(invitation: Invitation, connection: String)] = []
        for number in 1...4 {
            let invitation = try await inviter.agent.invite(InvitationDraft(.outOfBand, label: "\(number)"))
            let connection = try await invitee.agent.accept(invitation)
            _ = try await connection.completed()
            accepted.append((invitation, connection.id))
        }
        try await invitee.restart()
        #expect(Set(accepted.map(\.connection)).count == 4)
        for (invitation, connection) in accepted {
            #expect(try await invitee.agent.plan(for: invitation) == .acceptedBefore(connection: connection))
            var object = invitation.object
            object["@id"] = "another"
            #expect(
                try await invitee.agent.plan(for: Invitation(object))
                    == .reuse(connection: connection, fallback: .didExchange11, requests: []))
        }
    }

    @Test(.shows("ARI-101")) func `removing a connection deletes its keys and its messages`() async throws {
        let (inviter, invitee, inviterID, inviteeID) = try await connected()
        try await inviter.agent.send(text(1), on: inviterID)
        #expect(try await settled([inviter, invitee]) { received(invitee).count == 1 })
        try await invitee.agent.remove(inviteeID)
        #expect(invitee.store.content.records.isEmpty)
        #expect(try await invitee.agent.summary(of: inviteeID) == nil)
        await #expect(throws: AgentError(.connectionUnknown, "")) { try await invitee.agent.remove(inviteeID) }
        await #expect(throws: AgentError(.connectionUnknown, "")) {
            try await invitee.agent.send(text(2), on: inviteeID)
        }
    }

    @Test func `sending a message on a connection that is not complete is refused`() async throws {
        let inviter = try Party("inviter", net: net, clock: clock)
        let invitee = try Party("invitee", net: net, clock: clock, seed: 2)
        try await inviter.agent.start()
        try await invitee.agent.start()
        net.put(nil, at: inviter.endpoint)
        let connection = try await invitee.agent.accept(
            inviter.agent.invite(InvitationDraft(.outOfBand, label: "Inviter")))
        await #expect(throws: AgentError(.connectionIncomplete, "")) {
            try await invitee.agent.send(text(1), on: connection.id)
        }
    }

    @Test(.shows("ARI-055", "ARI-056", "ARI-087", "ARI-110", "CHK-134"))
    func `a connection keeps its invitation, its goal, its start time and its stage over a restart`() async throws {
        let inviter = try Party("inviter", net: net, clock: clock)
        let invitee = try Party("invitee", net: net, clock: clock, seed: 2)
        try await inviter.agent.start()
        try await invitee.agent.start()
        var draft = InvitationDraft(.outOfBand, label: "Inviter")
        draft.goal = "to meet"
        draft.imageURL = "https://example.com/logo.png"
        let invitation = try await inviter.agent.invite(draft)
        net.swallow(true, at: inviter.endpoint)
        let connection = try await invitee.agent.accept(invitation)
        try await invitee.restart()
        let pending = try #require(try await invitee.agent.summary(of: connection.id))
        #expect(pending.stage == .requested && pending.connection == nil && pending.invitation == invitation)
        #expect(pending.invitation.goal == "to meet" && pending.invitation.imageURL == draft.imageURL)
        #expect(pending.created == WallTime(millisecondsSinceEpoch: 1_760_000_000_000))
        // A request that was sent a moment ago is not sent again.
        _ = try await settled([inviter, invitee], within: .seconds(10)) { false }
        net.swallow(false, at: inviter.endpoint)
        _ = try await invitee.agent.accept(invitation)
        let isComplete = try await settled([inviter, invitee]) {
            try await invitee.agent.summary(of: connection.id)?.stage == .completed
        }
        #expect(isComplete)
        let complete = try #require(try await invitee.agent.summary(of: connection.id)?.connection)
        #expect(
            complete.theirs.services.first?.endpoint == inviter.endpoint && complete.ours.endpoint == invitee.endpoint)
        #expect(try await invitee.agent.connections().connections.count == 1)
    }

    @Test(.shows("ARI-008"))
    func `two agents that accept each other's invitations at the same time get both connections`() async throws {
        let one = try Party("one", net: net, clock: clock)
        let other = try Party("other", net: net, clock: clock, seed: 2)
        try await one.agent.start()
        try await other.agent.start()
        let there = try await one.agent.accept(other.agent.invite(InvitationDraft(.outOfBand, label: "Other")))
        let back = try await other.agent.accept(one.agent.invite(InvitationDraft(.connections, label: "One")))
        _ = try await there.completed()
        _ = try await back.completed()
        let isComplete = try await settled([one, other]) {
            for party in [one, other] {
                let connections = try await party.agent.connections().connections
                guard connections.map(\.stage) == [.completed, .completed] else { return false }
                guard Set(connections.map(\.role)) == [.inviter, .invitee] else { return false }
            }
            return true
        }
        #expect(isComplete)
    }

    @Test(.shows("ARI-055")) func `connections are listed in pages, oldest first, with their names`() async throws {
        let (_, invitee, _, inviteeID) = try await connected()
        let page = try await invitee.agent.connections(limit: 1)
        #expect(page.connections.map(\.id) == [inviteeID] && page.next == nil)
        #expect(page.connections.first?.name == "friend" && page.connections.first?.label == "Inviter")
        #expect(page.connections.first?.role == .invitee)
    }
}
