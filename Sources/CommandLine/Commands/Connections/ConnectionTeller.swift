import Aries
import AriesRuntime
import DIDComm
import Determinism
import Terminal

/// Tells of connections and their messages, in words and as events.
struct ConnectionTeller: Sendable {
    let reporter: Reporter
    /// Who speaks, when two do.
    var party: String?

    private var console: Console { reporter.console }
    private var partyField: JSONText.Member { .init("party", .string(party)) }

    /// Says a line; who says it stands before it when two speak.
    func say(_ line: String) {
        let label = party.map { console.palette(TerminalText.padded($0, to: 9), .dim) } ?? ""
        console.say(label + line)
    }

    /// Tells what an agent tells, as far as it is for people.
    func tell(_ event: AgentEvent) {
        switch event {
        case .stage(let connection, let stage, let error): tell(connection, stage, error)
        case .received(let connection, .text(let text)):
            message(connection, .received, id: nil, type: .basicMessage, text: text.content, time: text.sent)
            put(connection, TerminalText.sanitised(text.content, limit: 2000))
        case .received(let connection, .hungUp):
            reporter.event(.connectionEnded, [partyField, .init("connection", .string(connection))])
            say("\(connection) was ended by the other side.")
        case .undelivered(let connection, let id): delivery(connection, id, isDelivered: false)
        case .sent(let connection, let id): delivery(connection, id, isDelivered: true)
        case .mediator(let news): tell(news)
        case .passedOver(let connection, let code, let reason): passedOver(connection, code, reason)
        // The rest is of no use to people.
        default: break
        }
    }

    private func tell(_ connection: String, _ stage: HandshakeStage, _ error: AriesError?) {
        reporter.event(
            .connectionStage,
            [
                partyField, .init("connection", .string(connection)), .init("stage", .string(stage.rawValue)),
                .init("code", .string(error?.code.rawValue)), .init("reason", .string(error?.reason)),
            ])
        let reason = error.map { ": " + TerminalText.sanitised("\($0)", limit: 400) } ?? ""
        say("\(connection)  \(Self.words(for: stage))\(reason)")
    }

    static func words(for stage: HandshakeStage) -> String {
        switch stage {
        case .ready: "begun"
        case .requested: "asked to connect"
        case .responded: "answered"
        case .resolving: "looks for the other side's document"
        case .completed: "connected"
        case .abandoned: "given up"
        }
    }

    private func put(_ connection: String, _ text: String) {
        if party == nil { reporter.put("\(connection)  \(text)") } else { say("hears: \(text)") }
    }

    private func delivery(_ connection: String, _ id: String, isDelivered: Bool) {
        reporter.event(
            .delivery,
            [
                partyField, .init("connection", .string(connection)), .init("message", .string(id)),
                .init("isDelivered", .bool(isDelivered)),
            ])
        if !isDelivered { say("\(connection)  a message could not be delivered; it is kept") }
    }

    private func passedOver(_ connection: String?, _ code: String, _ reason: String) {
        reporter.event(
            .passedOver,
            [
                partyField, .init("connection", .string(connection)), .init("code", .string(code)),
                .init("reason", .string(reason)),
            ])
        say("passed over (\(code)): \(TerminalText.sanitised(reason, limit: 400))")
    }

    /// Writes the event of a message.
    func message(
        _ connection: String, _ direction: ConnectionMessage.Direction, id: String?, type: String, text: String?,
        time: WallTime?
    ) {
        reporter.event(
            .message,
            [
                partyField, .init("connection", .string(connection)), .init("direction", .string(direction.rawValue)),
                .init("id", .string(id)), .init("type", .string(type)), .init("text", .string(text)),
                .init("time", .string(time?.messageText)),
            ])
    }

    /// Tells everything that `events` brings until it ends.
    func follow(_ events: AsyncStream<AgentEvent>) async {
        for await event in events { tell(event) }
    }
}

extension String {
    /// The type of a text for people.
    static var basicMessage: String { MessageType(.basicMessage10, "message").description }
}

extension ConnectionSummary {
    /// The fields of the event `connection`.
    var fields: [JSONText.Member] {
        [
            .init("id", .string(id)), .init("role", .string(role.rawValue)), .init("stage", .string(stage.rawValue)),
            .init("name", .string(name)), .init("label", .string(label)), .init("isEnded", .bool(isEnded)),
            .init("protocol", .string(connection?.handshake.description)),
            .init("ourDID", .string(connection?.ourDID.text)), .init("theirDID", .string(connection?.theirs.did.text)),
            .init("endpoint", .string(theirEndpoint)), .init("code", .string(failure?.code.rawValue)),
            .init("reason", .string(failure?.reason)),
        ]
    }

    var theirEndpoint: String? { connection.flatMap { try? $0.theirs.service().endpoint.text } }

    /// What people call it: the user's name for it, else what the other side calls itself.
    var shownName: String { (name ?? label).map { TerminalText.sanitised($0, limit: 60) } ?? "" }

    /// Where it is, in one word.
    var state: String { isEnded ? "ended" : stage.rawValue }
}
