import ByteCoding
import SQLiteEngine

/// The tables of a cloud agent in SQLite.
enum SQLiteSchema {
    /// The application identifier of the file: the letters SYMA.
    static let applicationID: Int64 = 0x5359_4D41

    /// The version of the tables.
    static let version: Int64 = 6

    /// The tables and indexes of this version.
    static let tables = steps.reduce(firstTables) { $1.applied(to: $0) }

    /// A migration from one version to the next, in the transaction in which the file is opened.
    struct SchemaMigration: Sendable {
        /// New tables and indexes, as their statements stay in the file.
        var made: [String] = []
        /// Statements that copy rows from the old tables to the new ones.
        var moves: [String] = []
        /// Tables to drop, with their indexes.
        var dropped: [String] = []
        /// New columns of tables, null in existing rows.
        var added: [(table: String, column: String)] = []

        /// The tables and indexes after the migration.
        func applied(to tables: [String]) -> [String] {
            let kept = tables.filter { sql in !dropped.contains { sql.holds(" \($0) (") } } + made
            // SQLite keeps the statement of a table with its new column at the end.
            return kept.map { sql in
                added.reduce(sql) { sql, addition in
                    let (start, end) = ("CREATE TABLE \(addition.table) (", ") STRICT")
                    guard sql.hasPrefix(start), sql.hasSuffix(end) else { return sql }
                    return sql.dropLast(end.count) + ", \(addition.column)" + end
                }
            }
        }
    }

    /// The tables and indexes of version 1; a file of an earlier version is migrated when it is opened.
    static let firstTables = [
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

    /// The migration at index 0 makes version 2 of version 1, and so on.
    static let steps = [
        SchemaMigration(made: [
            "CREATE TABLE wakes (account INTEGER PRIMARY KEY, body BLOB NOT NULL, position INTEGER NOT NULL, "
                + "woken INTEGER NOT NULL) STRICT",
            "CREATE TABLE signals (number INTEGER PRIMARY KEY AUTOINCREMENT, kind INTEGER NOT NULL, "
                + "account INTEGER NOT NULL, instance INTEGER NOT NULL) STRICT",
            "CREATE TABLE instances (number INTEGER PRIMARY KEY, until INTEGER NOT NULL) STRICT",
            "CREATE TABLE holds (kind INTEGER NOT NULL, account INTEGER NOT NULL, instance INTEGER NOT NULL, "
                + "PRIMARY KEY (kind, account)) STRICT, WITHOUT ROWID",
        ]),
        SchemaMigration(made: ["CREATE INDEX accounts_unserved ON accounts (created, number) WHERE served = 0"]),
        keysAndRequests,
        // Version 5: digests of the messages' bytes.
        SchemaMigration(added: [(table: "messages", column: "digest INTEGER")]),
        // Version 6: the count of the steps.
        SchemaMigration(
            made: ["CREATE TABLE store_steps (number INTEGER NOT NULL, epoch INTEGER NOT NULL) STRICT"],
            moves: [firstStep]),
    ]

    /// The step before the first one; the epoch is drawn.
    private static let firstStep = "INSERT INTO store_steps VALUES (0, random() & 0x7FFFFFFFFFFFFFFF)"

    /// Version 4: a key belongs to each account that registered it, and requests of clients are remembered.
    ///
    /// Tables have new names, so that a program of an earlier version that still has the file open does not work by
    /// outdated rules: it accepts and changes nothing, delivers no mail, and reports that it is not ready.
    /// Numbers of keys are not used again, because messages refer to them: so the counter is copied too.
    private static let keysAndRequests = SchemaMigration(
        made: [
            "CREATE TABLE client_keys (number INTEGER PRIMARY KEY AUTOINCREMENT, hash BLOB NOT NULL, "
                + "account INTEGER NOT NULL, routing BLOB NOT NULL, body BLOB NOT NULL, count INTEGER NOT NULL, "
                + "bytes INTEGER NOT NULL, position INTEGER NOT NULL, UNIQUE (hash, account)) STRICT",
            "CREATE INDEX client_keys_of_account ON client_keys (account, number)",
            "CREATE TABLE requests (account INTEGER NOT NULL, id BLOB NOT NULL, kind INTEGER NOT NULL, "
                + "number INTEGER NOT NULL, sent INTEGER NOT NULL, answer BLOB NOT NULL, PRIMARY KEY (account, id)) "
                + "STRICT, WITHOUT ROWID",
            "CREATE UNIQUE INDEX requests_of_account ON requests (account, kind, number)",
            "CREATE TABLE forgotten_requests (account INTEGER NOT NULL, kind INTEGER NOT NULL, sent INTEGER NOT NULL, "
                + "PRIMARY KEY (account, kind)) STRICT, WITHOUT ROWID",
            "CREATE TABLE closed_connections (number INTEGER PRIMARY KEY AUTOINCREMENT, hash BLOB NOT NULL UNIQUE) "
                + "STRICT",
            "CREATE TABLE agent_settings (name BLOB PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID",
            "CREATE TABLE agent_instances (number INTEGER PRIMARY KEY, until INTEGER NOT NULL) STRICT",
        ],
        moves: [
            "INSERT INTO client_keys (number, hash, account, routing, body, count, bytes, position) "
                + "SELECT number, hash, account, routing, body, count, bytes, position FROM keys",
            "DELETE FROM sqlite_sequence WHERE name = 'client_keys'",
            "INSERT INTO sqlite_sequence (name, seq) SELECT 'client_keys', seq FROM sqlite_sequence WHERE name = 'keys'",
            "INSERT INTO requests (account, id, kind, number, sent, answer) SELECT account, claim, "
                + "\(StoredRequestKind.handsOut.rawValue), ROW_NUMBER() OVER (PARTITION BY account ORDER BY number), 0, x'' "
                + "FROM claims",
            "INSERT INTO agent_settings (name, value) SELECT name, value FROM settings",
            "INSERT INTO agent_instances (number, until) SELECT number, until FROM instances",
        ],
        dropped: ["keys", "claims", "settings", "instances"])

    /// The settings of a connection: an answered commit is on the disk, and the file is trusted as little as possible.
    static let settings = [
        "PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON", "PRAGMA mmap_size = 0",
        "PRAGMA temp_store = MEMORY", "PRAGMA synchronous = FULL", "PRAGMA journal_size_limit = 67108864",
    ]

    /// Makes the tables in an empty file, and refuses one with others.
    static func prepare(_ database: SQLiteConnection<CloudAgentErrorCode>) throws(CloudAgentError) {
        for setting in settings { try database.run(setting) }
        let mode = try database.query("PRAGMA journal_mode = WAL") { row throws(CloudAgentError) in try row.text(0) }
        guard mode == ["wal"] else {
            throw CloudAgentError(.unavailable, "The file system does not allow a write-ahead log.")
        }
        try database.run("BEGIN IMMEDIATE")
        do throws(CloudAgentError) {
            if try number("SELECT count(*) FROM sqlite_schema", database) == 0 {
                for table in tables { try database.run(table) }
                try database.run(firstStep)
                try database.run("PRAGMA application_id = \(applicationID)")
                try database.run("PRAGMA user_version = \(version)")
            } else {
                try renew(database)
            }
            try check(database, tables, version: version)
            try database.run("COMMIT")
        } catch {
            if database.isInTransaction { try? database.run("ROLLBACK") }
            throw error
        }
    }

    /// Migrates a file of an earlier version, one version after the other.
    private static func renew(_ database: SQLiteConnection<CloudAgentErrorCode>) throws(CloudAgentError) {
        var old = firstTables
        for (step, from) in zip(steps, Int64(1)...) {
            if try number("PRAGMA user_version", database) == from {
                try check(database, old, version: from)
                for sql in step.made + step.moves { try database.run(sql) }
                for table in step.dropped { try database.run("DROP TABLE \(table)") }
                for (table, column) in step.added { try database.run("ALTER TABLE \(table) ADD COLUMN \(column)") }
                try database.run("PRAGMA user_version = \(from + 1)")
            }
            old = step.applied(to: old)
        }
    }

    /// Checks that a file has exactly our tables, because a trigger or a view would act on our behalf.
    private static func check(
        _ database: SQLiteConnection<CloudAgentErrorCode>, _ tables: [String], version: Int64
    ) throws(CloudAgentError) {
        guard try number("PRAGMA application_id", database) == applicationID,
            try number("PRAGMA user_version", database) == version
        else {
            throw CloudAgentError(.schema, "The file is not the store of a cloud agent of this version.")
        }
        let found = try database.query(
            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
        ) { row throws(CloudAgentError) in try row.text(0) }
        guard found.sorted() == tables.sorted() else {
            throw CloudAgentError(.schema, "The tables of the file are not those of a cloud agent.")
        }
    }

    static func number(
        _ sql: String, _ database: SQLiteConnection<CloudAgentErrorCode>
    ) throws(CloudAgentError) -> Int64? {
        try database.query(sql) { row throws(CloudAgentError) in try row.integer(0) }.first
    }
}
