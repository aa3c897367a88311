public import Vault

/// Selects the records of a vault that make up its connections, for export.
public enum ConnectionRecordFilter {
    /// Returns true when a record belongs to connections, with their keys, invitations and messages.
    public static func holds(_ record: StoredRecord) -> Bool { record.category.hasPrefix("aries.") }

    /// Returns true when a record belongs to one connection: itself, its keys, its messages, and what waits on it.
    public static func holds(_ record: StoredRecord, of connection: String) -> Bool {
        switch record.category {
        case AgentCategories.connections, AgentCategories.inboxes: record.id == connection
        default: holds(record) && record.tags.contains(RecordTag("connection", connection))
        }
    }

    /// Returns true when a record is a connection itself, for a count.
    public static func isConnection(_ record: StoredRecord) -> Bool { record.category == AgentCategories.connections }
}
