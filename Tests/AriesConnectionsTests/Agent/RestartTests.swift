import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing

@testable import AriesConnections

/// Restarts at every stage of a handshake, after which handles by name are awaited.
@Suite struct RestartTests {
    private static let handshakes: [MessageProtocol] = [.connections10, .didExchange10, .didExchange11]

    /// Two parties, of which one dies at a write to its store.
    private final class Pair {
        let net = MemoryNet()
        let clock = HandClock()
        let inviter: Party
        let invitee: Party
        let dying: Party

        init(_ role: Connection.Role, _ fault: MemoryStore.Fault) throws {
            let isInviter = role == .inviter
            inviter = try Party("inviter", net: net, clock: clock, storeFault: isInviter ? fault : nil)
            invitee = try Party("invitee", net: net, clock: clock, seed: 2, storeFault: isInviter ? nil : fault)
            dying = isInviter ? inviter : invitee
        }

        var both: [Party] { [inviter, invitee] }

        /// The stage of the only connection in a party's store; nil without one.
        func stage(_ party: Party) -> HandshakeStage? {
            party.store.records(of: "aries.connection").first.flatMap { try? ConnectionSummary.read($0).summary }?.stage
        }

        /// Runs the handshake until it is complete or the party is dead.
        func runUntilDeath(_ invitation: Invitation) async throws {
            _ = try? await invitee.agent.accept(invitation)
            let isOver = try await settled(both) {
                for party in both where await !party.agent.isRunning { return true }
                return both.allSatisfy { stage($0) == .completed }
            }
            #expect(isOver)
            // The confirmation is written after the connection is complete.
            _ = try await settled(both, within: .seconds(60)) { await !dying.agent.isRunning }
        }

        /// Awaits `completed()` of a handle by name, at one party.
        func complete(_ party: Party) async throws -> Connection {
            let agent = party.agent
            #expect(
                try await settled(both) { try await agent.connections().connections.count == 1 }, "\(party.name)")
            let name = try #require(try await agent.connections().connections.first?.id)
            let handle = try #require(try await agent.connection(name))
            return try await whileTimePasses(both) { try await handle.completed() }
        }
    }

    /// The stage in the store of a party that died at a write and was started again; nil when it did not die.
    private func restart(
        _ role: Connection.Role, at fault: MemoryStore.Fault, _ handshake: MessageProtocol
    ) async throws -> (died: Bool, stage: HandshakeStage?) {
        let pair = try Pair(role, fault)
        try await pair.inviter.agent.start()
        try await pair.invitee.agent.start()
        var draft = InvitationDraft(.outOfBand, label: "Inviter")
        draft.handshakeProtocols = [handshake]
        if (try? await pair.inviter.agent.invite(draft)) == nil { try await pair.inviter.restart() }
        let stored = try await pair.inviter.agent.invitations().invitations.first?.invitation
        let invitation = if let stored { stored } else { try await pair.inviter.agent.invite(draft) }
        try await pair.runUntilDeath(invitation)
        guard await !pair.dying.agent.isRunning else { return (false, nil) }
        let stage = pair.stage(pair.dying)
        try await pair.dying.restart()
        if pair.stage(pair.invitee) == nil { _ = try await pair.invitee.agent.accept(invitation) }
        let ours = try await pair.complete(pair.invitee)
        let theirs = try await pair.complete(pair.inviter)
        #expect(ours.theirs.owns(theirs.ours.key) && theirs.theirs.owns(ours.ours.key), "\(role), \(fault)")
        return (true, stage)
    }

    @Test(arguments: [Connection.Role.inviter, .invitee], handshakes)
    func `connection handles by name complete on both sides after a restart at any write of either`(
        _ role: Connection.Role, _ handshake: MessageProtocol
    ) async throws {
        var stages: Set<HandshakeStage> = []
        var last = 0
        for number in 1...20 where number <= last + 2 {
            for fault in [MemoryStore.Fault.before(write: number), .after(write: number)] {
                let end = try await restart(role, at: fault, handshake)
                if end.died { last = number }
                if let stage = end.stage { stages.insert(stage) }
            }
        }
        // The stage `resolving` has a test of its own; an inviter stores its side with the response.
        let expected: Set<HandshakeStage> =
            role == .invitee ? [.requested, .completed] : [.responded, .completed]
        #expect(stages.isSuperset(of: expected) && last > 2, "\(stages), \(last) writes")
    }

    @Test func `an invitee that restarts while the inviter's DID is resolved completes by its name`() async throws {
        let (net, clock) = (MemoryNet(), HandClock())
        let inviter = try SlowInviter(.outOfBand, handshake: .didExchange10, net: net)
        let resolver = HeldResolver()
        let invitee = try Party("invitee", net: net, clock: clock) { $0.didResolver = resolver }
        try await invitee.agent.start()
        let name = try await invitee.agent.accept(inviter.invitation).id
        #expect(try await settled([invitee], within: .seconds(5)) { inviter.requests > 0 })
        try await invitee.agent.receive(try #require(try inviter.answer(attachesDocument: false)))
        #expect(
            try await settled([invitee], within: .seconds(5)) {
                try await invitee.agent.summary(of: name)?.stage == .resolving
            })
        try await invitee.restart()
        let handle = try #require(try await invitee.agent.connection(name))
        resolver.give(try inviter.document)
        let connection = try await whileTimePasses([invitee]) { try await handle.completed() }
        #expect(connection.id == name)
        #expect(try await settled([invitee]) { inviter.isComplete })
    }

    @Test func `an inviter that restarts while the invitee's DID is resolved completes by its name`() async throws {
        let (net, clock) = (MemoryNet(), HandClock())
        let resolver = HeldResolver()
        let inviter = try Party("inviter", net: net, clock: clock) { $0.didResolver = resolver }
        try await inviter.agent.start()
        var draft = InvitationDraft(.outOfBand, label: "Inviter")
        draft.handshakeProtocols = [.didExchange10]
        let invitation = try await inviter.agent.invite(draft)
        let invitee = try PlainInvitee(of: invitation, net: net)
        try await inviter.agent.receive(try invitee.request())
        #expect(
            try await settled([inviter], within: .seconds(5)) {
                try await inviter.agent.connections().connections.map(\.stage) == [.resolving]
            })
        try await inviter.restart()
        let name = try #require(try await inviter.agent.connections().connections.first?.id)
        let handle = try #require(try await inviter.agent.connection(name))
        resolver.give(try invitee.document)
        #expect(try await settled([inviter], within: .seconds(60)) { invitee.hasResponse })
        try await inviter.agent.receive(try #require(try invitee.confirmation()))
        #expect(try await whileTimePasses([inviter]) { try await handle.completed() }.id == name)
    }
}

/// A resolver that answers no question before it is given the document.
private final class HeldResolver: DIDResolver {
    private let document = Lock<DIDDocument?>(nil)

    func give(_ document: DIDDocument) { self.document.withLock { $0 = document } }

    func document(of did: DID) async throws -> DIDDocument {
        while true {
            if let known = document.withLock({ $0 }) { return known }
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}

/// An invitee by didexchange/1.0 whose request has no document of its DID.
private final class PlainInvitee: NetPeer {
    private struct State: Sendable {
        var random = SeededRandom(seed: 8)
        var codec = EnvelopeCodec()
        let key: AgentKey
        var requester: HandshakeRequester
        var response: ReceivedMessage?
    }

    private let address: AgentAddress
    private let state: Lock<State>

    var hasResponse: Bool { state.withLock { $0.response != nil } }

    /// The document of the DID in its request.
    var document: DIDDocument {
        get throws { try DIDDocument(reading: JSONValueReader(object: address.legacyDocument)) }
    }

    init(of invitation: Invitation, net: MemoryNet) throws {
        var random = SeededRandom(seed: 7)
        let key = AgentKey.make(from: &random)
        address = AgentAddress(key: key.verkey, endpoint: try ServiceEndpoint(parsing: "http://plain.example"))
        guard case .resolved(let found)? = try invitation.services.first?.resolution.progress() else {
            throw AgentError(.invitationUnknown, "the invitation names no key")
        }
        let inviter = try found.service()
        let requester = try HandshakeRequester(
            .init(
                connectionID: "plain", handshake: .didExchange10, invitation: invitation, inviter: inviter,
                address: address, label: "Plain"),
            key: key, random: &random)
        state = Lock(State(key: key, requester: requester))
        net.put(self, at: address.endpoint)
    }

    /// The request, for the test to deliver.
    func request() throws -> [UInt8] { try #require(try send(.start)) }

    /// The confirmation of the response that came, for the test to deliver.
    func confirmation() throws -> [UInt8]? {
        guard let response = state.withLock({ $0.response }) else { return nil }
        return try send(.received(response))
    }

    private func send(_ input: HandshakeInput) throws -> [UInt8]? {
        try state.withLock { state in
            var outputs: [HandshakeOutput] = []
            state.requester.handle(input, at: .zero, into: &outputs)
            for case .send(let outgoing) in outputs {
                var message = outgoing.message.object
                message["did_doc~attach"] = nil
                return try state.codec.pack(
                    message.encoded, from: state.key, to: outgoing.service.recipientKeys, random: &state.random)
            }
            return nil
        }
    }

    func ended(_ socket: MemorySocket) {}

    func take(_ envelope: [UInt8], on socket: MemorySocket?) -> [UInt8]? {
        state.withLock { state in
            guard
                case .authenticated(let opened)? = try? state.codec.unpack(
                    envelope, ownKey: { [key = state.key] in key.verkey == $0 ? key : nil }),
                let message = try? Message(parsing: opened.plaintext)
            else { return }
            state.response = ReceivedMessage(
                message, sender: .authenticated(opened.sender, isExclusive: true), recipient: opened.recipient,
                arrival: WallTime(millisecondsSinceEpoch: 1_760_000_000_000))
        }
        return nil
    }
}
