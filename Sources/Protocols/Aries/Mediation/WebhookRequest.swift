import DIDComm
public import Determinism
import JSON

/// A client's request to its mediator about wake-ups: sets, removes or reads the webhook.
///
/// It is retried and then fails; an answer in another thread is ignored. Source: modelled on RFC 0734.
public struct WebhookRequest: StateMachine, Sendable {
    /// The action that is requested of the mediator.
    public enum Action: Hashable, Sendable {
        /// Set the webhook for wake-ups; nil removes it.
        case set(ClientWebhook?)
        /// Read the webhook that is set.
        case ask
    }

    /// An input of the webhook request: a fact, a command of the caller, or the passing of time.
    public enum Input: Hashable, Sendable {
        /// Begin the webhook request.
        case start
        /// A message arrived on the connection with the mediator.
        case received(ReceivedMessage)
        /// The message with this `@id` could not be delivered.
        case sendFailed(id: String)
        /// The time given by `nextDeadline` is reached.
        case timeReached
    }

    /// An output of the webhook request: an action or an event.
    ///
    /// The caller handles outputs in their order.
    public enum Output: Hashable, Sendable {
        /// Send this message to the mediator.
        case send(OutgoingMessage)
        /// The mediator answered with its current webhook, nil for none; the request has ended.
        case current(WebhookState?)
        /// The request timed out or was refused, and has ended.
        case failed(AriesError)
        /// A message was ignored, for this reason.
        case ignored(AriesError)
    }

    private let connection: Connection
    private let message: Message
    private var retry: RetryTimer
    private var isDone = false

    /// The `@id` of the message whose answer is pending; nil after the end.
    public var awaitedID: String? { isDone ? nil : message.id }

    /// The time at which the caller gives the input `timeReached`; nil while no deadline is pending.
    public var nextDeadline: MonotonicInstant? { isDone ? nil : retry.deadline }

    /// Makes a webhook request on the connection with a mediator.
    public init(
        _ action: Action, _ connection: Connection, random: inout some RandomSource,
        policy: HandshakePolicy = HandshakePolicy(resendAfter: [.seconds(5)], giveUpAfter: .seconds(20))
    ) {
        self.connection = connection
        retry = RetryTimer(policy)
        let id = Message.makeID(from: &random)
        switch action {
        case .set(let call):
            let body: JSONObject = [
                "device_token": call.map { .string($0.token) } ?? .null,
                "webhook": call.map { .string($0.webhook.text) } ?? .null,
            ]
            message = Message(MessageType(.pushWebhook10, "set-device-info"), id: id, body: body).askingForReturnRoute
        case .ask:
            message = Message(MessageType(.pushWebhook10, "get-device-info"), id: id, body: [:]).askingForReturnRoute
        }
    }

    /// Handles one input and appends the outputs that it causes.
    public mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
        guard !isDone else { return }
        switch input {
        case .start:
            retry.begin(at: now)
            transmit(into: &outputs)
        case .received(let received): receive(received, into: &outputs)
        case .sendFailed(let id): if id == message.id { retry.failed(at: now) }
        case .timeReached:
            switch retry.reached(at: now) {
            case .sendAgain: transmit(into: &outputs)
            case .giveUp: end(.failed(AriesError(.timeout, "The mediator did not answer in time.")), into: &outputs)
            case nil: break
            }
        }
    }

    private mutating func transmit(into outputs: inout [Output]) {
        do throws(AriesError) {
            outputs.append(.send(try connection.outgoing(message)))
        } catch {
            end(.failed(error), into: &outputs)
        }
    }

    private mutating func end(_ output: Output, into outputs: inout [Output]) {
        isDone = true
        outputs.append(output)
    }

    private mutating func receive(_ received: ReceivedMessage, into outputs: inout [Output]) {
        do throws(AriesError) {
            try connection.check(received)
            let answer = received.message
            guard answer.threadID == message.id else {
                throw AriesError(.wrongThread, "A message of \(answer.type) belongs to another exchange.")
            }
            if let report = ProblemReport(answer) { return end(.failed(.rejected(report)), into: &outputs) }
            guard answer.type.isSame(as: MessageType(.pushWebhook10, "device-info")) else {
                throw .unexpected(answer)
            }
            end(.current(try Self.state(answer)), into: &outputs)
        } catch {
            outputs.append(.ignored(error))
        }
    }

    private static func state(_ answer: Message) throws(AriesError) -> WebhookState? {
        guard let call = try ClientWebhook.reading(answer) else { return nil }
        let secret = try AriesError.reading(.messageMalformed) { () throws(JSONError) in
            try answer.reader.string("secret")
        }
        guard secret.utf8.count <= 256, secret.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw AriesError(.messageMalformed, "The secret of wake-ups is none.")
        }
        return WebhookState(call: call, secret: secret)
    }
}
