/// The named settings of a store, in one transaction of it.
public struct SettingTable {
    let database: any MediatorDatabaseConnection

    /// The value of a setting; nil when it is not set.
    public func value(_ name: String) throws(CloudAgentError) -> [UInt8]? {
        try database.first("SELECT value FROM agent_settings WHERE name = $1", [.blob(Array(name.utf8))])
            .map { (row) throws(CloudAgentError) in try row.blob(0) }
    }

    /// The names that begin with a text, and their values.
    func values(beginningWith text: String) throws(CloudAgentError) -> [(name: String, value: [UInt8])] {
        // Behind every byte of a text in UTF-8.
        let end = Array(text.utf8) + [0xFF]
        return try database.rows(
            "SELECT name, value FROM agent_settings WHERE name >= $1 AND name < $2",
            [.blob(Array(text.utf8)), .blob(end)]
        ).map { (row) throws(CloudAgentError) in
            (String(decoding: try row.blob(0), as: UTF8.self), try row.blob(1))
        }
    }

    /// Sets a value unless there is one; returns the value that is stored then.
    public func settle(_ name: String, _ value: [UInt8]) throws(CloudAgentError) -> [UInt8] {
        try database.run(
            "INSERT INTO agent_settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
            [.blob(Array(name.utf8)), .blob(value)])
        return try self.value(name) ?? value
    }

    /// Sets a value in place of one that may be there.
    func set(_ name: String, _ value: [UInt8]) throws(CloudAgentError) {
        try database.run(
            "INSERT INTO agent_settings (name, value) VALUES ($1, $2) "
                + "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [.blob(Array(name.utf8)), .blob(value)])
    }

    /// Removes the value under a name, if there is one.
    func remove(_ name: String) throws(CloudAgentError) {
        try database.run("DELETE FROM agent_settings WHERE name = $1", [.blob(Array(name.utf8))])
    }
}
