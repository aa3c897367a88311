import Aries
import DIDComm
import Determinism
import Vault

/// Messages on complete connections.
extension Agent {
    /// A message on a complete connection: by the other side and nobody else, and once.
    ///
    /// - Returns: whether something may go back on `path` soon.
    func hear(_ received: ReceivedMessage, on record: ConnectionRecord, _ path: (any ReturnPath)?) async throws -> Bool
    {
        guard let connection = record.connection, !record.isEnded else { return false }
        var inbox = try await inboxRecord(of: connection)
        let outputs = inbox.inbox.handle(received, random: &random)
        guard outputs.contains(.persist) else {
            for case .ignored(let error) in outputs { tellPassedOver(error, on: record.id) }
            return false
        }
        if let path { paths[record.id] = path }
        lanes.unblock(record.id)
        if try await keep(received, inbox, outputs, record) { tell(outputs, on: record.id) }
        drive(record.id)
        return path != nil && (lanes.isInUse(record.id) || outputs.contains(where: Self.isForApplications))
    }

    func inboxRecord(of connection: Connection) async throws -> InboxRecord {
        let stored = try await store.record(connection.id, in: AgentCategories.inboxes)
        return try stored.map { try InboxRecord($0, features: configuration.features) }
            ?? InboxRecord(connection, features: configuration.features)
    }

    /// Stores the message, what was answered, and what changed; false when the message had come before.
    private func keep(
        _ received: ReceivedMessage, _ inbox: InboxRecord, _ outputs: [ConnectionInbox.Output],
        _ record: ConnectionRecord
    ) async throws -> Bool {
        let entry = ConnectionMessage(
            connection: record.id, direction: .received, time: received.arrival, message: received.message)
        let answers = outputs.compactMap { output in
            if case .send(let outgoing) = output {
                OutboxRecord(connection: record.id, message: outgoing.message)
            } else {
                nil
            }
        }
        var changed = record
        changed.connection = inbox.inbox.connection
        changed.isEnded = outputs.contains(.event(.hungUp))
        let updated = changed
        let mustUpdate = updated.isEnded || updated.connection != record.connection
        let isKept = Self.isKept(outputs)
        let request = Self.request(in: outputs, on: record.id)
        let (isNew, isRequest) = try await store.write { store -> (Bool, Bool) in
            if isKept { guard try entry.insert(into: store) else { return (false, false) } }
            try inbox.save(in: store)
            try QuestionRecord.keep(received.message, on: record.id, in: store)
            for answer in answers { try answer.insert(into: store) }
            let isRequest = try request.map { try RequestRecord($0).insertArrived(into: store, on: record.id) } ?? false
            if mustUpdate { _ = try updated.save(in: store) }
            return (true, isRequest)
        }
        guard isNew else { return false }
        questions[received.message.threadID] = nil
        if let request, isRequest { watchers.tell(.requested(request)) }
        for answer in answers { lanes.append(.outbox(answer), to: record.id) }
        if updated.isEnded { lanes.remove(record.id) }
        return true
    }

    /// What nothing here answers, and the user may decline.
    private static func request(in outputs: [ConnectionInbox.Output], on id: String) -> AttachedRequest? {
        for case .event(.other(let message)) in outputs { return AttachedRequest(arriving: message, on: id) }
        return nil
    }

    /// Whether a message is for people or applications, and not only for the connection itself.
    private static func isKept(_ outputs: [ConnectionInbox.Output]) -> Bool {
        outputs.contains { output in
            guard case .event(let event) = output else { return false }
            return switch event {
            case .text, .question, .answer, .problem, .other: true
            case .pinged, .pingAnswered, .features, .acknowledged, .rotated, .ownRotated, .hungUp: false
            }
        }
    }

    /// Whether an application may answer at once, which nothing but it can know; a text waits for people.
    private static func isForApplications(_ output: ConnectionInbox.Output) -> Bool {
        switch output {
        case .event(.question), .event(.other): true
        default: false
        }
    }

    private func tell(_ outputs: [ConnectionInbox.Output], on id: String) {
        for output in outputs {
            switch output {
            case .persist, .send: break
            case .event(let event): watchers.tell(.received(connection: id, event))
            case .ignored(let error): tellPassedOver(error, on: id)
            }
        }
    }
}
