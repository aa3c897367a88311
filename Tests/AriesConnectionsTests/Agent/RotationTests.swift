import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing
import Vault

@testable import AriesConnections

/// Changes of DIDs between wallets that are away, that change at once, or that several processes use.
@Suite struct RotationTests {
    private static let step = Duration.seconds(1)

    private func texts(_ party: Party) -> [String] {
        party.store.records(of: "aries.message").compactMap { try? ConnectionMessage($0) }
            .filter { $0.direction == .received }.compactMap { $0.message.object["content"]?.string }
    }

    private func text(_ name: String) -> Message { BasicMessage(name, sent: nil).message(id: name) }

    /// Two wallets, each behind its own mediator, with a connection.
    private func mediated() async throws -> (world: Mediated, ours: String, theirs: String) {
        let world = try Mediated(.pickup2, isLive: true, theyAreMediated: true)
        try await world.begin()
        let (ours, theirs) = try await world.connect()
        _ = try await settled([world.us, world.them], within: .seconds(61), step: .seconds(4)) { false }
        return (world, ours, theirs)
    }

    /// Changes a DID, and returns when the time allowed has passed.
    private func rotate(_ party: Party, _ id: String, _ world: Mediated) async throws -> DIDRotationProgress {
        let agent = party.agent
        return try await whileTimePasses([party], step: Self.step) { try await agent.rotate(id, within: .seconds(2)) }
    }

    /// Both agree on the newest DIDs, and nothing is under way.
    private func isInStep(_ world: Mediated, _ ours: String, _ theirs: String) async throws -> Bool {
        let left = try #require(try await world.us.agent.summary(of: ours))
        let right = try #require(try await world.them.agent.summary(of: theirs))
        guard left.rotation == nil, right.rotation == nil, let one = left.connection, let other = right.connection
        else {
            return false
        }
        return one.theirs.did.isSame(as: other.ourDID) && other.theirs.did.isSame(as: one.ourDID)
    }

    @Test func `texts that follow a DID rotation while the other side is away arrive, and the rotation is posted once`()
        async throws
    {
        let (world, ours, theirs) = try await mediated()
        let mediator = try #require(world.theirMediator)
        let carried = mediator.queued
        await world.them.agent.stop()
        let begun = try await rotate(world.us, ours, world)
        #expect(!begun.isAcknowledged)
        #expect(try await world.us.agent.summary(of: ours)?.rotation?.did == begun.did)
        for name in ["1", "2", "3"] {
            // Each text is sent by a process of its own.
            try await world.us.restart()
            try await world.us.agent.send(text(name), on: ours)
            let isSent = try await settled([world.us], step: Self.step) {
                world.us.store.records(of: "aries.outbox").isEmpty
            }
            #expect(isSent)
        }
        #expect(mediator.queued == carried + 4, "one announcement and three texts")
        try await world.them.restart()
        let isComplete = try await settled([world.us, world.them], step: Self.step) {
            try await isInStep(world, ours, theirs)
        }
        #expect(isComplete)
        #expect(texts(world.them) == ["1", "2", "3"])
        #expect(try await world.us.agent.summary(of: ours)?.connection?.ourDID == begun.did)
        try await world.us.agent.send(text("4"), on: ours)
        try await world.them.agent.send(text("5"), on: theirs)
        let areThere = try await settled([world.us, world.them], step: Self.step) {
            texts(world.them) == ["1", "2", "3", "4"] && texts(world.us) == ["5"]
        }
        #expect(areThere)
    }

    @Test func `two DID rotations that cross end in both new DIDs, and texts of both sides arrive`() async throws {
        let (world, ours, theirs) = try await mediated()
        let mediators = try [world.mediator, #require(world.theirMediator)]
        for mediator in mediators {
            mediator.change { ($0.habits.holdsDeliveries, $0.habits.holdsPushes) = (true, true) }
        }
        let mine = try await rotate(world.us, ours, world)
        let their = try await rotate(world.them, theirs, world)
        #expect(!mine.isAcknowledged && !their.isAcknowledged)
        try await world.us.agent.send(text("a"), on: ours)
        try await world.them.agent.send(text("z"), on: theirs)
        let areSent = try await settled([world.us, world.them], step: Self.step) {
            [world.us, world.them].allSatisfy { $0.store.records(of: "aries.outbox").isEmpty }
        }
        #expect(areSent)
        for mediator in mediators {
            mediator.change { ($0.habits.holdsDeliveries, $0.habits.holdsPushes) = (false, false) }
            mediator.release()
            mediator.cut()
        }
        let isComplete = try await settled([world.us, world.them], step: Self.step) {
            try await isInStep(world, ours, theirs)
        }
        #expect(isComplete)
        #expect(try await world.us.agent.summary(of: ours)?.connection?.ourDID == mine.did)
        #expect(try await world.them.agent.summary(of: theirs)?.connection?.ourDID == their.did)
        try await world.them.agent.send(text("b"), on: theirs)
        try await world.us.agent.send(text("c"), on: ours)
        let areThere = try await settled([world.us, world.them], step: Self.step) {
            texts(world.them) == ["a", "c"] && texts(world.us) == ["z", "b"]
        }
        #expect(areThere)
    }

    @Test
    func `a DID rotation whose post has an unknown result is posted again after a minute, and not by each process`()
        async throws
    {
        let net = MemoryNet()
        let clock = HandClock()
        let (inviter, invitee, _, inviteeID) = try await connectedParties(net, clock)
        // The transport takes the message and the process ends before it learns so.
        net.swallow(true, at: inviter.endpoint)
        let store = invitee.store
        try await invitee.agent.perform { agent in
            _ = try await agent.parts.questions.beginRotation(of: inviteeID, within: .seconds(1))
        }
        let isPosted = try await settled([invitee], within: .seconds(30), step: Self.step) {
            try invitee.inbox(inviteeID)?.rotation?.posted != nil
        }
        #expect(isPosted)
        let announcement = try #require(
            try invitee.inbox(inviteeID)?.rotation.map { DIDRotate.rotation(to: $0.did, id: $0.threadID) })
        let record = OutboxRecord(connection: inviteeID, message: announcement)
        if store.records(of: "aries.outbox").isEmpty {
            try await store.write { store in try record.insert(into: store) }
        }
        net.swallow(false, at: inviter.endpoint)
        for _ in 0..<3 {
            try await invitee.restart()
            _ = try await settled([inviter, invitee], within: .seconds(10), step: Self.step) { false }
            #expect(
                try invitee.inbox(inviteeID)?.rotation != nil, "it is not posted by a process that starts meanwhile")
        }
        let isComplete = try await settled([inviter, invitee], within: .seconds(60), step: Self.step) {
            try invitee.inbox(inviteeID)?.rotation == nil
        }
        #expect(isComplete)
    }

    @Test func `the connection with the mediator keeps its DID`() async throws {
        let (world, _, _) = try await mediated()
        let mediator = try #require(try await world.us.agent.mediator()?.connection)
        await #expect(throws: AgentError(.mediatorInUse, "")) {
            try await world.us.agent.rotate(mediator, within: .seconds(1))
        }
    }

    @Test func `no text is sent on a connection whose other side answers by an unannounced key`() async throws {
        let (inviter, invitee, inviterID, inviteeID) = try await connectedParties(MemoryNet(), HandClock())
        inviter.net.swallow(true, at: inviter.endpoint)
        let agent = invitee.agent
        _ = try await whileTimePasses([invitee]) { try await agent.rotate(inviteeID, within: .seconds(2)) }
        let thread = try #require(try invitee.inbox(inviteeID)?.rotation?.threadID)
        // The other side knows the exchange, and has a key that it never announced.
        var (random, codec) = (SystemRandom(), EnvelopeCodec())
        let ack = Message(MessageType(.didRotate10, "ack"), id: "ack", thread: MessageThread(id: thread))
        let ours = try #require(try await agent.summary(of: inviteeID)?.connection?.ours.key)
        let envelope = try codec.pack(
            ack.encoded, from: AgentKey.make(from: &random), to: [ours], random: &random)
        try await agent.receive(envelope)
        #expect(try await agent.summary(of: inviteeID)?.isBroken == true)
        await #expect(throws: AgentError(.connectionBroken, "")) { try await agent.send(text("x"), on: inviteeID) }
        try await inviter.agent.send(text("still here"), on: inviterID)
        let isWhole = try await settled([inviter, invitee]) {
            try await agent.summary(of: inviteeID)?.isBroken == false
        }
        #expect(isWhole)
        try await agent.send(text("x"), on: inviteeID)
    }

    @Test func `an acknowledgement of a DID rotation goes to the present address when the former one is gone`()
        async throws
    {
        let net = MemoryNet()
        let (inviter, invitee, inviterID, inviteeID) = try await connectedParties(net, HandClock())
        let (before, after) = (invitee.endpoint, try ServiceEndpoint(parsing: "http://moved.example"))
        let agent = invitee.agent
        net.put(agent, at: after)
        var random = SystemRandom()
        let key = AgentKey.make(from: &random)
        let did = try AgentAddress(key: key.verkey, endpoint: after).peer4()
        net.put(nil, at: before)
        // The announcement comes from a side that has left its address.
        let connection = try #require(try await agent.summary(of: inviteeID)?.connection)
        let message = DIDRotate.rotation(to: did, id: "moved")
        try await agent.perform { agent in
            agent.parts.delivery.append(.single(try connection.outgoing(message), key: nil), to: inviteeID)
        }
        let isAnswered = try await settled([inviter, invitee], step: Self.step) {
            try await inviter.agent.summary(of: inviterID)?.connection?.theirs.did.isSame(as: did) == true
                && inviter.store.records(of: "aries.outbox").isEmpty
        }
        #expect(isAnswered)
    }

    @Test func `a stored outgoing message without a service of its own is read as older programs wrote it`()
        async throws
    {
        var random = SystemRandom()
        let record = OutboxRecord(connection: "c", message: text("x"))
        let stored = try await MemoryStore.stored(record)
        #expect(stored.value == record.message.encoded)
        #expect(try OutboxRecord(stored).service == nil)
        let service = PeerService(
            recipientKeys: [AgentKey.make(from: &random).verkey],
            endpoint: try ServiceEndpoint(parsing: "https://former.example"))
        let with = OutboxRecord(connection: "c", message: text("x"), service: service)
        let read = try await OutboxRecord(MemoryStore.stored(with))
        #expect(read.service?.recipientKeys == service.recipientKeys && read.message == with.message)
        #expect(read.toPresentAddress.service == nil)
    }
}

extension Party {
    fileprivate func inbox(_ id: String) throws -> ConnectionMessageHandler? {
        try store.records(of: "aries.inbox").first { $0.id == id }.map {
            try ConnectionMessageHandler(stored: JSONValueReader(JSONValue(parsing: $0.value)))
        }
    }
}

extension MemoryStore {
    /// A message of the outbox as it is stored.
    fileprivate static func stored(_ record: OutboxRecord) async throws -> StoredRecord {
        let store = MemoryStore()
        try await store.write { store in try record.insert(into: store) }
        return try #require(store.records(of: "aries.outbox").first)
    }
}
