import SQLiteEngine

/// The tables of a cloud agent in SQLite.
enum SQLiteSchema {
    /// How the file says what it is: the letters SYMA.
    static let applicationID: Int64 = 0x5359_4D41

    /// The version of the tables.
    static let version: Int64 = 3

    static let tables = oldTables + newTables + newestTables

    /// Those of version 1, which is made to one of this version when it is opened.
    private static let oldTables = [
        "CREATE TABLE settings (name BLOB PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID",
        "CREATE TABLE accounts (number INTEGER PRIMARY KEY AUTOINCREMENT, created INTEGER NOT NULL, "
            + "seen INTEGER NOT NULL, served INTEGER NOT NULL, body BLOB NOT NULL, count INTEGER NOT NULL, "
            + "bytes INTEGER NOT NULL, position INTEGER NOT NULL) STRICT",
        "CREATE TABLE keys (number INTEGER PRIMARY KEY AUTOINCREMENT, hash BLOB NOT NULL UNIQUE, "
            + "account INTEGER NOT NULL, routing BLOB NOT NULL, body BLOB NOT NULL, count INTEGER NOT NULL, "
            + "bytes INTEGER NOT NULL, position INTEGER NOT NULL) STRICT",
        "CREATE INDEX keys_of_account ON keys (account, number)",
        "CREATE TABLE own_keys (hash BLOB PRIMARY KEY, kind INTEGER NOT NULL, account INTEGER, place BLOB, "
            + "body BLOB NOT NULL) STRICT, WITHOUT ROWID",
        "CREATE INDEX own_keys_of_account ON own_keys (account)",
        "CREATE TABLE messages (slot INTEGER PRIMARY KEY AUTOINCREMENT, account INTEGER NOT NULL, "
            + "position INTEGER NOT NULL, key INTEGER NOT NULL, tag INTEGER NOT NULL, arrived INTEGER NOT NULL, "
            + "size INTEGER NOT NULL, envelope BLOB NOT NULL) STRICT",
        "CREATE UNIQUE INDEX messages_of_account ON messages (account, position, key, size, arrived)",
        "CREATE TABLE claims (number INTEGER PRIMARY KEY AUTOINCREMENT, account INTEGER NOT NULL, "
            + "claim BLOB NOT NULL, UNIQUE (account, claim)) STRICT",
        "CREATE INDEX claims_of_account ON claims (account, number)",
    ]

    /// Those that version 2 has besides.
    private static let newTables = [
        "CREATE TABLE wakes (account INTEGER PRIMARY KEY, body BLOB NOT NULL, position INTEGER NOT NULL, "
            + "woken INTEGER NOT NULL) STRICT",
        "CREATE TABLE signals (number INTEGER PRIMARY KEY AUTOINCREMENT, kind INTEGER NOT NULL, "
            + "account INTEGER NOT NULL, instance INTEGER NOT NULL) STRICT",
        "CREATE TABLE instances (number INTEGER PRIMARY KEY, until INTEGER NOT NULL) STRICT",
        "CREATE TABLE holds (kind INTEGER NOT NULL, account INTEGER NOT NULL, instance INTEGER NOT NULL, "
            + "PRIMARY KEY (kind, account)) STRICT, WITHOUT ROWID",
    ]

    /// What version 3 has besides.
    private static let newestTables = [
        "CREATE INDEX accounts_unserved ON accounts (created, number) WHERE served = 0"
    ]

    /// How a connection behaves: what is answered is on the disk, nothing of the file is trusted beyond need.
    static let settings = [
        "PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON", "PRAGMA mmap_size = 0",
        "PRAGMA temp_store = MEMORY", "PRAGMA synchronous = FULL", "PRAGMA journal_size_limit = 67108864",
    ]

    /// Makes the tables in an empty file, and refuses one with others.
    static func prepare(_ database: SQLiteConnection<CloudAgentError>) throws(CloudAgentError) {
        for setting in settings { try database.run(setting) }
        let mode = try database.query("PRAGMA journal_mode = WAL") { row throws(CloudAgentError) in try row.text(0) }
        guard mode == ["wal"] else {
            throw CloudAgentError(.unavailable, "The file system does not allow a write-ahead log.")
        }
        try database.run("BEGIN IMMEDIATE")
        do throws(CloudAgentError) {
            if try number("SELECT count(*) FROM sqlite_schema", database) == 0 {
                for table in tables { try database.run(table) }
                try database.run("PRAGMA application_id = \(applicationID)")
                try database.run("PRAGMA user_version = \(version)")
            } else {
                try renew(database, from: 1, oldTables, newTables)
                try renew(database, from: 2, oldTables + newTables, newestTables)
            }
            try check(database, tables, version: version)
            try database.run("COMMIT")
        } catch {
            if database.isInTransaction { try? database.run("ROLLBACK") }
            throw error
        }
    }

    /// Makes a version to the next one; nothing when the file is of another.
    private static func renew(
        _ database: SQLiteConnection<CloudAgentError>, from old: Int64, _ tables: [String], _ added: [String]
    ) throws(CloudAgentError) {
        guard try number("PRAGMA user_version", database) == old else { return }
        try check(database, tables, version: old)
        for table in added { try database.run(table) }
        try database.run("PRAGMA user_version = \(old + 1)")
    }

    /// The tables must be exactly ours: a trigger or a view would act on our behalf.
    private static func check(
        _ database: SQLiteConnection<CloudAgentError>, _ tables: [String], version: Int64
    ) throws(CloudAgentError) {
        guard try number("PRAGMA application_id", database) == applicationID,
            try number("PRAGMA user_version", database) == version
        else {
            throw CloudAgentError(.schema, "The file is not the store of a cloud agent of this version.")
        }
        let found = try database.query(
            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
        ) { row throws(CloudAgentError) in try row.text(0) }
        guard found == tables else {
            throw CloudAgentError(.schema, "The tables of the file are not those of a cloud agent.")
        }
    }

    static func number(
        _ sql: String, _ database: SQLiteConnection<CloudAgentError>
    ) throws(CloudAgentError) -> Int64? {
        try database.query(sql) { row throws(CloudAgentError) in try row.integer(0) }.first
    }
}
