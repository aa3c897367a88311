import DIDComm
import JSON
import Vault

/// A message to send on a connection, stored until it was handed over.
struct OutboxRecord: Sendable {
    let id: String
    let connection: String
    let message: Message

    init(connection: String, message: Message) {
        id = connection + "/" + message.id
        self.connection = connection
        self.message = message
    }

    init(_ record: StoredRecord) throws {
        guard let tag = record.tags.first(where: { $0.name == "connection" }) else {
            throw AgentError(.recordMalformed, "A message to be sent belongs to no connection.")
        }
        id = record.id
        connection = tag.value
        do {
            message = try Message(parsing: record.value)
        } catch {
            throw AgentError(.recordMalformed, "A message to be sent cannot be read: \(error).")
        }
    }

    func insert(into store: any RecordWriting) throws {
        try store.insert(
            id, in: AgentCategories.outbox, tags: [RecordTag("connection", connection)], value: message.encoded)
    }
}
