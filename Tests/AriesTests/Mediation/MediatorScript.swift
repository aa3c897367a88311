import ByteCoding
import DIDComm
import Determinism
import JSON
import Testing

@testable import Aries

/// A mediator's use with a caller that stores everything at once.
struct MediatorScript {
    var sides: TwoSides
    var use: MediatorUse
    var now = MonotonicInstant.zero + .seconds(1000)
    /// The keys in the caller's store.
    var stored: [Verkey] = []
    private var keyRandom = SeededRandom(seed: 9)
    let connection: Connection

    init(socket: Bool = false, adjust: (inout MediatorUse.Configuration) -> Void = { _ in }) throws {
        sides = try TwoSides(.didExchange11)
        if socket { sides.inviterEndpoint = "wss://inviter.example/in" }
        connection = try sides.connect().invitee
        var configuration = MediatorUse.Configuration()
        configuration.policy = HandshakePolicy(resendAfter: [], giveUpAfter: .seconds(10))
        adjust(&configuration)
        use = MediatorUse(
            connectionID: connection.id, configuration: configuration, random: SeededRandom(seed: 5))
    }

    /// Gives an event, and answers what is asked of the store.
    mutating func feed(_ input: MediatorUse.Input) -> [MediatorUse.Output] {
        var outputs: [MediatorUse.Output] = []
        var inputs = [input]
        while !inputs.isEmpty {
            for output in use.handle(inputs.removeFirst(), at: now) {
                outputs.append(output)
                switch output {
                case .makeKeys(let count):
                    let fresh = (0..<count).map { _ in AgentKey.make(from: &keyRandom).verkey }
                    stored += fresh
                    inputs.append(.keysMade(fresh))
                case .verify(let changes): inputs.append(.verified(changes))
                case .compare(let listed): inputs.append(.compared(ours: stored, listed: listed))
                case .removeKey(let key): stored.removeAll { $0 == key }
                case .persist, .send, .withdraw, .deliver, .quarantine, .resumeArrivals, .openSocket, .closeSocket,
                    .dropSocket, .event, .changed, .ignored:
                    break
                }
            }
        }
        return outputs
    }

    /// Begins, with what the caller has stored.
    mutating func begin() -> [MediatorUse.Output] {
        let policy = HandshakePolicy(resendAfter: [], giveUpAfter: .seconds(10))
        return feed(
            .connected(
                MediationClient(connection, random: SeededRandom(seed: 6), policy: policy), spares: stored))
    }

    /// Lets time pass until the next deadline.
    mutating func elapse() -> [MediatorUse.Output] {
        if let deadline = use.nextDeadline { now = max(now, deadline) }
        return feed(.timeReached)
    }

    mutating func take(_ type: String, _ body: JSONObject, thread: String?) throws -> [MediatorUse.Output] {
        let message = Message(
            try MessageType(parsing: "https://didcomm.org/" + type), id: "a", thread: MessageThread(id: thread),
            body: body)
        #expect(use.concerns(message))
        return feed(
            .received(sides.received(message, from: sides.inviterKey.verkey, to: sides.inviteeKey.verkey)))
    }

    /// Answers a change of keys.
    mutating func answer(_ update: Message, _ result: String = "success") throws -> [MediatorUse.Output] {
        let updated = (update.object["updates"]?.array ?? []).map { entry -> JSONValue in
            [
                "recipient_key": entry["recipient_key"] ?? nil, "action": entry["action"] ?? nil,
                "result": .string(result),
            ]
        }
        return try take(
            "coordinate-mediation/1.0/keylist-update-response", ["updated": .array(updated)], thread: update.id)
    }

    mutating func grant(_ asked: [MediatorUse.Output]) throws -> [MediatorUse.Output] {
        let request = try #require(asked.messages.first { $0.type.name == "mediate-request" })
        return try take(
            "coordinate-mediation/1.0/mediate-grant",
            ["endpoint": "https://mediator.example/in", "routing_keys": [.string(Samples.didKey)]],
            thread: request.id)
    }

    /// Goes on until the service is granted and all free keys are known.
    mutating func serve() throws { try serveAsked(begin()) }

    /// Answers the requests in `asked`: grants the service and confirms the keys.
    mutating func serveAsked(_ asked: [MediatorUse.Output]) throws {
        let update = try #require(try grant(asked).messages.first { $0.type.name == "keylist-update" })
        _ = try answer(update)
    }

    /// Answers a request for messages with none.
    mutating func empty(_ asked: [MediatorUse.Output]) throws -> [MediatorUse.Output] {
        let request = try #require(asked.messages.first { $0.type.name == "status-request" })
        return try take("messagepickup/2.0/status", ["message_count": 0], thread: request.id)
    }

    /// Answers a request for messages with a problem.
    mutating func problem(_ asked: [MediatorUse.Output], _ code: String) throws -> [MediatorUse.Output] {
        let request = try #require(asked.messages.last)
        return try take(
            "notification/1.0/problem-report", ["description": ["code": .string(code)]], thread: request.id)
    }
}

extension [MediatorUse.Output] {
    /// The outgoing messages with their senders.
    var sent: [OutgoingMessage] { compactMap { if case .send(let outgoing) = $0 { outgoing } else { nil } } }

    /// The messages that are sent.
    var messages: [Message] { sent.map(\.message) }

    /// The names of the messages that are sent.
    var names: [String] { messages.map(\.type.name) }

    /// The events that are reported.
    var events: [MediationClientEvent] { compactMap { if case .event(let event) = $0 { event } else { nil } } }

    /// The waits of the problems that are reported.
    var waits: [Duration?] {
        events.compactMap { if case .problem(_, _, let wait) = $0 { .some(wait) } else { nil } }
    }

    /// True when a WebSocket is opened.
    var opensSocket: Bool { contains { if case .openSocket = $0 { true } else { false } } }

    /// True when keys are made.
    var makesKeys: Bool { contains { if case .makeKeys = $0 { true } else { false } } }
}
