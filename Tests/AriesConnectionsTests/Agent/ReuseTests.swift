import Aries
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing
import Vault

@testable import AriesConnections

@Suite struct ReuseTests {
    private let net = MemoryNet()
    private let clock = HandClock()

    private func connected() async throws -> (inviter: Party, invitee: Party, inviteeID: String) {
        let (inviter, invitee, _, inviteeID) = try await connectedParties(net, clock)
        return (inviter, invitee, inviteeID)
    }

    /// Another invitation with the key of the first, as agents make them that have one key for all.
    private func another(
        _ inviter: Party, id: String = "another", isKnown: Bool = true, requests: [MessageAttachment] = []
    ) async throws -> Invitation {
        let stored = try #require(inviter.store.records(of: "aries.invitation").first)
        let address = try InvitationRecord(stored).issued.address
        var draft = InvitationDraft(.outOfBand, label: "Inviter")
        draft.requests = requests
        let invitation = try draft.invitation(id: id, address: address)
        guard isKnown else { return invitation }
        let record = InvitationRecord(IssuedInvitation(invitation, address: address, isMultiUse: true))
        try await inviter.store.write { store in try record.save(in: store) }
        return invitation
    }

    private func request(_ id: String = "request-1") -> Message {
        Message(MessageType(MessageProtocol("present-proof", 1, 0), "request-presentation"), id: id)
    }

    private func attached(_ message: Message) -> MessageAttachment {
        MessageAttachment(id: "request-0", mimeType: "application/json", content: .json(.object(message.object)))
    }

    @Test func `an invitation of a known inviter reuses the connection when the inviter agrees`() async throws {
        let (inviter, invitee, id) = try await connected()
        let events = await inviter.agent.events()
        let connection = try await invitee.agent.accept(another(inviter))
        #expect(connection.outcome == .reused && connection.id == id)
        #expect(try await invitee.agent.connections().connections.count == 1)
        #expect(invitee.store.records(of: "aries.reuse").isEmpty)
        var told = false
        for await case .reused(_, "another") in events {
            told = true
            break
        }
        #expect(told)
    }

    @Test func `an invitee makes a new connection when a known inviter does not answer the reuse request in time`()
        async throws
    {
        let (inviter, invitee, id) = try await connected()
        let invitation = try await another(inviter, isKnown: false)
        async let accepted = invitee.agent.accept(invitation)
        let isAnew = try await settled([inviter, invitee]) {
            try await invitee.agent.connections().connections.count == 2
        }
        #expect(isAnew)
        let connection = try await accepted
        #expect(connection.outcome == .begun && connection.id != id)
        #expect(invitee.store.records(of: "aries.reuse").isEmpty)
    }

    @Test(.shows("CHK-135")) func `a reuse request without an answer before a crash is sent again after it`()
        async throws
    {
        let (inviter, invitee, id) = try await connected()
        let invitation = try await another(inviter)
        net.swallow(true, at: inviter.endpoint)
        let agent = invitee.agent
        let accepting = Task { try await agent.accept(invitation) }
        let isAsked = try await settled([invitee], within: .seconds(5)) {
            !invitee.store.records(of: "aries.reuse").isEmpty
        }
        #expect(isAsked)
        await invitee.agent.stop()
        await #expect(throws: AgentError(.stopped, "")) { try await accepting.value }
        net.swallow(false, at: inviter.endpoint)
        try await invitee.restart()
        #expect(try await settled([inviter, invitee]) { invitee.store.records(of: "aries.reuse").isEmpty })
        #expect(try await invitee.agent.connections().connections.map(\.id) == [id])
    }

    @Test func `an agent that stops while a reuse request is stored ends the wait of the caller`() async throws {
        let (inviter, invitee, id) = try await connected()
        let invitation = try await another(inviter)
        net.swallow(true, at: inviter.endpoint)
        let (agent, store) = (invitee.agent, invitee.store)
        store.afterWrite {
            store.afterWrite(nil)
            await agent.stop()
        }
        await #expect(throws: AgentError(.stopped, "")) { try await agent.accept(invitation) }
        net.swallow(false, at: inviter.endpoint)
        try await agent.start()
        #expect(try await settled([inviter, invitee]) { store.records(of: "aries.reuse").isEmpty })
        #expect(try await agent.connections().connections.map(\.id) == [id])
    }

    @Test
    func
        `a request in an invitation is stored when the connection completes, and declining it informs the sender`()
        async throws
    {
        let inviter = try Party("inviter", net: net, clock: clock)
        let invitee = try Party("invitee", net: net, clock: clock, seed: 2)
        try await inviter.agent.start()
        try await invitee.agent.start()
        var draft = InvitationDraft(.outOfBand, label: "Inviter")
        draft.requests = [attached(request())]
        let connection = try await invitee.agent.accept(inviter.agent.invite(draft))
        _ = try await connection.completed()
        let kept = try await invitee.agent.requests(on: connection.id)
        #expect(kept.map(\.message.id) == ["request-1"] && kept.map(\.binding) == [.connection(connection.id)])
        let events = await inviter.agent.events()
        try await invitee.agent.decline(try #require(kept.first))
        #expect(try await invitee.agent.requests() == [])
        var code: String?
        for await case .received(_, .problem(let report)) in events {
            code = report.code
            break
        }
        #expect(code == "abandoned")
        await #expect(throws: AgentError(.requestUnknown, "")) {
            try await invitee.agent.decline(try #require(kept.first))
        }
    }

    @Test func `a request in an invitation is answered once, on the connection that is reused`() async throws {
        let (inviter, invitee, id) = try await connected()
        let connection = try await invitee.agent.accept(another(inviter, requests: [attached(request())]))
        #expect(connection.outcome == .reused)
        let kept = try #require(try await invitee.agent.requests(on: id).first)
        let answer = Message(
            MessageType(MessageProtocol("present-proof", 1, 0), "presentation"), id: "answer",
            thread: MessageThread(id: "request-1"))
        let events = await inviter.agent.events()
        try await invitee.agent.answer(kept, with: answer)
        var received: Message?
        for await case .received(_, .other(let message)) in events {
            received = message
            break
        }
        #expect(received?.id == "answer")
        await #expect(throws: AgentError(.requestUnknown, "")) { try await invitee.agent.answer(kept, with: answer) }
    }

    @Test func `an invitation with a request and without a handshake protocol makes no connection`() async throws {
        let (inviter, invitee, _) = try await connected()
        let third = try Party("third", net: net, clock: clock, seed: 3)
        try await third.agent.start()
        var draft = InvitationDraft(.outOfBand, label: "Inviter")
        draft.handshakeProtocols = []
        draft.requests = [attached(request())]
        let invitation = try await inviter.agent.invite(draft)
        let outcome = try await third.agent.accept(invitation)
        #expect(outcome.outcome == .requestOnly)
        let kept = try #require(try await third.agent.requests().first)
        #expect(kept.binding == .connectionless)
        await #expect(throws: AgentError(.requestUnknown, "")) { try await third.agent.answer(kept, with: request()) }
        try await third.agent.decline(kept)
        #expect(try await third.agent.requests() == [])
        #expect(try await third.agent.connections().connections == [])
        _ = invitee
    }
}
