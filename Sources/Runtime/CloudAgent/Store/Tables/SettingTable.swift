/// Values under names, in one transaction of a store.
public struct SettingTable {
    let database: any MediatorDatabase

    /// A value kept under a name; nil when there is none.
    public func value(_ name: String) throws(CloudAgentError) -> [UInt8]? {
        try database.first("SELECT value FROM agent_settings WHERE name = $1", [.blob(Array(name.utf8))])
            .map { (row) throws(CloudAgentError) in try row.blob(0) }
    }

    /// Keeps a value under a name unless there is one, and returns the one that is kept then.
    public func settle(_ name: String, _ value: [UInt8]) throws(CloudAgentError) -> [UInt8] {
        try database.run(
            "INSERT INTO agent_settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
            [.blob(Array(name.utf8)), .blob(value)])
        return try self.value(name) ?? value
    }
}
