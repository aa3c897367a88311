import Aries
import AriesConnections
import CommandProgram
import DIDComm
import Determinism
import Terminal

/// Reports connections and their messages, in words and as events.
struct ConnectionReporter: Sendable {
    let reporter: EventReporter
    /// The name of the side in the output, when two sides report; nil for one.
    private let party: String?
    /// True when messages for people are reported as they arrive; false where they are read from the vault.
    private let reportsMessages: Bool
    /// The time of day, at which a message arrives; nil where arrivals are not dated.
    private let wallTime: (@Sendable () -> WallTime)?

    init(
        reporter: EventReporter, party: String? = nil, reportsMessages: Bool = true,
        wallTime: (@Sendable () -> WallTime)? = nil
    ) {
        self.reporter = reporter
        self.wallTime = wallTime
        self.party = party
        self.reportsMessages = reportsMessages
    }

    private var console: Console { reporter.console }
    private var partyField: JSONText.Member { .init("party", .string(party)) }

    /// Writes a line, with the side before it when two report.
    func say(_ line: String) {
        let label = party.map { console.palette(TerminalText.padded($0, to: 9), .dim) } ?? ""
        console.say(label + line)
    }

    /// Reports an event of an agent, except those that users need not see.
    func report(_ event: AgentEvent) {
        switch event {
        case .stage(let connection, let stage, let error, let invitation): report(connection, stage, error, invitation)
        case .received(let connection, let event): report(connection, event)
        case .requested(let request): self.request(request)
        case .reused(let connection, let invitation): reused(connection, invitation)
        case .undelivered(let connection, let id): delivery(connection, id, isDelivered: false)
        case .sent(let connection, let id): delivery(connection, id, isDelivered: true)
        case .mediator(let news): report(news)
        case .passedOver(let connection, let code, let reason): passedOver(connection, code, reason)
        // The other events are not for people.
        default: break
        }
    }

    private func report(_ connection: String, _ event: ConnectionMessageHandler.Event) {
        switch event {
        case .text(let text) where reportsMessages:
            let arrival = wallTime?()
            message(
                connection, .received, id: nil, type: .basicMessage, text: text.content, time: arrival,
                written: text.sent)
            put(connection, TerminalText.sanitised(text.content, limit: 2000) + Self.delay(of: text, arrival))
        case .question(let question) where reportsMessages: ask(connection, question)
        case .answer(let text, let thread) where reportsMessages: answer(connection, thread, text)
        case .rotated(let changed): rotated(connection, changed.theirs.did.text, isOurs: false)
        case .ownRotated(let changed): rotated(connection, changed.ourDID.text, isOurs: true)
        case .hungUp:
            reporter.event(.connectionEnded, [partyField, .init("connection", .string(connection))])
            say("\(connection) was ended by the other side.")
        // The other events are not for people.
        default: break
        }
    }

    /// A remark with the time of writing, for a text that arrived a minute or more later; else empty.
    private static func delay(of text: BasicMessage, _ arrival: WallTime?) -> String {
        guard let arrival, let sent = text.sent else { return "" }
        let (delay, overflows) = arrival.millisecondsSinceEpoch.subtractingReportingOverflow(
            sent.millisecondsSinceEpoch)
        return overflows || abs(delay) >= 60_000 ? "  (written \(sent.messageText))" : ""
    }

    private func report(_ connection: String, _ stage: HandshakeStage, _ error: AriesError?, _ invitation: String) {
        reporter.event(
            .connectionStage,
            [
                partyField, .init("connection", .string(connection)), .init("stage", .string(stage.rawValue)),
                .init("invitation", .string(invitation)),
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

    /// Reports a stored request.
    func request(_ request: AttachedRequest) {
        reporter.event(.request, [partyField] + request.fields())
        let type = TerminalText.sanitised(request.message.type.description)
        say("asks for \(type); it is kept: symbolon requests list")
    }

    private func reused(_ connection: String, _ invitation: String) {
        reporter.event(
            .connectionReused,
            [partyField, .init("connection", .string(connection)), .init("invitation", .string(invitation))])
        say("\(connection)  is used again")
    }

    /// Reports a change of the DID of one side.
    ///
    /// - Parameter isAcknowledged: false for a change of ours that the other side has not answered yet.
    func rotated(_ connection: String, _ did: String, isOurs: Bool, isAcknowledged: Bool = true) {
        reporter.event(
            .rotated,
            [
                partyField, .init("connection", .string(connection)), .init("isOurs", .bool(isOurs)),
                .init("did", .string(did)), .init("isAcknowledged", .bool(isAcknowledged)),
            ])
        if !isAcknowledged {
            return say("\(connection)  the change of our DID is begun and goes on; the other side has not answered yet")
        }
        say("\(connection)  \(isOurs ? "has a new DID on our side" : "has a new DID on the other side")")
    }

    private func ask(_ connection: String, _ question: Question) {
        reporter.event(
            .question,
            [
                partyField, .init("connection", .string(connection)), .init("id", .string(question.threadID)),
                .init("text", .string(question.text)), .init("detail", .string(question.detail)),
                .init("answers", .array(question.answers.map { .string($0) })),
                .init("expires", .string(question.expires?.messageText)),
            ])
        put(connection, Self.words(for: question))
    }

    /// A question with its answers, sanitised for a terminal.
    static func words(for question: Question) -> String {
        let answers = question.answers.map { "“\(TerminalText.sanitised($0, limit: 100))”" }.joined(separator: ", ")
        return "asks: \(TerminalText.sanitised(question.text, limit: 2000)) (answers: \(answers))"
    }

    private func answer(_ connection: String, _ question: String, _ text: String) {
        reporter.event(
            .answer,
            [
                partyField, .init("connection", .string(connection)), .init("question", .string(question)),
                .init("text", .string(text)),
            ])
        put(connection, "answers: " + TerminalText.sanitised(text, limit: 2000))
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
        say("ignored (\(code)): \(TerminalText.sanitised(reason, limit: 400))")
    }

    /// Writes the event `message` for a message of a connection.
    func message(
        _ connection: String, _ direction: ConnectionMessage.Direction, id: String?, type: String, text: String?,
        time: WallTime?, written: WallTime?
    ) {
        reporter.event(
            .message,
            [
                partyField, .init("connection", .string(connection)), .init("direction", .string(direction.rawValue)),
                .init("id", .string(id)), .init("type", .string(type)), .init("text", .string(text)),
                .init("time", .string(time?.messageText)), .init("written", .string(written?.messageText)),
            ])
    }

    /// Reports the events of an agent until the stream ends.
    func follow(_ events: AsyncStream<AgentEvent>) async {
        for await event in events { report(event) }
    }
}

extension String {
    /// The full message type of a basic message, which is a text for people.
    static var basicMessage: String { MessageType(.basicMessage10, "message").description }
}

extension AttachedRequest {
    /// The fields of the event `request`; `text` is the whole message where it is asked for.
    func fields(message text: String? = nil) -> [JSONText.Member] {
        let connection: String? = if case .connection(let id) = binding { id } else { nil }
        return [
            .init("id", .string(message.id)), .init("type", .string(message.type.description)),
            .init("connection", .string(connection)), .init("invitation", .string(invitationID)),
            .init("message", .string(text)),
        ]
    }
}

extension DID {
    /// The DID for a line on a screen: a did:peer:4 in its short form, and another long one without its middle.
    var shownText: String {
        if case .peer(.long) = method { return shortForm.text }
        guard text.utf8.count > 80 else { return text }
        return "\(text.prefix(40))…\(text.suffix(8))"
    }
}

extension ConnectionSummary {
    /// The fields of the event `connection`.
    var fields: [JSONText.Member] {
        [
            .init("id", .string(id)), .init("role", .string(role.rawValue)), .init("stage", .string(stage.rawValue)),
            .init("state", .string(state)),
            .init("name", .string(name)), .init("label", .string(label)), .init("isEnded", .bool(isEnded)),
            .init("protocol", .string(connection?.handshake.description)),
            .init("ourDID", .string(ourDID?.text)), .init("theirDID", .string(theirDID?.text)),
            .init("endpoint", .string(theirEndpoint)), .init("invitation", .string(invitation.id)),
            .init("goalCode", .string(invitation.goalCode)), .init("goal", .string(invitation.goal)),
            .init("imageURL", .string(invitation.imageURL)), .init("created", .string(created.messageText)),
            .init("code", .string(failure?.code.rawValue ?? deliveryFailure?.code)),
            .init("reason", .string(failure?.reason ?? deliveryFailure?.reason)),
        ]
    }

    var theirEndpoint: String? { connection.flatMap { try? $0.theirs.service().endpoint.text } }

    /// The shown name: the user's name for it, else the other side's label.
    var shownName: String { (name ?? label).map { TerminalText.sanitised($0, limit: 60) } ?? "" }

    /// The state of a connection, in one word.
    var state: String {
        if isEnded { return "ended" }
        if isBroken { return "broken" }
        return rotation == nil ? stage.rawValue : "rotating"
    }
}
