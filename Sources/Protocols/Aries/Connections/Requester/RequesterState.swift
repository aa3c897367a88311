public import DIDComm
public import JSON

/// Storing and reading again.
extension HandshakeRequester {
    /// Everything but keys, for a store.
    ///
    /// Nothing secret is in it but the two sides of the connection.
    public var state: JSONObject {
        [
            "version": .int(StoredState.version), "kind": "requester",
            "connection": .string(configuration.connectionID),
            "handshake": .string(configuration.handshake.description),
            "invitation": .object(configuration.invitation.object), "inviter": .object(configuration.inviter.stored),
            "address": .object(configuration.address.json), "label": .string(configuration.label),
            "form": .string(configuration.form.rawValue), "did": .string(did.text), "ids": .strings(ids),
            "phase": .object(phase.json),
        ]
    }

    /// Reads what `state` wrote; give it `resume` next.
    ///
    /// - Parameter key: the key of the address in it.
    ///
    /// Throws `aries.state.malformed`, also when the key is another one.
    public init(
        stored reader: JSONReader, key: AgentKey, policy: HandshakePolicy = HandshakePolicy()
    ) throws(AriesError) {
        let (configuration, ids, phase) = try StoredState.reading {
            try StoredState.check(reader, kind: "requester")
            return (
                try Configuration(stored: reader, policy: policy), try reader.strings("ids"),
                try Phase(stored: reader.member("phase"))
            )
        }
        guard ids.count == 3, key.verkey == configuration.address.key else {
            throw AriesError(.stateMalformed, "A stored state belongs to another key.")
        }
        try self.init(configuration, key: key, ids: ids)
        self.phase = phase
    }
}

extension HandshakeRequester.Configuration {
    init(stored reader: JSONReader, policy: HandshakePolicy) throws {
        self.init(
            connectionID: try reader.string("connection"),
            handshake: try MessageProtocol(parsing: reader.string("handshake")),
            invitation: try Invitation(reader.object("invitation")),
            inviter: try PeerService(storedService: reader.member("inviter")),
            address: try AgentAddress(stored: reader.member("address")), label: try reader.string("label"),
            form: try StoredState.choice(reader.member("form")), policy: policy)
    }
}

extension HandshakeRequester.Phase {
    var json: JSONObject {
        switch self {
        case .ready: ["name": "ready"]
        case .requested(let sending): sending.json
        case .resolving(let response, let sender):
            ["name": "resolving", "response": .object(response.object), "sender": .string(sender.base58)]
        case .completed(let connection, let response, let isConfirmed):
            [
                "name": "completed", "connection": .object(connection.json), "response": .object(response.object),
                "isConfirmed": .bool(isConfirmed),
            ]
        case .abandoned(let error): ["name": "abandoned", "error": .object(error.json)]
        }
    }

    init(stored reader: JSONReader) throws {
        switch try reader.string("name") {
        case "ready": self = .ready
        case "requested": self = .requested(try HandshakeRequester.Sending(stored: reader))
        case "resolving":
            self = .resolving(
                response: try Message(reader.object("response")), sender: try Verkey(parsing: reader.string("sender")))
        case "completed":
            self = .completed(
                try Connection(stored: reader.member("connection")), response: try Message(reader.object("response")),
                isConfirmed: try reader.bool("isConfirmed"))
        case "abandoned": self = .abandoned(try AriesError(stored: reader.member("error")))
        default: throw reader.error(.wrongKind, "the name of another phase is")
        }
    }
}

extension HandshakeRequester.Sending {
    var json: JSONObject {
        JSONObject(present: [
            "name": "requested", "resends": .int(resends), "repeats": repeats > 0 ? .int(repeats) : nil,
            "isRepeated": isRepeated ? true : nil,
            "isHandedOver": isHandedOver ? true : nil, "failure": failure.map { .object($0.json) },
            "refusal": refusal.map { .string($0) },
        ])
    }

    /// Reads what `json` wrote; an older program wrote the number alone.
    init(stored reader: JSONReader) throws {
        let resends = try StoredState.count(reader, "resends")
        self.init(
            resends: resends, repeats: try reader.optional("repeats").map { try $0.int() } ?? 0,
            isRepeated: try reader.optionalBool("isRepeated") ?? (resends > 0),
            isHandedOver: try reader.optionalBool("isHandedOver") ?? false,
            failure: try reader.optional("failure").map { try DeliveryFailure(stored: $0) },
            refusal: try reader.optionalString("refusal"))
    }
}
