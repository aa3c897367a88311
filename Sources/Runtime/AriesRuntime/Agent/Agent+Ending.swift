import Aries
import DIDComm
import Determinism
import Vault

/// Ending connections.
extension Agent {
    /// Forgets a connection with its keys and all that waits on it; the other side is not told.
    ///
    /// - Throws: `agent.connection.unknown`, `agent.*`, and errors of the store.
    public func remove(_ id: String) async throws {
        try await perform { agent in
            guard agent.mediator?.connection != id else {
                throw AgentError(
                    .mediatorInUse, "The connection is the one with the mediator, which is to be left first.")
            }
            try await agent.settlingConflicts(on: id) { agent in try await agent.forget(id) }
        }
    }

    /// Tells the other side that the connection is over, at most for `limit`, and forgets it in any case.
    ///
    /// - Returns: whether the other side took the message; false as well for a connection that was never complete.
    /// - Throws: as `remove`, and `CancellationError`, after which the connection is still there.
    public func hangUp(_ id: String, within limit: Duration) async throws -> Bool {
        let farewell: (messageID: String, events: AsyncStream<AgentEvent>)? = try await perform { agent in
            guard let record = try await agent.connectionRecord(id) else { throw Self.unknown }
            guard let connection = record.connection, !record.isEnded else { return nil }
            let message = DIDRotate.hangup(id: Message.makeID(from: &agent.random))
            guard let outgoing = try? connection.outgoing(message) else { return nil }
            let events = agent.events()
            agent.lanes.append(.single(outgoing, key: nil), to: id)
            agent.drive(id)
            return (message.id, events)
        }
        var isTold: Bool?
        if let (name, events) = farewell {
            isTold = try await events.delivery(of: name, on: id, within: limit, by: timekeeper)
        }
        try Task.checkCancellation()
        try await remove(id)
        return isTold ?? false
    }

    func forget(_ id: String) async throws {
        guard try await connectionRecord(id) != nil else { throw Self.unknown }
        let mediatorTag = mediator.map { KeyRecord.mediatorTag($0.connection) }
        let (removed, registered) = try await store.write { store in
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
            ] { try Self.removeAll(category, tags: tags, from: store) }
            return (
                try Self.removeAll(AgentCategories.keys, tags: tags, from: store), known?.map(\.id) ?? []
            )
        }
        for name in removed { if let verkey = try? Verkey(parsing: name) { keys.forget(verkey) } }
        runs[id] = nil
        paths[id] = nil
        lanes.remove(id)
        watchers.finish(id)
        try await retire(registered.compactMap { try? Verkey(parsing: $0) })
    }

    /// Removes the records of a category that carry all of `tags`.
    ///
    /// - Returns: their names.
    @discardableResult
    static func removeAll(
        _ category: String, tags: [RecordTag], from store: any RecordWriting
    ) throws -> [String] {
        var names: [String] = []
        while true {
            let page = try store.records(in: category, tags: tags)
            guard !page.records.isEmpty else { return names }
            for record in page.records {
                try store.remove(record.id, in: category, expecting: nil)
                names.append(record.id)
            }
        }
    }
}
