public import DIDComm
public import Determinism
public import JSON

/// The invitee's state machine of a handshake: requests, checks the response, confirms.
///
/// The protocol is connections 1.0 or DID exchange 1.x.
///
/// Its state can be stored at any time, and an output asks to store it before anything is sent that depends on it; keys
/// are not in it and are given again. A message that an attacker may have written is ignored and ends nothing; what the
/// inviter's key provably wrote and cannot be used ends the handshake. A response may come from the key of the
/// invitation, or from a key that it hands over under a signature by that one, as deployed agents do. A request that
/// was not handed over is sent again a few times, always with the same `@id`; one that was is sent again only when the
/// user wants it, after a restart when we have no address for a late answer, or when a mediator of the inviter took it
/// and a long silence followed. A refusal of a repeated request is ignored, because deployed agents refuse a request
/// that they already have. After `giveUpAfter` it ends with `aries.connection.timeout`, and `again` restarts it.
/// Source: RFC 0160, RFC 0023.
public struct HandshakeRequester: StateMachine, Sendable {
    /// The configuration that the handshake requester was made with.
    public let configuration: Configuration

    /// The DID of this agent on the connection.
    public let ourDID: DID

    /// The `@id`s of request, confirmation and report, drawn once so that every resend has the same one.
    private let ids: [String]
    private let request: Message
    private var phase = Phase.ready

    /// Makes a handshake of the invitee that has not begun.
    ///
    /// - Parameter key: the key of `configuration.address`; another one traps.
    ///
    /// Throws `aries.state.malformed` when the address does not fit into a DID.
    public init(
        _ configuration: Configuration, key: AgentKey, random: inout some RandomSource
    ) throws(AriesError) {
        try self.init(configuration, key: key, ids: (0..<3).map { _ in Message.makeID(from: &random) })
    }

    private init(_ configuration: Configuration, key: AgentKey, ids: [String]) throws(AriesError) {
        precondition(key.verkey == configuration.address.key, "the key is the one of the address")
        self.configuration = configuration
        self.ids = ids
        ourDID = try configuration.form.did(of: configuration.address)
        request = try Self.request(configuration, did: ourDID, id: ids[0], key: key)
    }

    private static func request(
        _ configuration: Configuration, did: DID, id: String, key: AgentKey
    ) throws(AriesError) -> Message {
        guard configuration.handshake.isCompatible(with: .didExchange11) else {
            return ConnectionsProtocol.request(
                id: id, invitation: configuration.invitation, label: configuration.label, did: did,
                address: configuration.address)
        }
        do {
            return try DIDExchangeProtocol.request(
                configuration.handshake, id: id, invitation: configuration.invitation, label: configuration.label,
                did: did, address: configuration.address, key: key)
        } catch {
            throw AriesError(.stateMalformed, "The request cannot be signed: \(error).")
        }
    }

    /// The stage that the handshake requester has reached.
    public var stage: HandshakeStage {
        switch phase {
        case .ready: .ready
        case .requested: .requested
        case .resolving: .resolving
        case .completed: .completed
        case .abandoned: .abandoned
        }
    }

    /// The connection that the handshake made; nil before it is complete.
    public var connection: Connection? {
        if case .completed(let completion) = phase { completion.connection } else { nil }
    }

    /// The reason why the transport could not deliver the last request; nil when it could.
    public var deliveryFailure: HandshakeDeliveryFailure? {
        if case .requested(let delivery) = phase { delivery.failure } else { nil }
    }

    /// True when the request could not be delivered and there is no retry before `resume` or `again`.
    public var isUndeliverable: Bool {
        if case .requested(let delivery) = phase { delivery.isUndeliverable } else { false }
    }

    /// The `@id` of the request, which is the thread of the handshake.
    public var threadID: String { request.threadID }

    /// The time at which the caller gives the input `timeReached`; nil while no deadline is pending.
    public var nextDeadline: MonotonicInstant? {
        switch phase {
        case .ready, .abandoned: nil
        case .requested(let delivery): [delivery.resendAt, delivery.giveUpAt].compactMap(\.self).min()
        case .resolving(let answer): answer.before.giveUpAt
        case .completed(let completion): completion.resendAt
        }
    }

    private var policy: HandshakePolicy { configuration.policy }

    private var inviterKey: Verkey { configuration.inviter.recipientKeys[0] }

    private var isMediated: Bool { !configuration.inviter.routingKeys.isEmpty }

    /// Handles one input and appends the outputs that it causes.
    public mutating func handle(
        _ input: HandshakeInput, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) {
        switch input {
        case .start: if case .ready = phase { start(at: now, into: &outputs) }
        case .resume: resume(at: now, into: &outputs)
        case .received(let message): receive(message, at: now, into: &outputs)
        case .sent(let id): sent(id, at: now, into: &outputs)
        case .sendFailed(let id, let failure): sendFailed(id, failure, at: now, into: &outputs)
        case .again: startAgain(at: now, into: &outputs)
        case .resolved(let document, let did): resolved(document, did, into: &outputs)
        case .unresolved(let did, let error):
            guard case .resolving(var answer) = phase else { return }
            answer.resolution?.fail(did, error)
            proceed(answer, into: &outputs)
        case .timeReached: timeReached(at: now, into: &outputs)
        case .cancel: abandon(AriesError(.cancelled, "The connection was cancelled."), into: &outputs)
        }
    }

    // Sending.

    private mutating func start(at now: MonotonicInstant, into outputs: inout [HandshakeOutput]) {
        send(HandshakeRequestDelivery(giveUpAt: now + policy.giveUpAfter), at: now, into: &outputs)
    }

    /// Repeats an unfinished send after a restart, with the same `@id`.
    ///
    /// A request that was handed over is repeated only when we have no address: its answer would have come on a
    /// transport connection that has ended.
    private mutating func resume(at now: MonotonicInstant, into outputs: inout [HandshakeOutput]) {
        switch phase {
        case .ready: start(at: now, into: &outputs)
        case .requested(var delivery):
            delivery.giveUp(at: now + policy.giveUpAfter)
            guard !delivery.isHandedOver || configuration.address.endpoint.transport == .queue else {
                delivery.planRepeat(isMediated: isMediated, at: now, policy)
                phase = .requested(delivery)
                return
            }
            delivery.restart()
            send(delivery, at: now, into: &outputs)
        case .resolving(let answer): judgeAgain(answer, at: now, into: &outputs)
        case .completed(let completion): if !completion.isConfirmed { confirm(completion, into: &outputs) }
        case .abandoned: break
        }
    }

    /// Handles the user's request for another attempt: resends a pending request, or restarts a wait that ended.
    private mutating func startAgain(at now: MonotonicInstant, into outputs: inout [HandshakeOutput]) {
        switch phase {
        case .ready: start(at: now, into: &outputs)
        case .requested(var delivery):
            guard !delivery.isUnderWay(at: now, policy) else { return }
            delivery.restart()
            send(delivery, at: now, into: &outputs)
        case .abandoned(let error) where error.code == .timeout:
            let delivery = HandshakeRequestDelivery(isRepeated: true, giveUpAt: now + policy.giveUpAfter)
            send(delivery, at: now, into: &outputs)
        case .resolving, .completed, .abandoned: break
        }
    }

    /// Stores how often the request was sent, and sends it.
    private mutating func send(
        _ delivery: HandshakeRequestDelivery, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) {
        var delivery = delivery
        delivery.begin(at: now, policy)
        phase = .requested(delivery)
        outputs.append(.persist)
        outputs.append(.send(outgoing(request)))
    }

    /// Returns a message to the service of the invitation, ready to send.
    private func outgoing(_ message: Message) -> OutgoingMessage {
        OutgoingMessage(
            message, from: configuration.address, by: configuration.address.key, to: configuration.inviter)
    }

    private mutating func timeReached(at now: MonotonicInstant, into outputs: inout [HandshakeOutput]) {
        func isDue(_ deadline: MonotonicInstant?) -> Bool { deadline.map { $0 <= now } ?? false }
        switch phase {
        case .ready, .abandoned: break
        case .requested(var delivery):
            if isDue(delivery.giveUpAt) { return abandon(delivery.timeout, into: &outputs) }
            guard isDue(delivery.resendAt) else { return }
            guard delivery.countResend(policy) else {
                phase = .requested(delivery)
                return
            }
            send(delivery, at: now, into: &outputs)
        case .resolving(let answer):
            if isDue(answer.before.giveUpAt) { abandon(HandshakeRequestDelivery().timeout, into: &outputs) }
        case .completed(var completion):
            guard isDue(completion.resendAt) else { return }
            completion.resendAt = nil
            phase = .completed(completion)
            confirm(completion, into: &outputs)
        }
    }

    private mutating func sent(_ id: String, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]) {
        switch phase {
        case .requested(var delivery) where id == ids[0]:
            delivery.handedOver(isMediated: isMediated, at: now, policy)
            phase = .requested(delivery)
            outputs.append(.persist)
        case .completed(var completion) where id == ids[1] && !completion.isConfirmed:
            (completion.isConfirmed, completion.resendAt) = (true, nil)
            phase = .completed(completion)
            outputs.append(.persist)
        case .ready, .requested, .resolving, .completed, .abandoned: break
        }
    }

    private mutating func sendFailed(
        _ id: String, _ failure: HandshakeDeliveryFailure?, at now: MonotonicInstant,
        into outputs: inout [HandshakeOutput]
    ) {
        switch phase {
        case .requested(var delivery) where id == ids[0]:
            let isOver = delivery.failed(failure, at: now, policy)
            phase = .requested(delivery)
            guard let failure else { return }
            outputs.append(.persist)
            if isOver { outputs.append(.undeliverable(failure)) }
        case .completed(var completion) where id == ids[1] && !completion.isConfirmed:
            completion.failures += 1
            let isLeft = completion.failures <= HandshakePolicy.maximumResends
            completion.resendAt = isLeft ? now + policy.retryAfter : nil
            phase = .completed(completion)
        case .ready, .requested, .resolving, .completed, .abandoned: break
        }
    }

    /// Sends the confirmation of the response on the connection that is complete now.
    private func confirm(_ completion: ConfirmedHandshake, into outputs: inout [HandshakeOutput]) {
        let message =
            configuration.handshake.isCompatible(with: .connections10)
            ? ConnectionsProtocol.confirmation(id: ids[1], of: completion.response)
            : DIDExchangeProtocol.complete(
                configuration.handshake, id: ids[1], threadID: threadID, parentID: configuration.invitation.id)
        do throws(AriesError) {
            outputs.append(.send(try completion.connection.outgoing(message)))
        } catch {
            outputs.append(.ignored(error))
        }
    }

    /// Ends the handshake with `error`, unless it ended before.
    private mutating func abandon(_ error: AriesError, into outputs: inout [HandshakeOutput]) {
        switch phase {
        case .completed, .abandoned: return
        case .ready, .requested, .resolving: break
        }
        phase = .abandoned(error)
        outputs.append(.persist)
        outputs.append(.abandoned(error))
    }

    // Judging incoming messages.

    private mutating func receive(
        _ received: ReceivedMessage, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) {
        switch phase {
        case .requested(let delivery):
            do throws(HandshakeRejection) {
                try receiveAnswer(received, after: delivery, at: now, into: &outputs)
            } catch {
                follow(error, into: &outputs)
            }
        case .completed(let completion): repeatConfirmation(of: received, completion, into: &outputs)
        case .ready, .resolving, .abandoned: outputs.append(.ignored(.unexpected(received.message)))
        }
    }

    /// Handles a problem report by the invitation's key, or a response by that key or by one that it signed.
    private mutating func receiveAnswer(
        _ received: ReceivedMessage, after delivery: HandshakeRequestDelivery, at now: MonotonicInstant,
        into outputs: inout [HandshakeOutput]
    ) throws(HandshakeRejection) {
        let sender = try HandshakeRejection.guarding { () throws(AriesError) in try checkedSender(of: received) }
        if sender == inviterKey, let report = ProblemReport(received.message) {
            return problem(report, after: delivery, at: now, into: &outputs)
        }
        guard received.message.type.isSame(as: MessageType(configuration.handshake, "response")) else {
            throw .outsider(sender == inviterKey ? .unexpected(received.message) : .wrongSender(received.message))
        }
        let party: HandshakeParty
        do throws(HandshakeRejection) {
            party = try read(received)
        } catch {
            throw sender == inviterKey ? error : .outsider(error.error)
        }
        guard sender == inviterKey || party.isProven else { throw .outsider(.wrongSender(received.message)) }
        let answer = PendingResponse(
            response: received.message, sender: sender, arrival: received.arrival, resolution: party.resolution,
            before: delivery)
        proceed(answer, into: &outputs)
    }

    /// Returns the sender of a message that has exactly one, is for our key, and is in our thread; else throws.
    private func checkedSender(of received: ReceivedMessage) throws(AriesError) -> Verkey {
        let sender = try received.exclusiveSender()
        try received.checkRecipient(configuration.address.key)
        try received.checkThread(threadID)
        return sender
    }

    private func read(_ received: ReceivedMessage) throws(HandshakeRejection) -> HandshakeParty {
        configuration.handshake.isCompatible(with: .connections10)
            ? try ConnectionsProtocol.readResponse(received, signedBy: inviterKey)
            : try DIDExchangeProtocol.readResponse(
                received.message, signedBy: inviterKey, invitation: configuration.invitation)
    }

    private mutating func problem(
        _ report: ProblemReport, after before: HandshakeRequestDelivery, at now: MonotonicInstant,
        into outputs: inout [HandshakeOutput]
    ) {
        let error = AriesError.rejected(report)
        var delivery = before
        if report.isWarning { return outputs.append(.ignored(error)) }
        if report.code == "request_not_accepted", delivery.isRepeated {
            // The report may come from an inviter that has accepted the first request.
            delivery.refused(report.explanation ?? report.code)
            phase = .requested(delivery)
            outputs.append(.persist)
            return outputs.append(.ignored(error))
        }
        if report.code == "request_processing_error", delivery.mayResend(policy) {
            delivery.retrySoon(at: now, policy)
            phase = .requested(delivery)
            return outputs.append(.ignored(error))
        }
        abandon(error, into: &outputs)
    }

    /// Ignores an unauthenticated message; ends the handshake after a rejected message of the inviter.
    ///
    /// The inviter gets a problem report.
    private mutating func follow(_ fault: HandshakeRejection, into outputs: inout [HandshakeOutput]) {
        guard fault.isAuthentic else { return outputs.append(.ignored(fault.error)) }
        abandon(fault.error, into: &outputs)
        let report = ProblemReport(
            code: "response_processing_error", explanation: fault.error.reason, threadID: threadID)
        outputs.append(
            .send(outgoing(report.message(MessageType(configuration.handshake, "problem_report"), id: ids[2]))))
    }

    /// Checks a response again that was checked before a restart.
    private mutating func judgeAgain(
        _ answer: PendingResponse, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) {
        var delivery = HandshakeRequestDelivery.handedOverBefore
        delivery.giveUp(at: now + policy.giveUpAfter)
        phase = .requested(delivery)
        let received = ReceivedMessage(
            answer.response, sender: .authenticated(answer.sender, isExclusive: true),
            recipient: configuration.address.key, arrival: WallTime(millisecondsSinceEpoch: 0))
        receive(received, at: now, into: &outputs)
    }

    // Resolving and completing.

    private mutating func proceed(_ answer: PendingResponse, into outputs: inout [HandshakeOutput]) {
        var answer = answer
        phase = .resolving(answer)
        // As read from a store: `resume` judges the response again.
        guard let resolution = answer.resolution else { return }
        let isOfInviter = answer.sender == inviterKey
        do throws(DIDCommError) {
            switch try resolution.progress() {
            case .needs(let did):
                answer.before.rest()
                phase = .resolving(answer)
                outputs.append(.persist)
                outputs.append(.resolve(did))
            case .resolved(let document):
                guard isOfInviter || document.owns(answer.sender) else {
                    return passOver(answer, .wrongSender(answer.response), into: &outputs)
                }
                _ = try document.service()
                complete(answer, document, into: &outputs)
            }
        } catch {
            let reason = "The inviter's document cannot be used: \(error)."
            let fault = AriesError(.responseUnusable, reason, wireCode: error.code.rawValue)
            guard isOfInviter else { return passOver(answer, fault, into: &outputs) }
            follow(.authentic(fault), into: &outputs)
        }
    }

    /// Ignores a response by a sender that is not in its document, and waits for another.
    private mutating func passOver(
        _ answer: PendingResponse, _ error: AriesError, into outputs: inout [HandshakeOutput]
    ) {
        phase = .requested(answer.before)
        outputs.append(.persist)
        outputs.append(.ignored(error))
    }

    private mutating func complete(
        _ answer: PendingResponse, _ document: PeerDocument, into outputs: inout [HandshakeOutput]
    ) {
        let connection = Connection(
            id: configuration.connectionID, role: .invitee, handshake: configuration.handshake, threadID: threadID,
            invitationID: configuration.invitation.id, label: configuration.invitation.label, ourDID: ourDID,
            ours: configuration.address, theirs: document)
        let completion = ConfirmedHandshake(connection: connection, response: answer.response, answered: answer.arrival)
        phase = .completed(completion)
        outputs.append(.persist)
        confirm(completion, into: &outputs)
        outputs.append(.completed(connection))
    }

    private mutating func resolved(_ document: DIDDocument, _ did: DID, into outputs: inout [HandshakeOutput]) {
        guard case .resolving(var answer) = phase else { return }
        do throws(DIDCommError) {
            try answer.resolution?.provide(document, for: did)
        } catch {
            answer.resolution?.fail(did, error)
        }
        proceed(answer, into: &outputs)
    }

    /// Sends the confirmation again for a repeated response, which means that it was lost, unless that came too soon.
    private func repeatConfirmation(
        of received: ReceivedMessage, _ completion: ConfirmedHandshake, into outputs: inout [HandshakeOutput]
    ) {
        do throws(AriesError) {
            let sender = try checkedSender(of: received)
            guard sender == inviterKey || completion.connection.theirs.owns(sender) else {
                throw .wrongSender(received.message)
            }
            guard received.message.type == completion.response.type else { throw .unexpected(received.message) }
            if completion.isTooSoon(received) { throw AriesError(.replayed, "A response came again.") }
            confirm(completion, into: &outputs)
        } catch {
            outputs.append(.ignored(error))
        }
    }

    // Storing.

    /// The state of the handshake as JSON for a store, without keys.
    ///
    /// It holds no secret but the two sides of the connection.
    public var state: JSONObject {
        [
            "version": .int(StoredStateReader.version), "kind": "requester",
            "connection": .string(configuration.connectionID),
            "handshake": .string(configuration.handshake.description),
            "invitation": .object(configuration.invitation.object), "inviter": .object(configuration.inviter.stored),
            "address": .object(configuration.address.json), "label": .string(configuration.label),
            "form": .string(configuration.form.rawValue), "did": .string(ourDID.text), "ids": .strings(ids),
            "phase": .object(phase.json),
        ]
    }

    /// Reads a stored handshake that `state` wrote; its next input is `resume`.
    ///
    /// - Parameter key: the key of the address in it.
    ///
    /// Throws `aries.state.malformed`, also when the key is another one.
    public init(
        stored reader: JSONValueReader, key: AgentKey, policy: HandshakePolicy = HandshakePolicy()
    ) throws(AriesError) {
        let (configuration, ids, phase) = try StoredStateReader.reading {
            try StoredStateReader.check(reader, kind: "requester")
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
