import Aries
import CodedErrors
import DIDComm
import Determinism
import Vault
import WebTransport

/// Sends messages: follows the outbox, packs, and gives envelopes to a reply channel or to the transport.
final class MessageDelivery {
    private let context: AgentContext
    private let keys: KeyStore
    private let transport: any MessageTransport
    private let observers: AgentObservers
    private var outbox: Outbox
    private var codec = EnvelopeCodec()
    private var tasks: [String: Task<Void, Never>] = [:]
    /// The reply channels on transport connections that the other side opened, by our connection.
    private var returnPaths: [String: any ReturnRoute] = [:]
    /// The reasons why the transport did not take the last message of a connection, by the connection.
    private var failures: [String: any Error] = [:]
    /// The last answer to a request for a connection, where it was no envelope.
    private var foreignAnswers: [String: (answer: NonEnvelopeResponse, time: MonotonicInstant)] = [:]

    init(_ context: AgentContext, keys: KeyStore, transport: any MessageTransport, observers: AgentObservers) {
        self.context = context
        self.keys = keys
        self.transport = transport
        self.observers = observers
        outbox = Outbox(
            maximumSending: AgentConfiguration.maximumDeliveries, waits: context.configuration.retryAfter)
    }

    var nextDeadline: MonotonicInstant? { outbox.nextDeadline }

    var isSending: Bool { outbox.sendingCount > 0 }

    /// Returns true when a message for the connection waits or is under way.
    func isInUse(_ connection: String) -> Bool { outbox.isInUse(connection) }

    /// Returns the reason why the transport did not take the last message on a connection.
    ///
    /// It is also set when a request for the connection got no agent's answer. Nil when the transport took the message,
    /// or none was sent since the start.
    func failure(on connection: String) -> (any Error)? {
        if let failure = failures[connection] { return failure }
        return foreignAnswers[connection].flatMap { $0.answer.isEmpty ? nil : $0.answer.error }
    }

    /// The last answer to the request for a connection, where it was no envelope; an empty one after ten seconds.
    func foreignAnswer(on connection: String, at now: MonotonicInstant) -> NonEnvelopeResponse? {
        guard let (answer, time) = foreignAnswers[connection] else { return nil }
        return answer.isEmpty && now < time + .seconds(10) ? nil : answer
    }

    /// Notes the answer of a server that is no agent's to the request for a connection.
    func answered(on connection: String, with answer: NonEnvelopeResponse) {
        foreignAnswers[connection] = (answer, context.now())
    }

    /// The refusal of the last message on a connection by the address rules, the host look-up or the choice of
    /// transports; nil for other failures.
    func refusal(on connection: String) -> (any Error)? {
        failures[connection].flatMap { $0 is FetchError || $0.isTransportRefusal ? $0 : nil }
    }

    /// Queues a message, which is sent when the present job is done.
    func append(_ item: Outbox.MessageToSend, to connection: String) { feed(.append(item, to: connection)) }

    func withdraw(_ messageID: String, from connection: String) { feed(.withdraw(messageID, from: connection)) }

    /// Records that the other side sent a message, so that waiting messages are sent; answers go back on `path` if any.
    func otherSideAppeared(_ connection: String, _ path: (any ReturnRoute)?) {
        setReturnPath(path, on: connection)
        feed(.otherSideAppeared(connection))
    }

    /// Sends answers back on `path`; nil changes nothing.
    func setReturnPath(_ path: (any ReturnRoute)?, on connection: String) {
        if let path { returnPaths[connection] = path }
    }

    func removeReturnPath(on connection: String) { returnPaths[connection] = nil }

    /// Drops the queue of a connection, and cancels its attempt to send.
    func remove(_ connection: String) {
        foreignAnswers[connection] = nil
        feed(.removed(connection))
    }

    /// Stops all deliveries.
    func stop() {
        cancelAll()
        returnPaths = [:]
        failures = [:]
        foreignAnswers = [:]
    }

    func cancelAll() {
        for task in tasks.values { task.cancel() }
        tasks = [:]
        outbox = Outbox(
            maximumSending: AgentConfiguration.maximumDeliveries, waits: context.configuration.retryAfter)
    }

    /// Starts a task with `begin` for each message that may be sent now.
    func dispatch(_ begin: (Outbox.MessageToSend, String) -> Task<Void, Never>) {
        for output in outbox.handle(.dispatch, at: context.now()) {
            if case .send(let item, let connection) = output { tasks[connection] = begin(item, connection) }
        }
    }

    private func feed(_ input: Outbox.Input) {
        for output in outbox.handle(input, at: context.now()) {
            switch output {
            case .send: preconditionFailure("messages are sent by dispatch alone")
            case .gaveUp(let record):
                observers.report(.undelivered(connection: record.connection, messageID: record.message.id))
            case .cancel(let connection): tasks.removeValue(forKey: connection)?.cancel()
            }
        }
    }

    /// Reads the messages of the store that are to be sent.
    func resume() async throws {
        var cursor: RecordCursor?
        repeat {
            let page = try await context.store.records(in: AgentCategories.outbox, after: cursor)
            for stored in page.records {
                let record = try OutboxRecord(stored)
                append(.outbox(record), to: record.connection)
            }
            cursor = page.next
        } while cursor != nil
    }

    /// Processes the result of an attempt: queues the message again, or removes it from the store.
    func finished(_ item: Outbox.MessageToSend, on connection: String, failure: (any Error)?) async throws {
        tasks[connection] = nil
        if case .outbox(let record) = item, let hold = failure as? DeliveryHoldReason {
            return try await held(record, hold)
        }
        if let failure { observers.passedOver(failure, on: connection) }
        failures[connection] = failure
        guard case .outbox(let record) = item else {
            feed(.finished(on: connection))
            guard case .single(let outgoing, _) = item else { return }
            let id = outgoing.message.id
            return observers.report(
                failure == nil
                    ? .sent(connection: connection, messageID: id) : .undelivered(connection: connection, messageID: id)
            )
        }
        if let failure {
            // A former address may be gone for ever.
            return feed(
                .failed(
                    record.toPresentAddress,
                    HandshakeDeliveryFailure(failure).kind(isAwaited: failure.isDeliveryAwaited)))
        }
        feed(.finished(on: connection))
        try await remove(record)
        observers.report(.sent(connection: record.connection, messageID: record.message.id))
    }

    private func remove(_ record: OutboxRecord) async throws {
        try await context.store.write { store in
            guard try store.record(record.id, in: AgentCategories.outbox) != nil else { return }
            try store.remove(record.id, in: AgentCategories.outbox, expecting: nil)
        }
    }

    /// Processes a message that was not given to the transport.
    private func held(_ record: OutboxRecord, _ hold: DeliveryHoldReason) async throws {
        switch hold {
        case .waits(let wait): feed(.failed(record, .postponed(wait)))
        case .obsolete:
            feed(.finished(on: record.connection))
            try await remove(record)
        }
    }

    /// Packs a message, and gives it to the reply channel or to the transport.
    ///
    /// - Parameter answers: takes envelopes that come back on the same connection.
    func carry(
        _ outgoing: OutgoingMessage, with given: AgentKey?, on connection: String,
        answers: @escaping @Sendable ([UInt8]) -> Void
    ) async throws {
        var key = given
        if key == nil { key = try await keys.key(outgoing.sender)?.key }
        guard let key else {
            throw AgentError(.keyMissing, "The key that a message is to be sent with is not in the store.")
        }
        let reached = outgoing.service(reachedBy: context.configuration.outboundTransports)
        let service = reached ?? outgoing.service
        let (bare, wrapped) = try pack(outgoing.message, to: service, with: key)
        if let path = returnPaths[connection] {
            // A reply channel leads to the other side itself, past its mediators.
            if path.offer(path is any PersistentTransport ? wrapped : bare) { return }
            returnPaths[connection] = nil
        }
        guard let reached else {
            let transport = service.endpoint.transport
            throw transport == .queue
                ? AgentError(.deliveryWaits, "The other side has no address and is not connected now.")
                : AgentError(.deliveryTransport, refusal(of: transport))
        }
        try await transport.carry(wrapped, to: reached.endpoint, answers: answers)
    }

    /// The error text for an address of a transport that this wallet does not send by.
    private func refusal(of transport: ServiceEndpoint.Transport) -> String {
        let used = context.configuration.outboundTransports.map(\.rawValue).sorted().joined(separator: ", ")
        return "The other side is reached by \(transport.rawValue), and this wallet sends only by \(used)."
    }

    /// Packs a message for the first key of the other side only, because any further recipient could forge it.
    ///
    /// - Returns: the envelope, and the same wrapped for the mediators of the other side.
    private func pack(
        _ message: Message, to service: PeerService, with key: AgentKey
    ) throws -> (bare: [UInt8], wrapped: [UInt8]) {
        guard let recipient = service.recipientKeys.first else {
            throw AgentError(.keyMissing, "The other side names no key.")
        }
        var random = context.random
        let asks = context.configuration.asksForAnswers && service.routingKeys.isEmpty
        let sent = asks ? message.askingForReturnRoute : message
        let envelope = try codec.pack(sent.encoded, from: key, to: [recipient], random: &random)
        return (envelope, try codec.wrap(envelope, for: recipient, via: service.routingKeys, random: &random))
    }
}

extension Error {
    /// True when the error says that a message waits for the other side, which has no address and is not connected.
    var isDeliveryAwaited: Bool { (self as? AgentError)?.code == .deliveryWaits }

    /// True when the other side has no address for the transports that messages are sent by.
    var isTransportRefusal: Bool { (self as? AgentError)?.code == .deliveryTransport }
}

extension HandshakeDeliveryFailure {
    /// Classifies an error of the transport: its code, its reason, and whether a retry is useless.
    init(_ error: any Error) {
        let (code, reason) = AgentError.text(of: error)
        let refusals: [FetchError.Code] = [.addressRefused, .insecure, .scheme, .target]
        let isPermanent = (error as? FetchError).map { refusals.contains($0.code) } ?? error.isTransportRefusal
        self.init(code: code, reason: reason, isPermanent: isPermanent)
    }

    fileprivate func kind(isAwaited: Bool) -> Outbox.HandOffError {
        if isAwaited { return .isAwaited }
        return isPermanent ? .isPermanent : .mayPass
    }
}

extension AgentError {
    /// The stable code of an error of any module and its sentence; an error without a code is one of the transport.
    static func text(of error: any Error) -> (code: String, reason: String) {
        guard let error = error as? any CodedError else {
            return (Code.deliveryFailed.rawValue, "The other side could not be reached: \(error).")
        }
        return (error.code.rawValue, error.reason)
    }
}
