/// Values under names, in one transaction of a store.
public struct SettingTable {
    let database: any MediatorDatabaseConnection

    /// The value under a name; nil for none.
    public func value(_ name: String) throws(CloudAgentError) -> [UInt8]? {
        try database.first("SELECT value FROM agent_settings WHERE name = $1", [.blob(Array(name.utf8))])
            .map { (row) throws(CloudAgentError) in try row.blob(0) }
    }

    /// Sets a value unless there is one; returns the value that is stored then.
    public func settle(_ name: String, _ value: [UInt8]) throws(CloudAgentError) -> [UInt8] {
        try database.run(
            "INSERT INTO agent_settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
            [.blob(Array(name.utf8)), .blob(value)])
        return try self.value(name) ?? value
    }
}
