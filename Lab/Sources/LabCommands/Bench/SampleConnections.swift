import Aries
import AriesConnections
import CryptoSuite
import DIDComm
import Determinism
import Vault

/// Complete connections as an invitee has them, for measuring: made by the handshakes of both sides, without a
/// transport.
struct SampleConnections {
    /// One connection with its records.
    struct Sample: Sendable {
        /// The invitation that it came from.
        let invitation: Invitation
        /// Another invitation with the same key, as made by an inviter with one key for all.
        let another: Invitation

        let record: ConnectionRecord
        let key: KeyRecord
        let inbox: InboxRecord

        /// Writes the sample into a store.
        func insert(into store: any RecordWriting) throws {
            try key.save(in: store)
            _ = try record.save(in: store)
            try inbox.save(in: store)
        }
    }

    /// The number of records of a connection.
    static let recordsEach = 3

    private var random: SeededRandom

    /// Makes a source of connections.
    init(random: SeededRandom) { self.random = random }

    /// The connection number `number`, from its own inviter; every second one by DID exchange 1.1.
    mutating func make(_ number: Int) throws -> Sample {
        let (invitation, another, address, invitationKey) = try Self.parts(number, random: &random)
        let key = AgentKey.make(from: &random)
        var requester = try requester(number, invitation, key)
        let request = try Self.sent(requester.handle(.start, at: .zero))
        var responder = try HandshakeResponder(
            .init(
                connectionID: "their connection \(number)",
                issued: IssuedInvitation(invitation, address: address, isMultiUse: true),
                address: AgentAddress(key: AgentKey.make(from: &random).verkey, endpoint: address.endpoint)),
            answering: Self.carried(request), key: invitationKey, random: &random)
        let response = try Self.sent(responder.handle(.start, at: .zero))
        let outputs = requester.handle(.received(Self.carried(response)), at: .zero)
        for case .send(let confirmation) in outputs {
            _ = requester.handle(.sent(id: confirmation.message.id), at: .zero)
        }
        for case .completed(let connection) in outputs {
            var record = ConnectionRecord(
                id: requester.configuration.connectionID, role: .invitee, invitation: invitation,
                created: WallTime(millisecondsSinceEpoch: 0), name: nil, handshake: .requester(requester))
            record.connection = connection
            return Sample(
                invitation: invitation, another: another, record: record,
                key: KeyRecord(key, owner: .connection(record.id)),
                inbox: InboxRecord(connection, features: .usual))
        }
        throw AgentError(.connectionIncomplete, "A connection for measuring was not completed.")
    }

    /// The invitation number `number`, from an unknown inviter.
    static func invitation(
        _ number: Int, random: inout SeededRandom
    ) throws -> (invitation: Invitation, another: Invitation) {
        let (invitation, another, _, _) = try parts(number, random: &random)
        return (invitation, another)
    }

    private static func parts(
        _ number: Int, random: inout SeededRandom
    ) throws -> (Invitation, Invitation, AgentAddress, AgentKey) {
        let key = AgentKey.make(from: &random)
        let endpoint = try ServiceEndpoint(parsing: "https://inviter-\(abs(number)).example/agent")
        let address = AgentAddress(key: key.verkey, endpoint: endpoint)
        var draft = InvitationDraft(number % 2 == 0 ? .connections : .outOfBand, label: "Inviter \(number)")
        if draft.kind == .outOfBand { draft.goal = "To measure" }
        return (
            try draft.invitation(id: "invitation \(number)", address: address),
            try draft.invitation(id: "another \(number)", address: address), address, key
        )
    }

    private mutating func requester(
        _ number: Int, _ invitation: Invitation, _ key: AgentKey
    ) throws -> HandshakeRequester {
        guard case .resolved(let document)? = try invitation.services.first?.resolution.progress() else {
            throw DIDCommError(.serviceNone, "the invitation names no service")
        }
        let own = AgentAddress(key: key.verkey, endpoint: try ServiceEndpoint(parsing: "https://invitee.example/in"))
        return try HandshakeRequester(
            HandshakeRequester.Configuration(
                connectionID: "connection \(number)", handshake: try InvitationAcceptancePlan.handshake(of: invitation),
                invitation: invitation, inviter: try document.service(), address: own, label: "Invitee"),
            key: key, random: &random)
    }

    private static func sent(_ outputs: [HandshakeOutput]) throws -> OutgoingMessage {
        for case .send(let outgoing) in outputs { return outgoing }
        throw AgentError(.connectionIncomplete, "A handshake for measuring sent nothing.")
    }

    /// The message as received in an envelope.
    private static func carried(_ outgoing: OutgoingMessage) -> ReceivedMessage {
        ReceivedMessage(
            outgoing.message, sender: .authenticated(outgoing.sender, isExclusive: true),
            recipient: outgoing.service.recipientKeys.first, arrival: WallTime(millisecondsSinceEpoch: 0))
    }
}
