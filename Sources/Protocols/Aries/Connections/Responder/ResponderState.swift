public import DIDComm
import JSON

extension HandshakeResponder {
    /// The parameters of a handshake responder.
    public struct Configuration: Sendable {
        /// The name under which the caller keeps the connection.
        public let connectionID: String
        /// The invitation that the request used.
        public let invitation: Invitation
        /// The key of the invitation, which signs and sends the response.
        public let invitationKey: Verkey
        /// The address of this agent on the connection, with a fresh key that is registered at its mediator.
        public let address: AgentAddress
        /// The longest duration of the handshake, and the waits before it sends a message again.
        public let policy: HandshakePolicy

        /// Makes a handshake responder configuration from its parts.
        public init(
            connectionID: String, issued: IssuedInvitation, address: AgentAddress,
            policy: HandshakePolicy = HandshakePolicy(giveUpAfter: .seconds(3600))
        ) {
            self.init(
                connectionID: connectionID, invitation: issued.invitation, invitationKey: issued.address.key,
                address: address, policy: policy)
        }

        init(
            connectionID: String, invitation: Invitation, invitationKey: Verkey, address: AgentAddress,
            policy: HandshakePolicy
        ) {
            self.connectionID = connectionID
            self.invitation = invitation
            self.invitationKey = invitationKey
            self.address = address
            self.policy = policy
        }
    }

    /// The phase of the handshake; each case holds what exists only then.
    enum Phase: Hashable, Sendable {
        /// The request was read, and nothing was sent yet.
        case ready
        /// The document of the other side is being resolved.
        case resolving
        /// The response was sent, and repeated `resends` times.
        case responded(Connection, resends: Int)
        /// The other side confirmed the response.
        case completed(Connection)
        /// The handshake failed; holds the connection when the response had been sent.
        case abandoned(AriesError, Connection?)
    }
}

extension HandshakeResponder.Phase {
    var json: JSONObject {
        switch self {
        case .ready, .resolving: ["name": "ready"]
        case .responded(let connection, let resends):
            ["name": "responded", "connection": .object(connection.json), "resends": .int(resends)]
        case .completed(let connection): ["name": "completed", "connection": .object(connection.json)]
        case .abandoned(let error, let connection):
            JSONObject(present: [
                "name": "abandoned", "error": .object(error.json), "connection": connection.map { .object($0.json) },
            ])
        }
    }

    init(stored reader: JSONValueReader) throws {
        switch try reader.string("name") {
        case "ready": self = .ready
        case "responded":
            self = .responded(
                try Connection(stored: reader.member("connection")),
                resends: try StoredStateReader.count(reader, "resends"))
        case "completed": self = .completed(try Connection(stored: reader.member("connection")))
        case "abandoned":
            self = .abandoned(
                try AriesError(stored: reader.member("error")),
                try reader.optional("connection").map { try Connection(stored: $0) })
        default: throw reader.error(.wrongKind, "the name of another phase is")
        }
    }
}
