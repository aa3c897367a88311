import Aries
import CodedErrors
import DIDComm
import Determinism
import Vault
import WebTransport

/// Sending.
extension Agent {
    /// Sends the next message of a connection, unless one is on its way.
    func drive(_ connection: String) {
        guard isRunning, lanes.activeCount < configuration.maximumDeliveries,
            let item = lanes.take(connection, at: timekeeper.now())
        else { return }
        lanes.begin(connection, Task { await self.deliver(item, on: connection) })
    }

    private func deliver(_ item: Lanes.Item, on connection: String) async {
        var failure: (any Error)?
        do {
            try await carry(item, on: connection)
        } catch {
            failure = error
        }
        if Task.isCancelled || !isRunning { return }
        let outcome = failure
        enqueue { agent in
            await agent.guarding { agent in try await agent.delivered(item, on: connection, failure: outcome) }
        }
    }

    /// Packs, and gives to the way back or to the wire.
    private func carry(_ item: Lanes.Item, on connection: String) async throws {
        let outgoing = try await outgoing(item)
        guard let key = try await key(of: item, outgoing) else {
            throw AgentError(.keyMissing, "The key that a message is to be sent with is not in the store.")
        }
        let (bare, wrapped) = try pack(outgoing, with: key)
        if let path = paths[connection] {
            // A way back leads to the other side itself, past those who forward to it.
            if path.offer(path is any PersistentTransport ? wrapped : bare) { return }
            paths[connection] = nil
        }
        guard outgoing.service.endpoint.transport != .queue else {
            throw AgentError(.deliveryWaits, "The other side has no address and is not connected now.")
        }
        try await wire.carry(wrapped, to: outgoing.service.endpoint) { [weak self] answer in
            guard let self else { return }
            arriving.withLock { $0 += 1 }
            Task { await self.received(answer, from: connection) }
        }
    }

    private func key(of item: Lanes.Item, _ outgoing: OutgoingMessage) async throws -> AgentKey? {
        if case .single(_, let key?) = item { return key }
        return try await keyRecord(outgoing.sender)?.key
    }

    private func outgoing(_ item: Lanes.Item) async throws -> OutgoingMessage {
        switch item {
        case .handshake(let outgoing), .reuse(let outgoing, _), .once(let outgoing), .single(let outgoing, _),
            .mediator(let outgoing):
            return outgoing
        case .outbox(let record):
            guard let connection = try await connectionRecord(record.connection)?.connection else {
                throw AgentError(.connectionUnknown, "The connection of a message is gone.")
            }
            return try connection.outgoing(record.message)
        }
    }

    /// To one key alone, so that nobody else can have written it.
    ///
    /// - Returns: the envelope, and the same in those for whoever forwards it.
    private func pack(
        _ outgoing: OutgoingMessage, with key: AgentKey
    ) throws -> (bare: [UInt8], wrapped: [UInt8]) {
        guard let recipient = outgoing.service.recipientKeys.first else {
            throw AgentError(.keyMissing, "The other side names no key.")
        }
        let asks = configuration.asksForAnswers && outgoing.service.routingKeys.isEmpty
        let message = asks ? outgoing.message.askingForReturnRoute : outgoing.message
        let envelope = try codec.pack(message.encoded, from: key, to: [recipient], random: &random)
        let routingKeys = outgoing.service.routingKeys
        return (envelope, try codec.wrap(envelope, for: recipient, via: routingKeys, random: &random))
    }

    private func delivered(_ item: Lanes.Item, on connection: String, failure: (any Error)?) async throws {
        if let failure { tellPassedOver(failure, on: connection) }
        deliveryFailures[connection] = failure
        switch item {
        case .handshake(let outgoing):
            lanes.finish(connection)
            let id = outgoing.message.id
            // What only waits for the other side, or in a command that sends nothing, says nothing of why it cannot be sent.
            let isAwaited = failure as? AgentError == AgentError(.deliveryWaits, "")
            let cause = isAwaited ? nil : failure.map { DeliveryFailure($0) }
            try await step(connection, failure == nil ? .sent(id: id) : .sendFailed(id: id, because: cause))
        case .reuse(let outgoing, let id):
            lanes.finish(connection)
            if failure != nil { try await stepReuse(id, .sendFailed(id: outgoing.message.id)) }
        case .once: lanes.finish(connection)
        case .single(let outgoing, _):
            lanes.finish(connection)
            let id = outgoing.message.id
            watchers.tell(
                failure == nil
                    ? .sent(connection: connection, messageID: id) : .undelivered(connection: connection, messageID: id)
            )
        case .mediator(let outgoing):
            lanes.finish(connection)
            let id = outgoing.message.id
            if failure != nil { try await stepMediation(.sendFailed(id: id)) }
            if failure != nil { stepWake(.sendFailed(id: id)) }
            try await stepPickup(failure == nil ? .sent(id: id) : .sendFailed(id: id))
        case .outbox(let record): try await delivered(record, item, failure: failure)
        }
        drive(connection)
        for other in lanes.due(at: timekeeper.now()) { drive(other) }
    }

    private func delivered(_ record: OutboxRecord, _ item: Lanes.Item, failure: (any Error)?) async throws {
        guard let failure else {
            lanes.finish(record.connection)
            try await store.write { store in
                guard try store.record(record.id, in: AgentCategories.outbox) != nil else { return }
                try store.remove(record.id, in: AgentCategories.outbox, expecting: nil)
            }
            return watchers.tell(.sent(connection: record.connection, messageID: record.message.id))
        }
        let isAwaited = failure as? AgentError == AgentError(.deliveryWaits, "")
        // What our own rules refuse is refused every time.
        let waits = isAwaited || DeliveryFailure(failure).isPermanent ? [] : configuration.retryAfter
        guard !lanes.putBack(item, on: record.connection, now: timekeeper.now(), waits: waits), !isAwaited else {
            return
        }
        watchers.tell(.undelivered(connection: record.connection, messageID: record.message.id))
    }

    /// Why the last message on a connection could not be handed over; nil when it was, or none was sent since the start.
    public func deliveryFailure(on connection: String) -> (any Error)? { deliveryFailures[connection] }

    /// As `deliveryFailure`, where only a rule for addresses or the finding of the host has a code of its own.
    public func undelivered(on connection: String, _ reason: String? = nil) -> any Error {
        if let error = deliveryFailures[connection] as? FetchError { return error }
        return AgentError(.deliveryFailed, reason ?? "The other side could not be reached.")
    }

    /// Tells of something that was passed over, by the code of its error.
    func tellPassedOver(_ error: any Error, on connection: String?) {
        let (code, reason) = Self.words(for: error)
        watchers.tell(.passedOver(connection: connection, code: code, reason: reason))
    }

    static func words(for error: any Error) -> (code: String, reason: String) {
        guard let error = error as? any CodedError else {
            return (AgentError.Code.deliveryFailed.rawValue, "The other side could not be reached: \(error).")
        }
        return (error.code.rawValue, error.reason)
    }
}

extension DeliveryFailure {
    /// Classifies an error of the wire: its code, its reason, and whether sending again is useless.
    init(_ error: any Error) {
        let (code, reason) = Agent.words(for: error)
        let refusals: [FetchError.Code] = [.addressRefused, .insecure, .scheme, .target]
        let isPermanent = (error as? FetchError).map { refusals.contains($0.code) } ?? false
        self.init(code: code, reason: reason, isPermanent: isPermanent)
    }
}
