import ByteCoding
import DIDComm
public import Determinism
public import JSON

/// Fetches messages from a mediator, by the newest protocol that it supports.
///
/// Tries pickup 2.0, then 1.0, then pings that carry messages back (implicit pickup): the next one only when the
/// mediator reports that it does not support the type of the first message; any other report ends the round, and the
/// caller asks again later. A message is acknowledged only after the caller has reported that it is stored. What cannot
/// be decoded is given out for quarantine and never acknowledged. In live mode, on a WebSocket, the mediator sends
/// unasked, and a heartbeat detects a dead connection.
/// Source: RFC 0685, RFC 0212, RFC 0092.
public struct PickupClient: StateMachine, Sendable {
    /// The protocol by which messages are fetched from a mediator.
    public enum PickupProtocol: String, Hashable, Sendable, CaseIterable {
        /// The protocol messagepickup 2.0, RFC 0685.
        case pickup2 = "messagepickup/2.0"
        /// The protocol messagepickup 1.0, RFC 0212; the mediator deletes a message on delivery.
        case pickup1 = "messagepickup/1.0"
        /// Implicit pickup: pings without a requested response, which bring any waiting message.
        case implicit

        /// The older protocol to try when a mediator does not support this one; nil for the last.
        var older: PickupProtocol? {
            switch self {
            case .pickup2: .pickup1
            case .pickup1: .implicit
            case .implicit: nil
            }
        }
    }

    /// An input of the pickup client: a fact, a command of the caller, or the passing of time.
    public enum Input: Hashable, Sendable {
        /// Fetch until no message is left; then, on a persistent connection, wait for more.
        case start(isLive: Bool)
        /// A message of the mediator arrived.
        case received(ReceivedMessage)
        /// The messages with these identifiers are stored durably.
        case stored(ids: [String])
        /// An envelope arrived on the persistent connection outside of any message of the mediator.
        case envelopeArrived
        /// Poll at once, unless a request other than the wait for more messages is pending.
        case poke
        /// The transport took the message with this `@id`, and any immediate answer has been received.
        case sent(id: String)
        /// The transport could not deliver the message with this `@id`.
        case sendFailed(id: String)
        /// The answer to the message with this `@id` came to another process, which has processed it.
        case answeredElsewhere(id: String)
        /// The connection is lost; `start` begins again.
        case disconnected
        /// Request no more messages; pending answers are still processed, until `isFinished`.
        case finish
        /// The time given by `nextDeadline` is reached.
        case timeReached
    }

    /// An output of the pickup client: an action or an event.
    ///
    /// The caller handles outputs in their order.
    public enum Output: Hashable, Sendable {
        /// Send this message to the mediator.
        case send(OutgoingMessage)
        /// Store an envelope durably, then give `stored` with its identifier; nil needs no answer.
        case deliver([UInt8], id: String?)
        /// Quarantine a message, which is not acknowledged.
        case quarantine(JSONValue)
        /// The mediator has nothing left except `remaining` messages that are quarantined or not stored.
        case caughtUp(remaining: Int)
        /// The mediator does not support the tried protocol, and an older one is tried.
        case fellBack(PickupProtocol)
        /// The mediator reported a problem that may pass, with its code as the wire code; the round ended.
        ///
        /// `start` or `poke` begins again by the same protocol, after a wait that the caller chooses.
        case refused(AriesError)
        /// The round of fetching failed; `start` begins another one.
        case failed(AriesError)
        /// A message was ignored, for this reason.
        case ignored(AriesError)
    }

    /// The answer that the pickup client waits for.
    enum PendingAnswer: Hashable, Sendable {
        /// The answer with the count of waiting messages.
        case status
        /// The delivery of queued messages by the mediator.
        case delivery
        /// The caller's confirmation that all of `open` is stored.
        case storing
        /// The answer to an acknowledgement of messages.
        case acknowledged
        /// The confirmation of live mode by the mediator.
        case goingLive
        /// The messages that answer a batch request or a ping.
        case batch
        /// Further messages on a persistent connection.
        case live
    }

    /// The state of a round, which begins with the first question.
    private struct Round: Sendable {
        /// True when the mediator has answered in the protocol in use.
        var isSupported = false
        /// The `@id`s of delivered messages that are stored or being stored and not acknowledged.
        var unfinished: Set<String> = []
        /// Those that are being stored.
        var open: Set<String> = []
        /// Those that are stored.
        var stored: [String] = []
        var nudges = 0
        /// The end of the wait for what the mediator sends, or for the caller.
        var pauseUntil: MonotonicInstant?
    }

    /// The most messages requested in one delivery.
    public static let batchSize = 10

    /// The most messages accepted from one answer of the mediator.
    static let maximumDelivery = 100

    /// The longest wait for a message after a ping of implicit pickup.
    public static let nudgeWait = Duration.seconds(2)

    /// The longest wait for the answer to a delivered ping, on transports that return messages in that answer.
    public static let answeredNudgeWait = Duration.milliseconds(200)

    /// The interval of heartbeats in live mode.
    public static let heartbeat = Duration.seconds(60)

    /// The longest wait for the caller to store delivered messages, before the stored ones are acknowledged.
    public static let storingWait = Duration.seconds(30)

    /// The most messages that may stay unacknowledged in one run.
    public static let maximumUnfinished = 1000

    /// The most pings in one run of implicit pickup.
    public static let maximumNudges = 10_000

    /// The connection with the mediator.
    public let connection: Connection

    /// The protocol in use.
    public private(set) var flavour: PickupProtocol

    private var step: PendingAnswer?
    private var isLive = false
    private var message: Message?
    private var random: any RandomSource
    private var retry: RetryTimer
    private var isLiveOn = false
    private var isFinishing = false
    private var round = Round()

    /// The `@id` of the message whose answer is pending; nil for none.
    public var awaitedID: String? { message?.id }

    /// True after `finish`, once no answer is pending in which a mediator may deliver messages.
    public var isFinished: Bool { isFinishing && step == nil }

    /// Makes a pickup client of a mediator.
    ///
    /// - Parameter flavour: the first to try, as an answer of discover-features may tell.
    public init(
        _ connection: Connection, flavour: PickupProtocol = .pickup2, random: any RandomSource,
        policy: HandshakePolicy = HandshakePolicy(resendAfter: [.seconds(10)], giveUpAfter: .seconds(30))
    ) {
        self.connection = connection
        self.flavour = flavour
        self.random = random
        retry = RetryTimer(policy)
    }

    /// The time at which the caller gives the input `timeReached`; nil while no deadline is pending.
    public var nextDeadline: MonotonicInstant? {
        switch step {
        case nil: nil
        case .live, .storing: round.pauseUntil
        case .batch where flavour == .implicit: round.pauseUntil
        case .status, .delivery, .acknowledged, .goingLive, .batch: retry.deadline
        }
    }

    /// Handles one input and appends the outputs that it causes.
    public mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch input {
        case .start where isFinishing: break
        case .start(let isLive):
            self.isLive = isLive
            isLiveOn = false
            begin(at: now, into: &outputs)
        case .received(let received): receive(received, at: now, into: &outputs)
        case .stored(let ids): stored(ids, at: now, into: &outputs)
        case .envelopeArrived: envelopeArrived(at: now, into: &outputs)
        case .poke where step == nil: begin(at: now, into: &outputs)
        case .poke: if step == .live { ask(at: now, into: &outputs) }
        case .sent(let id): sent(id, at: now)
        case .sendFailed(let id): if id == message?.id { failed(at: now, into: &outputs) }
        case .answeredElsewhere(let id): if id == message?.id { caughtUp(0, at: now, into: &outputs) }
        case .disconnected: end()
        case .finish: finish()
        case .timeReached: timeReached(at: now, into: &outputs)
        }
    }

    private mutating func end() {
        step = nil
        message = nil
        round.pauseUntil = nil
        isLiveOn = false
    }

    /// Ends fetching after the pending answer, because some mediators delete what they deliver.
    private mutating func finish() {
        isFinishing = true
        switch step {
        case .delivery, .storing, .batch: break
        case .status, .acknowledged, .goingLive, .live, nil: end()
        }
    }

    // Asking.

    private mutating func begin(at now: MonotonicInstant, into outputs: inout [Output]) {
        round = Round()
        ask(at: now, into: &outputs)
    }

    /// Sends the first request of a round of fetching.
    private mutating func ask(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard !isFinishing else { return end() }
        switch flavour {
        case .pickup2: send(.pickup20, "status-request", [:], .status, at: now, into: &outputs)
        case .pickup1:
            send(.pickup10, "batch-pickup", ["batch_size": .int(Self.batchSize)], .batch, at: now, into: &outputs)
        case .implicit: nudge(at: now, into: &outputs)
        }
    }

    private mutating func envelopeArrived(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard flavour == .implicit, step == .batch else { return }
        // A message on a persistent connection may have come unasked, and not in answer to the ping.
        if isFinishing { return isLive ? () : end() }
        nudge(at: now, into: &outputs)
    }

    private mutating func nudge(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard round.nudges < Self.maximumNudges else { return caughtUp(0, at: now, into: &outputs) }
        round.nudges += 1
        transmit(TrustPing.ping(id: Message.makeID(from: &random), wantsAnswer: false), .batch, at: now, into: &outputs)
        round.pauseUntil = now + Self.nudgeWait
    }

    private mutating func send(
        _ version: MessageProtocol, _ name: String, _ body: JSONObject, _ step: PendingAnswer, at now: MonotonicInstant,
        into outputs: inout [Output]
    ) {
        let message = Message(MessageType(version, name), id: Message.makeID(from: &random), body: body)
        transmit(message, step, at: now, into: &outputs)
    }

    private mutating func transmit(
        _ message: Message, _ step: PendingAnswer, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        let message = message.askingForReturnRoute
        self.step = step
        self.message = message
        retry.begin(at: now)
        deliver(message, into: &outputs)
    }

    private mutating func deliver(_ message: Message, into outputs: inout [Output]) {
        do throws(AriesError) {
            outputs.append(.send(try connection.outgoing(message)))
        } catch {
            fail(error, into: &outputs)
        }
    }

    private mutating func sent(_ id: String, at now: MonotonicInstant) {
        guard flavour == .implicit, step == .batch, !isLive, id == message?.id, let pauseUntil = round.pauseUntil else {
            return
        }
        round.pauseUntil = min(pauseUntil, now + Self.answeredNudgeWait)
    }

    private mutating func failed(at now: MonotonicInstant, into outputs: inout [Output]) {
        // Nothing was asked for.
        if isFinishing { return end() }
        guard flavour != .implicit else {
            return fail(AriesError(.unreachable, "The mediator cannot be reached."), into: &outputs)
        }
        retry.failed(at: now)
    }

    private mutating func fail(_ error: AriesError, into outputs: inout [Output]) {
        end()
        outputs.append(.failed(error))
    }

    private mutating func timeReached(at now: MonotonicInstant, into outputs: inout [Output]) {
        if flavour == .implicit || step == .live || step == .storing {
            guard let pauseUntil = round.pauseUntil, now >= pauseUntil else { return }
            return pauseEnded(at: now, into: &outputs)
        }
        guard let step, let message, let action = retry.reached(at: now) else { return }
        switch action {
        // Some mediators deliver unasked and do not answer this.
        case .sendAgain where step == .goingLive, .giveUp where step == .goingLive:
            isLiveOn = true
            rest(at: now)
        case .sendAgain: if !isFinishing { deliver(message, into: &outputs) }
        case .giveUp: fail(AriesError(.timeout, "The mediator did not answer in time."), into: &outputs)
        }
    }

    private mutating func pauseEnded(at now: MonotonicInstant, into outputs: inout [Output]) {
        switch step {
        case .live: ask(at: now, into: &outputs)
        case .storing where !round.stored.isEmpty: acknowledge(at: now, into: &outputs)
        // A ping of implicit pickup brought nothing more.
        case .status, .delivery, .storing, .acknowledged, .goingLive, .batch, nil:
            caughtUp(round.unfinished.count, at: now, into: &outputs)
        }
    }

    private mutating func caughtUp(_ remaining: Int, at now: MonotonicInstant, into outputs: inout [Output]) {
        outputs.append(.caughtUp(remaining: remaining))
        if isFinishing { return end() }
        if isLive, flavour == .pickup2, !isLiveOn {
            return send(
                .pickup20, "live-delivery-change", ["live_delivery": true], .goingLive, at: now, into: &outputs)
        }
        if isLive { return rest(at: now) }
        step = nil
        message = nil
        round.pauseUntil = nil
    }

    /// Waits for unrequested messages of the mediator until the next heartbeat.
    private mutating func rest(at now: MonotonicInstant) {
        step = .live
        message = nil
        round.nudges = 0
        round.pauseUntil = now + Self.heartbeat
    }

    // Answers.

    private mutating func receive(
        _ received: ReceivedMessage, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        do throws(AriesError) {
            try connection.check(received)
            let message = received.message
            if let report = ProblemReport(message) { return try problem(report, message, at: now, into: &outputs) }
            if Self.isAnswer(message, in: flavour) { round.isSupported = true }
            if message.type.isSame(as: MessageType(.pickup20, "delivery")) {
                return try take(message.attachmentsForPickup("~attach"), at: now, into: &outputs)
            }
            if message.type.isSame(as: MessageType(.pickup10, "batch")) {
                return try takeBatch(message, at: now, into: &outputs)
            }
            guard message.type.isSame(as: MessageType(.pickup20, "status")) else { throw .unexpected(message) }
            try takeStatus(message, at: now, into: &outputs)
        } catch {
            outputs.append(.ignored(error))
        }
    }

    private static func isAnswer(_ message: Message, in flavour: PickupProtocol) -> Bool {
        switch flavour {
        case .pickup2: message.type.protocol.isCompatible(with: .pickup20)
        case .pickup1: message.type.protocol.isCompatible(with: .pickup10)
        case .implicit: false
        }
    }

    private mutating func problem(
        _ report: ProblemReport, _ message: Message, at now: MonotonicInstant, into outputs: inout [Output]
    ) throws(AriesError) {
        guard let asked = self.message, report.threadID == asked.id, !report.isWarning else {
            throw .unexpected(message)
        }
        if step == .goingLive {
            outputs.append(.ignored(.rejected(report)))
            isLiveOn = true
            return rest(at: now)
        }
        guard !round.isSupported, report.saysUnsupported(asked.type), let older = flavour.older else {
            end()
            return outputs.append(.refused(Self.refusal(report)))
        }
        flavour = older
        outputs.append(.fellBack(flavour))
        begin(at: now, into: &outputs)
    }

    /// Makes the error for a problem report, with its code, because some mediators give nothing else.
    private static func refusal(_ report: ProblemReport) -> AriesError {
        let code = report.code.isEmpty ? "without a code" : report.code
        let text = report.explanation.map { ": \($0)" } ?? "."
        return AriesError(
            .rejected, "The mediator answered a request for messages with a problem (\(code))\(text)",
            wireCode: report.code)
    }

    private mutating func takeStatus(
        _ message: Message, at now: MonotonicInstant, into outputs: inout [Output]
    ) throws(AriesError) {
        let count = try AriesError.reading(.messageMalformed) { () throws(JSONError) in
            try message.reader.int("message_count")
        }
        switch step {
        case .goingLive:
            isLiveOn = true
            rest(at: now)
        case .live, .storing, .batch, nil: break
        case .status, .acknowledged, .delivery:
            guard count > round.unfinished.count, step != .delivery else {
                return caughtUp(max(0, count), at: now, into: &outputs)
            }
            let limit = min(count, Self.batchSize + round.unfinished.count)
            send(.pickup20, "delivery-request", ["limit": .int(limit)], .delivery, at: now, into: &outputs)
        }
    }

    /// Passes new messages to the caller; ends the round when an answer has none, so that it cannot repeat.
    private mutating func take(
        _ attachments: [(id: String?, attachment: MessageAttachment?, raw: JSONValue)], at now: MonotonicInstant,
        into outputs: inout [Output]
    ) {
        var hasNew = false
        for (id, attachment, raw) in attachments {
            guard let id, round.unfinished.count < Self.maximumUnfinished, round.unfinished.insert(id).inserted else {
                continue
            }
            if let bytes = attachment.flatMap({ try? $0.payload() }) {
                outputs.append(.deliver(bytes, id: id))
                round.open.insert(id)
                hasNew = true
            } else {
                outputs.append(.quarantine(raw))
            }
        }
        if hasNew {
            step = .storing
            message = nil
            round.pauseUntil = now + Self.storingWait
        } else if step == .delivery {
            caughtUp(round.unfinished.count, at: now, into: &outputs)
        }
    }

    private mutating func stored(_ ids: [String], at now: MonotonicInstant, into outputs: inout [Output]) {
        for id in ids where round.open.remove(id) != nil { round.stored.append(id) }
        guard round.open.isEmpty, !round.stored.isEmpty else { return }
        if step == nil || step == .storing || step == .live { acknowledge(at: now, into: &outputs) }
    }

    private mutating func acknowledge(at now: MonotonicInstant, into outputs: inout [Output]) {
        let ids = round.stored
        round.stored = []
        round.unfinished.subtract(ids)
        send(.pickup20, "messages-received", ["message_id_list": .strings(ids)], .acknowledged, at: now, into: &outputs)
        if isFinishing { end() }
    }

    /// Handles a batch of pickup 1.0; an empty batch is the last.
    ///
    /// The mediator deletes what it delivers, so nothing is acknowledged, and late messages are processed too.
    private mutating func takeBatch(
        _ message: Message, at now: MonotonicInstant, into outputs: inout [Output]
    ) throws(AriesError) {
        let entries = try AriesError.reading(.messageMalformed) { () throws(JSONError) in
            try message.reader.optionalElements("messages~attach") ?? []
        }
        for entry in entries.prefix(Self.maximumDelivery) {
            if let inner = entry.value["message"], inner.object != nil {
                outputs.append(.deliver(inner.encoded, id: nil))
            } else {
                outputs.append(.quarantine(entry.value))
            }
        }
        guard step == .batch, message.threadID == self.message?.id else {
            if entries.isEmpty { throw AriesError(.wrongThread, "An empty batch belongs to another request.") }
            return
        }
        if entries.isEmpty { return caughtUp(0, at: now, into: &outputs) }
        ask(at: now, into: &outputs)
    }
}

extension Message {
    /// Returns the attachments of a delivery, each with its identifier if that can be read.
    fileprivate func attachmentsForPickup(
        _ name: String
    ) throws(AriesError) -> [(id: String?, attachment: MessageAttachment?, raw: JSONValue)] {
        let entries = try AriesError.reading(.messageMalformed) { () throws(JSONError) in
            try reader.optionalElements(name) ?? []
        }
        guard entries.count <= PickupClient.maximumDelivery else {
            throw AriesError(.messageMalformed, "The mediator delivers more than it was asked for.")
        }
        return entries.map { ($0.value["@id"]?.string, try? MessageAttachment($0), $0.value) }
    }
}
