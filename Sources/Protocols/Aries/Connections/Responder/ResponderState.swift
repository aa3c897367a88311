import DIDComm
public import JSON

/// Storing and reading again.
extension HandshakeResponder {
    /// Everything for a store; no key is needed to go on.
    ///
    /// Nothing secret is in it but the two sides of the connection.
    public var state: JSONObject {
        [
            "version": .int(StoredState.version), "kind": "responder",
            "connection": .string(configuration.connectionID),
            "invitation": .object(configuration.invitation.object),
            "invitationKey": .string(configuration.invitationKey.base58),
            "address": .object(configuration.address.json), "request": .object(request.object),
            "sender": .string(sender.base58), "did": .string(ourDID.text), "response": .object(response.object),
            "phase": .object(phase.json),
        ]
    }

    /// Reads what `state` wrote; give it `resume` next.
    ///
    /// Throws `aries.state.malformed`.
    public init(
        stored reader: JSONReader, policy: HandshakePolicy = HandshakePolicy(giveUpAfter: .seconds(3600))
    ) throws(AriesError) {
        self = try StoredState.reading {
            try StoredState.check(reader, kind: "responder")
            return try HandshakeResponder(
                Configuration(
                    connectionID: try reader.string("connection"),
                    invitation: try Invitation(reader.object("invitation")),
                    invitationKey: try Verkey(parsing: reader.string("invitationKey")),
                    address: try AgentAddress(stored: reader.member("address")), policy: policy),
                request: try Message(reader.object("request")), sender: try Verkey(parsing: reader.string("sender")),
                ourDID: try DID(parsing: reader.string("did")), response: try Message(reader.object("response")),
                phase: try Phase(stored: reader.member("phase")))
        }
    }
}

extension HandshakeResponder.Phase {
    var json: JSONObject {
        switch self {
        case .ready: ["name": "ready"]
        case .responded(let connection, let resends):
            ["name": "responded", "connection": .object(connection.json), "resends": .int(resends)]
        case .completed(let connection): ["name": "completed", "connection": .object(connection.json)]
        case .abandoned(let error, let connection):
            JSONObject(present: [
                "name": "abandoned", "error": .object(error.json), "connection": connection.map { .object($0.json) },
            ])
        }
    }

    init(stored reader: JSONReader) throws {
        switch try reader.string("name") {
        case "ready": self = .ready
        case "responded":
            self = .responded(
                try Connection(stored: reader.member("connection")), resends: try StoredState.count(reader, "resends"))
        case "completed": self = .completed(try Connection(stored: reader.member("connection")))
        case "abandoned":
            self = .abandoned(
                try AriesError(stored: reader.member("error")),
                try reader.optional("connection").map { try Connection(stored: $0) })
        default: throw reader.error(.wrongKind, "the name of another phase is")
        }
    }
}
