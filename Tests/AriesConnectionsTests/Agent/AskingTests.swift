import Aries
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing
import Vault

@testable import AriesConnections

@Suite struct AskingTests {
    private let net = MemoryNet()
    private let clock = HandClock()

    private func connected(
        inviteeHasAddress: Bool = true
    ) async throws -> (inviter: Party, invitee: Party, inviterID: String, inviteeID: String) {
        try await connectedParties(net, clock, inviteeHasAddress: inviteeHasAddress)
    }

    @Test(.shows("ARI-119"), arguments: [true, false])
    func `a trust ping is answered with and without an address of the sender, and is not stored`(hasAddress: Bool)
        async throws
    {
        let (_, invitee, _, inviteeID) = try await connected(inviteeHasAddress: hasAddress)
        let time = try await invitee.agent.ping(inviteeID, within: .seconds(10), comment: "there?")
        #expect(time == .zero, "no time passed on the clock of the test")
        #expect(invitee.store.records(of: "aries.message").isEmpty && invitee.store.records(of: "aries.outbox").isEmpty)
    }

    @Test(.shows("ARI-119")) func `a ping without an answer and a ping that cannot be sent fail with different codes`()
        async throws
    {
        let (inviter, invitee, _, inviteeID) = try await connected()
        let agent = invitee.agent
        net.swallow(true, at: inviter.endpoint)
        await #expect(throws: AgentError(.answerMissing, "")) {
            try await whileTimePasses([invitee]) { try await agent.ping(inviteeID, within: .seconds(10)) }
        }
        net.swallow(false, at: inviter.endpoint)
        net.refuse(1, at: inviter.endpoint)
        await #expect(throws: AgentError(.deliveryFailed, "")) {
            try await agent.ping(inviteeID, within: .seconds(10))
        }
        await #expect(throws: AgentError(.connectionUnknown, "")) { try await agent.ping("?", within: .seconds(1)) }
    }

    @Test func `a feature query returns the protocols that the peer supports, all or those that match`() async throws {
        let (_, invitee, _, inviteeID) = try await connected()
        let all = try await invitee.agent.features(of: inviteeID, within: .seconds(10))
        #expect(all.features.map(\.protocol).contains(.trustPing10))
        let some = try await invitee.agent.features(
            of: inviteeID, matching: "https://didcomm.org/basicmessage/*", within: .seconds(10))
        #expect(some.features.map(\.protocol) == [.basicMessage10])
    }

    @Test func `after a DID rotation both sides use the new DID and key, and the connection works over restarts`()
        async throws
    {
        let (inviter, invitee, inviterID, inviteeID) = try await connected()
        let before = try #require(try await invitee.agent.summary(of: inviteeID)?.connection)
        let did = try await invitee.agent.rotate(inviteeID, within: .seconds(10)).did
        let ours = try #require(try await invitee.agent.summary(of: inviteeID)?.connection)
        #expect(ours.ourDID == did && ours.ours.key != before.ours.key)
        let theirs = try #require(try await inviter.agent.summary(of: inviterID)?.connection)
        #expect(theirs.theirs.did.identity == did.identity && theirs.theirs.owns(ours.ours.key))
        try await invitee.restart()
        try await inviter.restart()
        _ = try await invitee.agent.ping(inviteeID, within: .seconds(10))
        _ = try await inviter.agent.ping(inviterID, within: .seconds(10))
        _ = try await inviter.agent.rotate(inviterID, within: .seconds(10))
        _ = try await invitee.agent.ping(inviteeID, within: .seconds(10))
        #expect(invitee.store.records(of: "aries.key").count == 2, "the key of the handshake is kept with it")
    }

    @Test(arguments: [false, true])
    func `only a problem report about the DID rotation itself ends the rotation`(isOfThread: Bool) async throws {
        let (inviter, invitee, inviterID, inviteeID) = try await connected()
        let before = try #require(try await invitee.agent.summary(of: inviteeID)?.connection?.ourDID)
        let agent = invitee.agent
        net.swallow(true, at: inviter.endpoint)
        let rotating = Task { try await agent.rotate(inviteeID, within: .seconds(60)) }
        let isTold = try await settled([invitee], within: .seconds(5)) {
            try invitee.store.records(of: "aries.inbox").contains { record in
                try ConnectionMessageHandler(stored: JSONValueReader(JSONValue(parsing: record.value))).rotation != nil
            }
        }
        #expect(isTold)
        let stored = try #require(invitee.store.records(of: "aries.inbox").first)
        let inbox = try ConnectionMessageHandler(stored: JSONValueReader(JSONValue(parsing: stored.value)))
        let thread = isOfThread ? try #require(inbox.rotation?.threadID) : "something else"
        let report = ProblemReport(code: "e.did.unresolvable", explanation: nil, threadID: thread)
        try await inviter.agent.send(
            report.message(MessageType(.didRotate10, "problem-report"), id: "report"), on: inviterID)
        #expect(
            try await settled([inviter, invitee], within: .seconds(5)) {
                try await agent.receivedMessage("report", on: inviteeID) != nil
            })
        if !isOfThread {
            net.swallow(false, at: inviter.endpoint)
            let ack = Message(
                MessageType(.didRotate10, "ack"), id: "ack", thread: MessageThread(id: inbox.rotation?.threadID))
            try await inviter.agent.send(ack, on: inviterID)
            let rotation = try await rotating.value
            #expect(rotation.isAcknowledged && rotation.did != before)
        } else {
            await #expect(throws: AriesError(.rejected, "")) { try await rotating.value }
            #expect(try await agent.summary(of: inviteeID)?.connection?.ourDID == before)
        }
    }

    @Test(.shows("CHK-133")) func `a DID rotation keeps the old DID in use until the peer acknowledges the new one`()
        async throws
    {
        let (inviter, invitee, _, inviteeID) = try await connected()
        let before = try #require(try await invitee.agent.summary(of: inviteeID)?.connection)
        let agent = invitee.agent
        net.put(nil, at: inviter.endpoint)
        await #expect(throws: AgentError(.deliveryFailed, "")) {
            try await whileTimePasses([invitee]) { try await agent.rotate(inviteeID, within: .seconds(10)) }
        }
        #expect(try await agent.summary(of: inviteeID)?.connection == before)
        net.put(inviter.agent, at: inviter.endpoint)
        try await invitee.restart()
        let isChanged = try await settled([inviter, invitee]) {
            try await invitee.agent.summary(of: inviteeID)?.connection?.ours.key != before.ours.key
        }
        #expect(isChanged)
    }

    @Test func `hanging up informs the peer and deletes the connection and its records`() async throws {
        let (inviter, invitee, inviterID, inviteeID) = try await connected()
        #expect(try await invitee.agent.hangUp(inviteeID, within: .seconds(10)))
        #expect(invitee.store.content.records.isEmpty)
        let isEnded = try await settled([inviter, invitee]) {
            try await inviter.agent.summary(of: inviterID)?.isEnded == true
        }
        #expect(isEnded)
        #expect(try await !inviter.agent.hangUp(inviterID, within: .seconds(10)), "nobody is left to be told")
        #expect(try await inviter.agent.summary(of: inviterID) == nil)
        await #expect(throws: AgentError(.connectionUnknown, "")) {
            try await inviter.agent.hangUp(inviterID, within: .seconds(10))
        }
    }

    @Test func `hanging up deletes the connection within the time-out although the peer cannot be reached`()
        async throws
    {
        let (inviter, invitee, _, inviteeID) = try await connected()
        let agent = invitee.agent
        net.put(nil, at: inviter.endpoint)
        #expect(try await !agent.hangUp(inviteeID, within: .seconds(10)))
        #expect(invitee.store.content.records.isEmpty)
    }

    @Test func `a connectionless request is stored and reported, and its sender is informed when it is declined`()
        async throws
    {
        let (inviter, invitee, _, _) = try await connected()
        let invitation = try await inviter.agent.invite(InvitationDraft(.outOfBand, label: "Inviter"))
        let key = try #require(invitation.firstKey)
        let service: JSONValue = [
            "recipientKeys": [.string(key.base58)], "serviceEndpoint": .string(inviter.endpoint.text),
        ]
        let request = Message(
            MessageType(MessageProtocol("present-proof", 1, 0), "request-presentation"), id: "alone-1"
        ).decorated("~service", service)
        let told = await invitee.agent.events()
        let kept = try await invitee.agent.keep(request)
        #expect(kept.binding == .connectionless && kept.invitationID == nil)
        #expect(try await told.first(within: .seconds(1), by: clock) { $0 == .requested(kept) ? true : nil } == true)
        let heard = await inviter.agent.events()
        try await invitee.agent.decline(kept)
        #expect(try await invitee.agent.requests() == [])
        let code = try await heard.first(within: .seconds(1), by: clock) { event in
            if case .passedOver(_, let code, _) = event { code } else { nil }
        }
        #expect(code == "aries.message.unexpected", "it came, and our inviter has no use for it")
        await #expect(throws: AgentError(.requestUnknown, "")) { try await invitee.agent.decline(kept) }
    }

    @Test func `delivery status is taken from the message's own report only`() async throws {
        for (event, isDelivered) in [
            (AgentEvent.sent(connection: "1", messageID: "ours"), true),
            (.undelivered(connection: "1", messageID: "ours"), false),
        ] {
            let (events, continuation) = AsyncStream.makeStream(of: AgentEvent.self)
            for (connection, id) in [("1", "other"), ("2", "ours")] {
                continuation.yield(.sent(connection: connection, messageID: id))
                continuation.yield(.undelivered(connection: connection, messageID: id))
            }
            continuation.yield(event)
            #expect(try await events.delivery(of: "ours", on: "1", within: .seconds(1), by: clock) == isDelivered)
        }
    }

    @Test func `declining a request reports an undelivered refusal when the refusal cannot be sent`() async throws {
        let (_, invitee, _, _) = try await connected()
        let type = MessageType(MessageProtocol("present-proof", 1, 0), "request-presentation")
        let kept = try await invitee.agent.keep(Message(type, id: "alone-2"))
        let told = await invitee.agent.events()
        let refusal = try await invitee.agent.decline(kept)
        #expect(try await told.delivery(of: refusal, on: "alone-2", within: .seconds(1), by: clock) == false)
    }

    @Test func `planning to accept an invitation reports the effect and accepts nothing`() async throws {
        let (inviter, invitee, _, inviteeID) = try await connected()
        let stored = try #require(inviter.store.records(of: "aries.invitation").first)
        let invitation = try InvitationRecord(stored).issued.invitation
        #expect(try await invitee.agent.plan(for: invitation) == .acceptedBefore(connection: inviteeID))
        let another = try await inviter.agent.invite(InvitationDraft(.outOfBand, label: "Inviter"))
        #expect(try await invitee.agent.plan(for: another) == .handshake(.didExchange11, requests: []))
        #expect(try await invitee.agent.connections().connections.count == 1)
    }

    @Test func `an invitation accepted with a time-out of its own is given up then, and other handshakes are not`()
        async throws
    {
        let inviter = try Party("inviter", net: net, clock: clock)
        let invitee = try Party("invitee", net: net, clock: clock, seed: 2)
        try await inviter.agent.start()
        try await invitee.agent.start()
        net.put(nil, at: inviter.endpoint)
        let draft = InvitationDraft(.connections, label: "Inviter")
        let long = try await invitee.agent.accept(inviter.agent.invite(draft))
        let short = try await invitee.agent.accept(inviter.agent.invite(draft), giveUpAfter: .seconds(20))
        let isOver = try await settled([inviter, invitee], within: .seconds(60)) {
            try await invitee.agent.summary(of: short.id)?.stage == .abandoned
        }
        #expect(isOver)
        #expect(try await invitee.agent.summary(of: long.id)?.stage == .requested)
    }
}
