import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing
import Vault

@testable import AriesConnections

/// Messages from outsiders change nothing, and only the owner learns the reason for their refusal.
@Suite struct StrangerTests {
    private let net = MemoryNet()
    private let clock = HandClock()

    /// Brings an envelope to an agent, and says what its owner was told.
    private func told(_ party: Party, of envelope: [UInt8]) async throws -> String? {
        let events = await party.agent.events()
        try await party.agent.receive(envelope)
        await party.agent.stop()
        for await event in events { if case .passedOver(_, let code, _) = event { return code } }
        return nil
    }

    private func pack(_ message: Message, from seed: UInt8?, to key: Verkey) throws -> [UInt8] {
        var codec = EnvelopeCodec()
        var random = SeededRandom(seed: 99)
        guard let seed else { return try codec.packAnonymously(message.encoded, to: [key], random: &random) }
        let sender = try AgentKey(seed: Secret(copying: [UInt8](repeating: seed, count: 32)))
        return try codec.pack(message.encoded, from: sender, to: [key], random: &random)
    }

    private func connected() async throws -> (Party, Connection) {
        let inviter = try Party("inviter", net: net, clock: clock)
        let invitee = try Party("invitee", net: net, clock: clock, seed: 2)
        try await inviter.agent.start()
        try await invitee.agent.start()
        let invitation = try await inviter.agent.invite(InvitationDraft(.outOfBand, label: "Inviter"))
        let connection = try await invitee.agent.accept(invitation).completed()
        // Complete for the one is not yet done for both: the last envelope is still on its way.
        #expect(
            try await settled([inviter, invitee]) {
                guard try await inviter.agent.handshakeCount == 0 else { return false }
                return try await invitee.agent.handshakeCount == 0
            })
        return (invitee, connection)
    }

    private let text = Message(
        MessageType(MessageProtocol("basicmessage", 1, 0), "message"), id: "x", body: ["content": "x"])

    @Test func `an agent ignores bytes that are no envelope, and reports them as malformed`() async throws {
        let (party, _) = try await connected()
        #expect(try await told(party, of: Array("hello".utf8)) == "didcomm.envelope.malformed")
    }

    @Test func `an agent ignores an envelope for another key, and reports it as not for us`() async throws {
        let (party, _) = try await connected()
        let other = try AgentKey(seed: Secret(copying: [UInt8](repeating: 7, count: 32))).verkey
        #expect(try await told(party, of: pack(text, from: 1, to: other)) == "didcomm.envelope.not-for-us")
    }

    @Test func `an agent ignores messages on a connection from another sender, and those without a sender`()
        async throws
    {
        let (party, connection) = try await connected()
        let stranger = try pack(text, from: 7, to: connection.ours.key)
        #expect(try await told(party, of: stranger) == "aries.message.wrong-sender")
        #expect(party.store.records(of: "aries.message").isEmpty)
        try await party.restart()
        let anonymous = try pack(text, from: nil, to: connection.ours.key)
        #expect(try await told(party, of: anonymous) == "aries.message.not-authentic")
        #expect(party.store.records(of: "aries.message").isEmpty)
    }

    @Test func `an agent ignores an envelope without a message in it, and reports it as malformed`() async throws {
        let (party, connection) = try await connected()
        var codec = EnvelopeCodec()
        var random = SeededRandom(seed: 9)
        let envelope = try codec.packAnonymously([1, 2, 3], to: [connection.ours.key], random: &random)
        #expect(try await told(party, of: envelope) == "didcomm.message.malformed")
    }

    @Test func `an agent ignores a message at an invitation's key that is no connection request`() async throws {
        let party = try Party("inviter", net: net, clock: clock)
        try await party.agent.start()
        let invitation = try await party.agent.invite(InvitationDraft(.outOfBand, label: "A"))
        let key = try #require(invitation.firstKey)
        #expect(try await told(party, of: pack(text, from: 7, to: key)) == "aries.message.unexpected")
        #expect(party.store.records(of: "aries.connection").isEmpty)
    }

    @Test func `a stored connection or key that cannot be read fails as a malformed record`() async throws {
        let (party, _) = try await connected()
        let id = try #require(party.store.records(of: "aries.connection").first?.id)
        try await party.store.replace(id, in: "aries.connection", expecting: nil, value: [1])
        await #expect(throws: AgentError(.recordMalformed, "")) { try await party.agent.summary(of: id) }
        let key = try #require(party.store.records(of: "aries.key").first)
        #expect(throws: AgentError(.recordMalformed, "")) {
            try KeyRecord(StoredRecord(category: "aries.key", id: "x", version: 1, tags: key.tags, value: key.value))
        }
        #expect(throws: AgentError(.recordMalformed, "")) {
            try KeyRecord(StoredRecord(category: "aries.key", id: key.id, version: 1, tags: [], value: key.value))
        }
    }

    @Test(.shows("ARI-052"), arguments: [0, 2])
    func `a connection record with another format version is refused as malformed`(version: Int) async throws {
        let (party, _) = try await connected()
        let stored = try #require(party.store.records(of: "aries.connection").first)
        var object = try #require(JSONValue(parsing: stored.value).object)
        #expect(object["version"] == 1)
        try await party.store.replace(
            stored.id, in: "aries.connection", expecting: nil, tags: stored.tags, value: object.encoded)
        #expect(try await party.agent.summary(of: stored.id) != nil)
        object["version"] = .int(version)
        try await party.store.replace(
            stored.id, in: "aries.connection", expecting: nil, tags: stored.tags, value: object.encoded)
        await #expect(throws: AgentError(.recordMalformed, "")) { try await party.agent.summary(of: stored.id) }
    }

    @Test func `a connection whose private key is missing cannot send, and can still be looked at`() async throws {
        let (party, connection) = try await connected()
        try await party.store.remove(connection.ours.key.base58, in: "aries.key")
        try await party.restart()
        await #expect(throws: AgentError(.keyMissing, "")) {
            try await party.agent.ping(connection.id, within: .seconds(1))
        }
        #expect(try await party.agent.summary(of: connection.id)?.id == connection.id, "it can still be looked at")
    }

    @Test func `an agent whose store fails reports that once and stops`() async throws {
        let party = try Party("a", net: net, clock: clock, storeFault: .before(write: 1))
        try await party.agent.start()
        let events = await party.agent.events()
        await #expect(throws: VaultError(.storageFailed, "")) {
            try await party.agent.invite(InvitationDraft(.outOfBand, label: "A"))
        }
        var told: [AgentEvent] = []
        for await event in events { told.append(event) }
        #expect(told.count == 1)
        #expect(await !party.agent.isRunning)
        await #expect(throws: AgentError(.stopped, "")) { try await party.agent.connections() }
    }

    @Test func `an agent error prints its code and its sentence, and is equal by code`() {
        #expect("\(AgentError(.busy, "Too much."))" == "agent.busy: Too much.")
        #expect(Set([AgentError(.deliveryFailed, "a"), AgentError(.deliveryFailed, "b")]).count == 1)
        #expect(AgentError(.deliveryWaits, "") != AgentError(.deliveryFailed, ""))
    }
}
