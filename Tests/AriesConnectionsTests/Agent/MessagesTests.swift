import Aries
import ByteCoding
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing
import Vault

@testable import AriesConnections

@Suite struct MessagesTests {
    private let net = MemoryNet()
    private let clock = HandClock()

    private func connected() async throws -> (inviter: Party, invitee: Party, inviterID: String, inviteeID: String) {
        try await connectedParties(net, clock)
    }

    /// The first event of a kind that an agent tells about a connection.
    private func first(
        of events: AsyncStream<AgentEvent>, _ isWanted: (ConnectionMessageHandler.Event) -> Bool
    ) async -> ConnectionMessageHandler.Event? {
        for await event in events { if case .received(_, let event) = event, isWanted(event) { return event } }
        return nil
    }

    @Test func `neither a ping nor its answer is stored among the messages`() async throws {
        let (_, invitee, _, inviteeID) = try await connected()
        let events = await invitee.agent.events()
        try await invitee.agent.send(TrustPing.ping(id: "ping-1"), on: inviteeID)
        let answer = await first(of: events) { if case .pingAnswered = $0 { true } else { false } }
        #expect(answer == .pingAnswered(threadID: "ping-1"))
        #expect(try await invitee.agent.messages(on: inviteeID).messages.filter { $0.direction == .received } == [])
    }

    @Test func `text messages are stored on both sides, in order, with their author`() async throws {
        let (inviter, invitee, inviterID, inviteeID) = try await connected()
        let events = await inviter.agent.events()
        try await invitee.agent.send(BasicMessage("hello", sent: nil).message(id: "1"), on: inviteeID)
        _ = await first(of: events) { if case .text = $0 { true } else { false } }
        try await inviter.agent.send(BasicMessage("hi", sent: nil).message(id: "1"), on: inviterID)
        let page = try await inviter.agent.messages(on: inviterID)
        #expect(page.messages.map(\.direction) == [.received, .sent])
        #expect(page.messages.compactMap { $0.message.object["content"]?.string } == ["hello", "hi"])
        #expect(page.next == nil && page.messages.allSatisfy { $0.connection == inviterID })
        #expect(try await inviter.agent.messages(on: inviterID, limit: 1).next != nil)
    }

    @Test func `after a hang-up the connection is marked as ended, and sending on it is refused`() async throws {
        let (inviter, invitee, inviterID, inviteeID) = try await connected()
        let events = await inviter.agent.events()
        try await invitee.agent.send(DIDRotate.hangup(id: "bye"), on: inviteeID)
        #expect(await first(of: events) { $0 == .hungUp } == .hungUp)
        #expect(try await inviter.agent.summary(of: inviterID)?.isEnded == true)
        await #expect(throws: AgentError(.connectionEnded, "")) {
            try await inviter.agent.send(BasicMessage("still there?", sent: nil).message(id: "1"), on: inviterID)
        }
    }

    @Test func `a connection can be renamed, and keeps its name over a restart`() async throws {
        let (_, invitee, _, inviteeID) = try await connected()
        try await invitee.agent.rename(inviteeID, to: "Desk 3")
        try await invitee.restart()
        #expect(try await invitee.agent.summary(of: inviteeID)?.name == "Desk 3")
        try await invitee.agent.rename(inviteeID, to: nil)
        #expect(try await invitee.agent.summary(of: inviteeID)?.name == nil)
        await #expect(throws: AgentError(.connectionUnknown, "")) { try await invitee.agent.rename("?", to: nil) }
    }

    @Test(.shows("ARI-006", "ARI-073")) func `every envelope, of handshakes too, is encrypted for exactly one key`()
        async throws
    {
        let (inviter, invitee, _, inviteeID) = try await connected()
        let events = await inviter.agent.events()
        try await invitee.agent.send(
            BasicMessage("For your eyes only: a word between us", sent: nil).message(id: "1"), on: inviteeID)
        _ = await first(of: events) { if case .text = $0 { true } else { false } }
        #expect(net.carried.count >= 4)
        for envelope in net.carried {
            let value = try JSONValue(parsing: envelope)
            #expect(try #require(value.object).map(\.name) == ["protected", "iv", "ciphertext", "tag"])
            let protected = try #require(value["protected"]?.string)
            let header = try JSONValue(parsing: try #require(Base64URL.decode(protected)))
            #expect(header["alg"] == "Authcrypt" && header["recipients"]?.array?.count == 1)
        }
    }

    @Test(.shows("CHK-051"))
    func `a text message that arrives twice is reported once, even when the list of received identifiers was lost`()
        async throws
    {
        let (inviter, invitee, inviterID, inviteeID) = try await connected()
        let events = await inviter.agent.events()
        try await invitee.agent.send(BasicMessage("first", sent: nil).message(id: "1"), on: inviteeID)
        _ = await first(of: events) { if case .text = $0 { true } else { false } }
        let envelope = try #require(net.carried.last)
        // Only so many identifiers are remembered; here all of them are lost.
        try await inviter.store.remove(inviterID, in: AgentCategories.inboxes)
        let later = await inviter.agent.events()
        try await inviter.agent.receive(envelope)
        try await invitee.agent.send(BasicMessage("second", sent: nil).message(id: "2"), on: inviteeID)
        let told = await first(of: later) { if case .text = $0 { true } else { false } }
        guard case .text(let text) = told else {
            Issue.record("no text was told")
            return
        }
        #expect(text.content == "second")
        #expect(try await inviter.agent.messages(on: inviterID).messages.count == 2)
    }

    @Test func `two identifiers that an agent makes differ`() async throws {
        let (inviter, _, _, _) = try await connected()
        let one = await inviter.agent.makeID()
        let other = await inviter.agent.makeID()
        #expect(one != other && one.utf8.count == 36)
    }
}
