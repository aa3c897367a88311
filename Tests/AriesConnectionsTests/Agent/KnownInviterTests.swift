import Aries
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing

@testable import AriesConnections

/// Inviters of ours that a wallet of ours knows again, by key and by DID.
@Suite struct KnownInviterTests {
    private let net = MemoryNet()
    private let clock = HandClock()

    private func inviter() async throws -> Party {
        let inviter = try Party("inviter", net: net, clock: clock)
        try await inviter.agent.start()
        return inviter
    }

    private func invitee(_ seed: UInt64 = 2, document: DIDDocument? = nil) async throws -> Party {
        let invitee = try Party("invitee", net: net, clock: clock, seed: seed) { configuration in
            if let document { configuration.resolver = StaticDIDResolver([document]) }
        }
        try await invitee.agent.start()
        return invitee
    }

    private func draft(_ handshake: MessageProtocol? = nil, did: DID? = nil) -> InvitationDraft {
        var draft = InvitationDraft(.outOfBand, label: "Inviter")
        if let handshake { draft.handshakeProtocols = [handshake] }
        draft.publicDID = did
        return draft
    }

    @Test(arguments: [MessageProtocol.connections10, .didExchange10, .didExchange11])
    func `two invitations with the reusable key make one connection, also after restarts of both sides`(
        _ handshake: MessageProtocol
    ) async throws {
        let (inviter, invitee) = (try await inviter(), try await invitee())
        let first = try await inviter.agent.invite(draft(handshake), key: .reusable)
        let connection = try await invitee.agent.accept(first)
        _ = try await connection.completed()
        #expect(
            try await settled([inviter, invitee]) {
                try await inviter.agent.connections().connections.map(\.stage) == [.completed]
            })
        try await inviter.restart()
        try await invitee.restart()
        let second = try await inviter.agent.invite(draft(handshake), key: .reusable)
        #expect(second.firstKey == first.firstKey && second.id != first.id)
        let again = try await invitee.agent.accept(second)
        #expect(again.outcome == .reused && again.id == connection.id)
        #expect(try await inviter.agent.connections().connections.count == 1)
        #expect(try await invitee.agent.connections().connections.count == 1)
        #expect(inviter.store.records(of: "aries.key").count == 2, "the shared key, and that of the connection")
    }

    @Test func `an invitation with a fresh key does not use the reusable key`() async throws {
        let inviter = try await inviter()
        let reusable = try await inviter.agent.invite(draft(), key: .reusable)
        let fresh = try await inviter.agent.invite(draft())
        #expect(fresh.firstKey != reusable.firstKey)
    }

    @Test func `requests of strangers to the reusable key each get the connection of the invitation that they name`()
        async throws
    {
        let inviter = try await inviter()
        let invitations = [
            try await inviter.agent.invite(draft(), key: .reusable),
            try await inviter.agent.invite(draft(), key: .reusable),
        ]
        for (number, invitation) in invitations.enumerated() {
            let invitee = try await invitee(UInt64(number) + 2)
            _ = try await invitee.agent.accept(invitation).completed()
        }
        let made = try await inviter.agent.connections().connections.map(\.invitation.id)
        #expect(made == invitations.map(\.id))
        let late = try await invitee(9)
        let connection = try await late.agent.accept(invitations[0])
        await #expect(throws: AriesError.self, "an invitation for one stays one, although others share its key") {
            try await whileTimePasses([inviter, late]) { try await connection.completed() }
        }
    }

    @Test func `two invitations by a public DID make one connection, and the DID's document names key and address`()
        async throws
    {
        let did = try DID(parsing: "did:web:inviter.example")
        let inviter = try await inviter()
        let first = try await inviter.agent.invite(draft(did: did))
        #expect(first.dids == [did] && first.firstKey == nil)
        let text = try await inviter.agent.document(of: did, for: first)
        let document = try DIDDocument(parsing: text.encoded, of: did)
        let invitee = try await invitee(document: document)
        let connection = try await invitee.agent.accept(first)
        #expect(try await connection.completed().theirs.services.first?.endpoint == inviter.endpoint)
        let second = try await inviter.agent.invite(draft(did: did))
        #expect(try await inviter.agent.document(of: did, for: second) == text)
        let again = try await invitee.agent.accept(second)
        #expect(again.outcome == .reused && again.id == connection.id)
        #expect(try await inviter.agent.connections().connections.count == 1)
    }

    @Test func `a reuse decision that is resumed after a restart still has the inviter's document`() async throws {
        let did = try DID(parsing: "did:web:inviter.example")
        let inviter = try await inviter()
        let first = try await inviter.agent.invite(draft(did: did))
        let text = try await inviter.agent.document(of: did, for: first)
        let resolver = ForgetfulResolver(try DIDDocument(parsing: text.encoded, of: did))
        let invitee = try Party("invitee", net: net, clock: clock, seed: 2) { $0.didResolver = resolver }
        try await invitee.agent.start()
        let connection = try await invitee.agent.accept(first)
        _ = try await connection.completed()
        // The inviter loses its side, so that it does not know the question's connection, and connects anew.
        let known = try await inviter.agent.connections().connections.map(\.id)
        for id in known { try await inviter.agent.remove(id) }
        let second = try await inviter.agent.invite(draft(did: did))
        net.swallow(true, at: inviter.endpoint)
        let agent = invitee.agent
        let accepting = Task { try await agent.accept(second) }
        #expect(
            try await settled([invitee], within: .seconds(5)) { !invitee.store.records(of: "aries.reuse").isEmpty })
        await invitee.agent.stop()
        await #expect(throws: AgentError(.stopped, "")) { try await accepting.value }
        resolver.forget()
        net.swallow(false, at: inviter.endpoint)
        try await invitee.restart()
        #expect(
            try await settled([inviter, invitee]) {
                try await invitee.agent.connections().connections.map(\.stage) == [.completed, .completed]
            })
        #expect(invitee.store.records(of: "aries.reuse").isEmpty)
    }

    @Test func `a withdrawn invitation of a known inviter is not reused, and a new connection is refused too`()
        async throws
    {
        let (inviter, invitee) = (try await inviter(), try await invitee())
        _ = try await invitee.agent.accept(inviter.agent.invite(draft(), key: .reusable)).completed()
        let second = try await inviter.agent.invite(draft(), key: .reusable)
        _ = try await inviter.agent.withdraw(second.id)
        let connection = try await whileTimePasses([inviter, invitee]) { try await invitee.agent.accept(second) }
        #expect(connection.outcome == .begun && connection.notReused != nil)
        await #expect(throws: AriesError.self) {
            try await whileTimePasses([inviter, invitee]) { try await connection.completed() }
        }
    }
}

/// A resolver that knows one document until it is told to forget it.
private final class ForgetfulResolver: DIDResolver {
    private let document: Lock<DIDDocument?>

    init(_ document: DIDDocument) { self.document = Lock(document) }

    func forget() { document.withLock { $0 = nil } }

    func document(of did: DID) async throws -> DIDDocument {
        guard let known = document.withLock({ $0 }), known.did.isSame(as: did) else {
            throw DIDCommError(.didUnresolved, "the document is forgotten")
        }
        return known
    }
}
