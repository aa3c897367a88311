import Aries
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing
import Vault

@testable import AriesConnections

/// Tests of the effects that inspecting an invitation has, and of the conditions for accepting it.
@Suite struct AcceptingTests {
    private let net = MemoryNet()
    private let clock = HandClock()
    private let publicDID = "did:sov:LjgpST2rjsoxYegQDRm7EL"

    private func started(
        _ name: String, seed: UInt64 = 1, adjust: @escaping (inout AgentConfiguration) -> Void = { _ in }
    ) async throws -> Party {
        let party = try Party(name, net: net, clock: clock, seed: seed, adjust: adjust)
        try await party.agent.start()
        return party
    }

    @Test(.shows("ARI-050"), arguments: Invitation.Kind.allCases)
    func `planning to accept an invitation of either kind sends nothing and stores nothing`(kind: Invitation.Kind)
        async throws
    {
        let (inviter, invitee) = (try await started("inviter"), try await started("invitee", seed: 2))
        let invitation = try await inviter.agent.invite(InvitationDraft(kind, label: "Inviter"))
        let before = invitee.store.content.records.count
        guard case .handshake = try await invitee.agent.plan(for: invitation) else {
            Issue.record("a stranger's invitation leads to a handshake")
            return
        }
        #expect(net.carried.isEmpty && invitee.transport.carriedCount == 0)
        #expect(invitee.store.content.records.count == before)
        #expect(try await invitee.agent.connections().connections.isEmpty)
        let connection = try await invitee.agent.accept(invitation)
        #expect(invitee.store.content.records.count > before)
        _ = try await connection.completed()
        #expect(!net.carried.isEmpty)
    }

    @Test(.shows("ARI-053"), arguments: Invitation.Kind.allCases)
    func `the invitation of a connection is read back whole, while the connection is pending and once it is complete`(
        kind: Invitation.Kind
    ) async throws {
        let (inviter, invitee) = (try await started("inviter"), try await started("invitee", seed: 2))
        var object = try await inviter.agent.invite(InvitationDraft(kind, label: "Inviter")).object
        object["x-member-of-others"] = ["kept": true]
        let invitation = try Invitation(object)
        net.refuse(1, at: inviter.endpoint)
        let connection = try await invitee.agent.accept(invitation)
        let pending = try #require(try await invitee.agent.summary(of: connection.id))
        #expect(pending.stage == .requested && pending.invitation.object == object)
        let isComplete = try await settled([inviter, invitee]) {
            try await invitee.agent.summary(of: connection.id)?.stage == .completed
        }
        #expect(isComplete)
        try await invitee.restart()
        let complete = try #require(try await invitee.agent.summary(of: connection.id))
        #expect(complete.stage == .completed && complete.invitation.object == object)
    }

    /// An invitation as in the published link, with a DID of a ledger in place of a service, and that DID's document.
    private func publicInvitation(of inviter: Party) async throws -> (Invitation, DIDDocument) {
        let invitation = try await inviter.agent.invite(InvitationDraft(.outOfBand, label: "Faber College"))
        let key = try #require(invitation.firstKey)
        var object = invitation.object
        object["services"] = nil
        object["service"] = [.string(publicDID)]
        let text: JSONObject = [
            "@context": ["https://www.w3.org/ns/did/v1"], "id": .string(publicDID),
            "verificationMethod": [
                [
                    "id": "#key-1", "type": "Ed25519VerificationKey2020", "controller": .string(publicDID),
                    "publicKeyMultibase": .string(key.multibase),
                ]
            ],
            "authentication": ["#key-1"],
            "service": [
                [
                    "id": "#s", "type": "did-communication", "recipientKeys": ["#key-1"],
                    "serviceEndpoint": .string(inviter.endpoint.text),
                ]
            ],
        ]
        return (try Invitation(object), try DIDDocument(parsing: text.encoded))
    }

    @Test(.shows("ARI-030"))
    func `an inviter named by a DID is connected to if its document can be resolved, else refused with a code`()
        async throws
    {
        let inviter = try await started("inviter")
        let (invitation, document) = try await publicInvitation(of: inviter)
        #expect(invitation.dids.map(\.text) == [publicDID] && invitation.firstKey == nil)
        let stranger = try await started("stranger", seed: 2)
        await #expect(throws: DIDCommError(.didUnresolved, "")) { try await stranger.agent.accept(invitation) }
        #expect(stranger.store.records(of: "aries.connection").isEmpty && net.carried.isEmpty)
        let invitee = try await started("invitee", seed: 3) { $0.resolver = StaticDIDResolver([document]) }
        let connection = try await invitee.agent.accept(invitation)
        let completed = try await connection.completed()
        #expect(completed.theirs.services.first?.endpoint == inviter.endpoint)
        #expect(try await invitee.agent.plan(for: invitation) == .acceptedBefore(connection: connection.id))
    }

    /// Counts the envelopes that come to an address, and answers none.
    private final class Counter: NetPeer {
        let count = Lock(0)

        func take(_ envelope: [UInt8], on socket: MemorySocket?) -> [UInt8]? {
            count.withLock { $0 += 1 }
            return nil
        }

        func ended(_ socket: MemorySocket) {}
    }

    @Test(.enabled(if: OutsideVectors.arePresent, "skipped: outside vectors not present"))
    func `the connections link that seed 002 prints leads to a request by connections 1.0 to the address in it`()
        async throws
    {
        let file = try JSONDocument(
            parsing: OutsideVectors.contents(of: "aries-vectors.json"), limits: JSONLimits(maximumBytes: 1 << 22))
        let address = "http://vas.evernym.com:80/agency/msg"
        let link = try file.reader.elements("invitation_urls").map { try $0.string("url") }
            .first { $0.hasPrefix(address + "?c_i=") }
        guard case .invitation(let invitation) = try InvitationText(parsing: #require(link)) else {
            Issue.record("the link holds an invitation")
            return
        }
        let agency = Counter()
        net.put(agency, at: try ServiceEndpoint(parsing: address))
        let invitee = try await started("invitee")
        guard case .handshake(.connections10, _) = try await invitee.agent.plan(for: invitation) else {
            Issue.record("the invitation leads to a handshake by connections/1.0")
            return
        }
        let connection = try await invitee.agent.accept(invitation)
        #expect(try await settled([invitee], within: .seconds(60)) { agency.count.withLock { $0 } > 0 })
        let summary = try #require(try await invitee.agent.summary(of: connection.id))
        #expect(summary.stage == .requested && summary.invitation.label == "Acme")
    }
}
