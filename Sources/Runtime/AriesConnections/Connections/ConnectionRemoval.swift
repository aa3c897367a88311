import Aries
import DIDComm
import Vault

/// Removes connections with their keys and all that waits on them.
final class ConnectionRemoval {
    private let context: AgentContext
    private let keys: KeyStore
    private let handshakes: ConnectionHandshakes
    private let mediator: MediatorDriver
    private let delivery: MessageDelivery

    init(
        _ context: AgentContext, keys: KeyStore, handshakes: ConnectionHandshakes, mediator: MediatorDriver,
        delivery: MessageDelivery
    ) {
        self.context = context
        self.keys = keys
        self.handshakes = handshakes
        self.mediator = mediator
        self.delivery = delivery
    }

    /// Removes a connection that is not the one with the mediator.
    func remove(_ id: String) async throws {
        guard mediator.connection != id else {
            throw AgentError(.mediatorInUse, "The connection is the one with the mediator, which is to be left first.")
        }
        try await handshakes.retryingConflicts(on: id) { try await forget(id) }
    }

    /// Sends the end of a complete connection to the other side.
    ///
    /// - Returns: the `@id` of the message; nil when there is no other side to tell.
    func sendFarewell(on id: String) async throws -> String? {
        guard let record = try await handshakes.record(id) else { throw ConnectionHandshakes.unknown }
        guard let connection = record.connection, !record.isEnded else { return nil }
        let message = DIDRotate.hangup(id: context.makeID())
        guard let outgoing = try? connection.outgoing(message) else { return nil }
        delivery.append(.single(outgoing, key: nil), to: id)
        return message.id
    }

    /// Removes a connection of any kind from the store and from memory.
    func forget(_ id: String) async throws {
        guard try await handshakes.record(id) != nil else { throw ConnectionHandshakes.unknown }
        let mediatorTag = mediator.connection.map { KeyRecord.mediatorTag($0) }
        let (removed, registered) = try await context.store.write { store in
            try store.remove(id, in: AgentCategories.connections, expecting: nil)
            if try store.record(id, in: AgentCategories.inboxes) != nil {
                try store.remove(id, in: AgentCategories.inboxes, expecting: nil)
            }
            let tags = [RecordTag("connection", id)]
            let known = try mediatorTag.map { tag in
                try store.records(in: AgentCategories.keys, tags: tags + [tag], limit: RecordLimits.pageRecords).records
            }
            for category in [
                AgentCategories.outbox, AgentCategories.messages, AgentCategories.requests, AgentCategories.reuses,
                AgentCategories.questions,
            ] { try store.removeAll(category, tags: tags) }
            return (try store.removeAll(AgentCategories.keys, tags: tags), known?.map(\.id) ?? [])
        }
        for name in removed { if let verkey = try? Verkey(parsing: name) { keys.forget(verkey) } }
        handshakes.removed(id)
        try await mediator.feed(.retired(registered.compactMap { try? Verkey(parsing: $0) }))
    }
}

extension RecordWriting {
    /// Removes the records of a category that carry all of `tags`.
    ///
    /// - Returns: their names.
    @discardableResult
    func removeAll(_ category: String, tags: [RecordTag]) throws -> [String] {
        var names: [String] = []
        while true {
            let page = try records(in: category, tags: tags)
            guard !page.records.isEmpty else { return names }
            for record in page.records {
                try remove(record.id, in: category, expecting: nil)
                names.append(record.id)
            }
        }
    }
}
