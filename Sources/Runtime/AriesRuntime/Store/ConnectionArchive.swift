public import Vault

/// Which records of a vault make up its connections, for taking them elsewhere.
public enum ConnectionArchive {
    /// Whether a record is one of connections: keys, invitations and messages among them.
    public static func holds(_ record: StoredRecord) -> Bool { record.category.hasPrefix("aries.") }

    /// Whether a record belongs to one connection: itself, its keys, its messages, and what waits on it.
    public static func holds(_ record: StoredRecord, of connection: String) -> Bool {
        switch record.category {
        case AgentCategories.connections, AgentCategories.inboxes: record.id == connection
        default: holds(record) && record.tags.contains(RecordTag("connection", connection))
        }
    }

    /// Whether a record is a connection itself, for counting them.
    public static func isConnection(_ record: StoredRecord) -> Bool { record.category == AgentCategories.connections }
}
