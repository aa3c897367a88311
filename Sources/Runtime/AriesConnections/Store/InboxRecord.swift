package import Aries
import JSON
package import Vault

/// The inbox of a complete connection as the store keeps it.
package struct InboxRecord: Sendable {
    var inbox: ConnectionMessageHandler
    private var storeVersion: UInt64 = 0

    package init(_ connection: Connection, features: FeatureList) {
        inbox = ConnectionMessageHandler(connection, features: features)
    }

    init(_ record: StoredRecord, features: FeatureList) throws {
        do {
            inbox = try ConnectionMessageHandler(
                stored: JSONValueReader(JSONValue(parsing: record.value)), features: features)
            storeVersion = record.version
        } catch {
            throw AgentError(.recordMalformed, "What came on a connection cannot be read: \(error).")
        }
    }

    package func save(in store: any RecordWriting) throws {
        let (id, value) = (inbox.connection.id, inbox.state.encoded)
        guard storeVersion > 0 else {
            try store.insert(id, in: AgentCategories.inboxes, tags: [], value: value)
            return
        }
        try store.replace(id, in: AgentCategories.inboxes, expecting: storeVersion, tags: [], value: value)
    }
}
