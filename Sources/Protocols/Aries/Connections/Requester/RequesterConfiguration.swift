public import DIDComm
import JSON

extension HandshakeRequester {
    /// The parameters of a handshake requester.
    public struct Configuration: Sendable {
        /// The name under which the caller keeps the connection.
        public let connectionID: String
        /// The handshake protocol that `InvitationAcceptancePlan` chose.
        public let handshake: MessageProtocol
        /// The invitation that this agent accepted.
        public let invitation: Invitation
        /// The inviter's service: one of those in the invitation.
        ///
        /// Its first recipient key must be the sender of the response.
        public let inviter: PeerService
        /// The address of this agent on the connection, with a fresh key that is registered at its mediator.
        public let address: AgentAddress
        /// The label that this agent sends to the inviter.
        public let label: String
        /// The form of this agent's DID; connections 1.0 supports only the legacy form.
        public let form: DIDForm
        /// The longest duration of the handshake, and the waits before it sends a message again.
        public let policy: HandshakePolicy

        /// Makes a configuration; an inviter without a key traps.
        public init(
            connectionID: String, handshake: MessageProtocol, invitation: Invitation, inviter: PeerService,
            address: AgentAddress, label: String, form: DIDForm? = nil, policy: HandshakePolicy = HandshakePolicy()
        ) {
            precondition(!inviter.recipientKeys.isEmpty, "an inviter has a key")
            self.connectionID = connectionID
            self.handshake = handshake
            self.invitation = invitation
            self.inviter = inviter
            self.address = address
            self.label = label
            let isConnections = handshake.isCompatible(with: .connections10)
            self.form = isConnections ? .legacy : form ?? .preferred(for: handshake)
            self.policy = policy
        }
    }
}

extension HandshakeRequester.Configuration {
    init(stored reader: JSONValueReader, policy: HandshakePolicy) throws {
        self.init(
            connectionID: try reader.string("connection"),
            handshake: try MessageProtocol(parsing: reader.string("handshake")),
            invitation: try Invitation(reader.object("invitation")),
            inviter: try PeerService(storedService: reader.member("inviter")),
            address: try AgentAddress(stored: reader.member("address")), label: try reader.string("label"),
            form: try StoredStateReader.choice(reader.member("form")), policy: policy)
    }
}

extension HandshakeRequestDelivery {
    var json: JSONObject {
        JSONObject(present: [
            "name": "requested", "resends": .int(resends), "repeats": repeats > 0 ? .int(repeats) : nil,
            "isRepeated": isRepeated ? true : nil,
            "isHandedOver": isHandedOver ? true : nil, "failure": failure.map { .object($0.json) },
            "refusal": refusal.map { .string($0) },
        ])
    }

    /// Reads a stored configuration that `json` wrote; older programs wrote only the number of resends.
    init(stored reader: JSONValueReader) throws {
        let resends = try StoredStateReader.count(reader, "resends")
        self.init(
            resends: resends, repeats: try reader.optional("repeats").map { try $0.int() } ?? 0,
            isRepeated: try reader.optionalBool("isRepeated") ?? (resends > 0),
            isHandedOver: try reader.optionalBool("isHandedOver") ?? false,
            failure: try reader.optional("failure").map { try HandshakeDeliveryFailure(stored: $0) },
            refusal: try reader.optionalString("refusal"))
    }
}
