import DIDComm
import Determinism
import JSON

extension HandshakeRequester {
    /// The phase of the handshake; each case holds what exists only then.
    enum Phase {
        /// The handshake has not sent its request yet.
        case ready
        /// The request was sent.
        case requested(HandshakeRequestDelivery)
        /// A response passed the first checks, and its document is being resolved.
        case resolving(PendingResponse)
        /// The connection is complete; the confirmation of the response is repeated until it was delivered.
        case completed(ConfirmedHandshake)
        /// The handshake failed with this error.
        case abandoned(AriesError)
    }

    /// A response whose document is being resolved.
    struct PendingResponse {
        let response: Message
        let sender: Verkey
        /// The time at which the response arrived.
        let arrival: WallTime
        /// The resolution of the document; nil after a read from a store, until the response is checked again.
        var resolution: DIDResolution?
        /// The delivery state of the request when the response came.
        var before: HandshakeRequestDelivery
    }

    /// A complete connection with the confirmation of its response.
    struct ConfirmedHandshake {
        let connection: Connection
        let response: Message
        /// The time at which the response arrived; nil when an older program stored the state.
        let answered: WallTime?
        var isConfirmed = false
        var failures = 0
        var resendAt: MonotonicInstant?

        /// Returns true for a repeated response that was sent before our confirmation.
        ///
        /// An inviter repeats its response while we are away, and a mediator then hands over all of them at once.
        func isTooSoon(_ repeated: ReceivedMessage) -> Bool {
            guard let answered, answered <= repeated.arrival else { return false }
            return repeated.arrival.since(answered) < HandshakePolicy.repeatedResponseAfter
        }
    }
}

extension HandshakeRequester.Phase {
    /// The phase as JSON for a store, without the parts that depend on time.
    var json: JSONObject {
        switch self {
        case .ready: ["name": "ready"]
        case .requested(let delivery): delivery.json
        case .resolving(let answer):
            ["name": "resolving", "response": .object(answer.response.object), "sender": .string(answer.sender.base58)]
        case .completed(let completion):
            JSONObject(present: [
                "name": "completed", "connection": .object(completion.connection.json),
                "response": .object(completion.response.object), "isConfirmed": .bool(completion.isConfirmed),
                "answered": completion.answered.map { .int(Int($0.millisecondsSinceEpoch)) },
            ])
        case .abandoned(let error): ["name": "abandoned", "error": .object(error.json)]
        }
    }

    init(stored reader: JSONValueReader) throws {
        switch try reader.string("name") {
        case "ready": self = .ready
        case "requested": self = .requested(try HandshakeRequestDelivery(stored: reader))
        case "resolving":
            // The response is checked again, and its document is resolved again.
            self = .resolving(
                HandshakeRequester.PendingResponse(
                    response: try Message(reader.object("response")),
                    sender: try Verkey(parsing: reader.string("sender")),
                    arrival: WallTime(millisecondsSinceEpoch: 0), resolution: nil, before: .handedOverBefore))
        case "completed":
            self = .completed(
                HandshakeRequester.ConfirmedHandshake(
                    connection: try Connection(stored: reader.member("connection")),
                    response: try Message(reader.object("response")),
                    answered: try reader.optional("answered").map {
                        WallTime(millisecondsSinceEpoch: Int64(try $0.int()))
                    },
                    isConfirmed: try reader.bool("isConfirmed")))
        case "abandoned": self = .abandoned(try AriesError(stored: reader.member("error")))
        default: throw reader.error(.wrongKind, "the name of another phase is")
        }
    }
}
