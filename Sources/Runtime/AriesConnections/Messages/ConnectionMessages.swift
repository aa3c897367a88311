import Aries
import DIDComm
import Determinism
import Vault

/// Receives, stores and sends the messages of complete connections.
final class ConnectionMessages {
    private let context: AgentContext
    private let handshakes: ConnectionHandshakes
    private let exchange: MessagingServices
    private let rotationPosts: DIDRotationDelivery

    init(
        _ context: AgentContext, handshakes: ConnectionHandshakes, exchange: MessagingServices,
        rotationPosts: DIDRotationDelivery
    ) {
        self.context = context
        self.handshakes = handshakes
        self.exchange = exchange
        self.rotationPosts = rotationPosts
    }

    /// Processes a message on a complete connection, once, if only the other side can have written it.
    ///
    /// - Returns: whether something may go back on `path` soon.
    func take(_ received: ReceivedMessage, on record: ConnectionRecord, _ path: (any ReturnRoute)?) async throws -> Bool
    {
        guard let connection = record.connection, !record.isEnded else { return false }
        var inbox = try await self.inbox(of: connection)
        var random = context.random
        let wasBroken = inbox.inbox.isBroken
        let outputs = inbox.inbox.handle(received, random: &random)
        guard outputs.contains(.persist) else {
            if inbox.inbox.isBroken != wasBroken {
                let changed = inbox
                try await context.store.write { store in try changed.save(in: store) }
            }
            for case .ignored(let error) in outputs { exchange.observers.passedOver(error, on: record.id) }
            return false
        }
        exchange.delivery.otherSideAppeared(record.id, path)
        if try await keep(received, inbox, outputs, record) { report(outputs, on: record.id) }
        return path != nil && (exchange.delivery.isInUse(record.id) || outputs.contains(where: Self.isForApplications))
    }

    /// The identifiers of recent messages on a connection, so that none is processed twice.
    func inbox(of connection: Connection) async throws -> InboxRecord {
        let stored = try await context.store.record(connection.id, in: AgentCategories.inboxes)
        let features = context.configuration.disclosedFeatures
        var inbox =
            try stored.map { try InboxRecord($0, features: features) } ?? InboxRecord(connection, features: features)
        inbox.inbox.takeKeys(of: connection)
        return inbox
    }

    /// Ends a change of our DID when a message that another part handles comes to the new key.
    func followNewKey(of received: ReceivedMessage, on record: ConnectionRecord) async throws -> ConnectionRecord {
        guard let connection = record.connection, received.recipient != connection.ours.key else { return record }
        var inbox = try await self.inbox(of: connection)
        guard inbox.inbox.noteNewKey(of: received) else { return record }
        var changed = record
        changed.connection = inbox.inbox.connection
        let (updated, saved) = (changed, inbox)
        changed.storeVersion = try await context.store.write { store in
            try saved.save(in: store)
            return try updated.save(in: store)
        }
        exchange.observers.report(.received(connection: record.id, .ownRotated(inbox.inbox.connection)))
        return changed
    }

    /// Stores the message, its answers and the changes; false when the message had come before.
    private func keep(
        _ received: ReceivedMessage, _ inbox: InboxRecord, _ outputs: [ConnectionMessageHandler.Output],
        _ record: ConnectionRecord
    ) async throws -> Bool {
        let entry = ConnectionMessage(
            connection: record.id, direction: .received, time: received.arrival, message: received.message)
        var changed = record
        changed.connection = inbox.inbox.connection
        let usual = try? inbox.inbox.connection.theirs.service()
        let answers = outputs.compactMap { output -> OutboxRecord? in
            guard case .send(let outgoing) = output else { return nil }
            let service = outgoing.service == usual ? nil : outgoing.service
            return OutboxRecord(connection: record.id, message: outgoing.message, service: service)
        }
        changed.isEnded = outputs.contains(.event(.hungUp))
        let updated = changed
        let mustUpdate = updated.isEnded || updated.connection != record.connection
        let isKept = Self.isKept(outputs)
        let request = Self.request(in: outputs, on: record.id)
        let (isNew, isRequest) = try await context.store.write { store -> (Bool, Bool) in
            if isKept { guard try entry.insert(into: store) else { return (false, false) } }
            try inbox.save(in: store)
            try PendingQueryRecord.keep(received.message, on: record.id, in: store)
            for answer in answers { try answer.insert(into: store) }
            let isRequest =
                try request.map { try AttachedRequestRecord($0).insertArrived(into: store, on: record.id) } ?? false
            if mustUpdate { _ = try updated.save(in: store) }
            return (true, isRequest)
        }
        guard isNew else { return false }
        exchange.awaited.end(.question(received.message.answeredThreadID))
        if let request, isRequest { exchange.observers.report(.requested(request)) }
        for answer in answers { exchange.delivery.append(.outbox(answer), to: record.id) }
        if updated.isEnded { exchange.delivery.remove(record.id) }
        return true
    }

    /// The request in the outputs that no part of the agent answers, and that the user may decline; nil for none.
    private static func request(in outputs: [ConnectionMessageHandler.Output], on id: String) -> AttachedRequest? {
        for case .event(.other(let message)) in outputs { return AttachedRequest(arriving: message, on: id) }
        return nil
    }

    /// Returns true when a message is for people or applications, and not only part of a protocol of the agent.
    private static func isKept(_ outputs: [ConnectionMessageHandler.Output]) -> Bool {
        outputs.contains { output in
            guard case .event(let event) = output else { return false }
            return switch event {
            case .text, .question, .answer, .problem, .other: true
            case .pinged, .pingAnswered, .features, .acknowledged, .rotated, .ownRotated, .hungUp: false
            }
        }
    }

    /// Returns true for a message that an application may answer at once; false for a text, which waits for people.
    private static func isForApplications(_ output: ConnectionMessageHandler.Output) -> Bool {
        switch output {
        case .event(.question), .event(.other): true
        default: false
        }
    }

    private func report(_ outputs: [ConnectionMessageHandler.Output], on id: String) {
        for output in outputs {
            switch output {
            case .persist, .send: break
            case .event(let event): exchange.observers.report(.received(connection: id, event))
            case .ignored(let error): exchange.observers.passedOver(error, on: id)
            }
        }
    }

    /// Stores a message to send on a complete connection.
    ///
    /// - Parameter request: what the message answers, which is kept no longer.
    func send(_ message: Message, on id: String, closing request: AttachedRequest? = nil) async throws {
        guard try await !inbox(of: handshakes.living(id)).inbox.isBroken else {
            throw AgentError(.connectionBroken, "The other side uses a key that it never announced here.")
        }
        let outbox = OutboxRecord(connection: id, message: message)
        let entry = ConnectionMessage(connection: id, direction: .sent, time: context.wallTime(), message: message)
        try await context.store.write { store in
            if let name = request?.message.id {
                guard try store.record(name, in: AgentCategories.requests) != nil else {
                    throw AttachedRequests.unknown
                }
                try store.remove(name, in: AgentCategories.requests, expecting: nil)
            }
            try outbox.insert(into: store)
            _ = try entry.insert(into: store)
        }
        exchange.delivery.append(.outbox(outbox), to: id)
    }

    /// An item of the outbox as a message to pack, with its own key if it has one.
    func outgoing(_ item: Outbox.MessageToSend) async throws -> (OutgoingMessage, key: AgentKey?) {
        switch item {
        case .handshake(let outgoing), .reuse(let outgoing, _), .once(let outgoing), .mediator(let outgoing):
            return (outgoing, nil)
        case .single(let outgoing, let key): return (outgoing, key)
        case .outbox(let record):
            guard let connection = try await handshakes.record(record.connection)?.connection else {
                throw AgentError(.connectionUnknown, "The connection of a message is gone.")
            }
            try await rotationPosts.check(record)
            return (try connection.outgoing(record.message, to: record.service), nil)
        }
    }

    /// A page of the messages of a connection, both sides', oldest first.
    func page(
        on connection: String, after cursor: RecordCursor?, limit: Int
    ) async throws -> (messages: [ConnectionMessage], next: RecordCursor?) {
        let page = try await context.store.records(
            in: AgentCategories.messages, tags: [RecordTag("connection", connection)], after: cursor, limit: limit)
        return (try page.records.map { try ConnectionMessage($0) }, page.next)
    }

    /// A message of the other side by its `@id`; nil when it is not stored.
    func received(_ id: String, on connection: String) async throws -> Message? {
        let name = ConnectionMessage.name(of: id, .received, on: connection)
        guard name.utf8.count <= RecordLimits.idBytes else { return nil }
        return try await context.store.record(name, in: AgentCategories.messages).map {
            try ConnectionMessage($0).message
        }
    }

    /// Reads stored messages, newest first, as long as `body` returns true for them.
    func newest(
        on connection: String?, page: Int, limit: Int, while isWanted: (ConnectionMessage) -> Bool
    ) async throws -> [ConnectionMessage] {
        let tags = connection.map { [RecordTag("connection", $0)] } ?? []
        var found: [ConnectionMessage] = []
        var cursor: RecordCursor?
        repeat {
            let records = try await context.store.records(
                in: AgentCategories.messages, tags: tags, order: .newestFirst, after: cursor, limit: page)
            for record in records.records {
                let message = try ConnectionMessage(record)
                guard found.count < limit, isWanted(message) else { return found }
                found.append(message)
            }
            cursor = records.next
        } while cursor != nil
        return found
    }
}
