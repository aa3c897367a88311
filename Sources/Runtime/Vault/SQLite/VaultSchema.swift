import SQLiteEngine

/// The tables of a vault, and the checks that a database has exactly these.
enum VaultSchema {
    /// The tables as one version of this program made them.
    struct Version {
        /// The statements that migrate the version before to this one; empty for the first.
        let migration: [String]
        /// The statements of the schema as the database lists them.
        let statements: [String]
    }

    /// All versions, the first one first.
    static let versions = [Version(migration: [], statements: firstTables)]

    /// SQLite's application ID of vault files: the letters SYMV.
    static let applicationID: Int64 = 0x5359_4D56

    /// The name of the database within the vault's folder.
    static let fileName = "vault.sqlite"

    private static let firstTables = [
        "CREATE TABLE header (id INTEGER PRIMARY KEY CHECK (id = 1), vault BLOB NOT NULL, key_id BLOB NOT NULL, "
            + "wrapped BLOB NOT NULL, seal BLOB NOT NULL) STRICT",
        "CREATE TABLE records (slot INTEGER PRIMARY KEY, category BLOB NOT NULL, place BLOB NOT NULL, "
            + "seal BLOB NOT NULL) STRICT",
        "CREATE UNIQUE INDEX records_by_place ON records (place)",
        "CREATE INDEX records_by_category ON records (category, slot)",
        "CREATE TABLE tags (tag BLOB NOT NULL, slot INTEGER NOT NULL, PRIMARY KEY (tag, slot)) STRICT, WITHOUT ROWID",
        "CREATE TABLE sums (level INTEGER NOT NULL, number INTEGER NOT NULL, block BLOB NOT NULL, "
            + "PRIMARY KEY (level, number)) STRICT, WITHOUT ROWID",
    ]

    /// The settings of a connection: commits are durable, and SQLite's defences against manipulated files are on.
    static let settings = [
        "PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON", "PRAGMA mmap_size = 0",
        "PRAGMA temp_store = MEMORY", "PRAGMA secure_delete = ON", "PRAGMA synchronous = FULL",
    ]

    /// Prepares a connection.
    ///
    /// - Throws: `vault.storage.failed` when the file system cannot do what write-ahead logging needs.
    static func configure(_ database: SQLiteDatabase) throws(VaultError) {
        for setting in settings { try database.run(setting) }
        let mode = try database.query("PRAGMA journal_mode = WAL") { row throws(VaultError) in try row.text(0) }
        guard mode == ["wal"] else {
            throw VaultError(.storageFailed, "The file system does not allow a write-ahead log.")
        }
    }

    /// Returns true when the database has no tables yet.
    static func isEmpty(_ database: SQLiteDatabase) throws(VaultError) -> Bool {
        try database.query("SELECT count(*) FROM sqlite_schema") { row throws(VaultError) in try row.integer(0) } == [0]
    }

    /// Creates the tables of all versions in turn, within the caller's transaction.
    static func create(in database: SQLiteDatabase, versions: [Version] = versions) throws(VaultError) {
        for statement in versions.first?.statements ?? [] { try database.run(statement) }
        for version in versions.dropFirst() {
            for statement in version.migration { try database.run(statement) }
        }
        try database.run("PRAGMA application_id = \(applicationID)")
        try database.run("PRAGMA user_version = \(versions.count)")
    }

    /// Migrates the tables of an older version to the present one, in one transaction, and checks them before and
    /// after.
    ///
    /// - Throws: `vault.schema.newer`, `vault.schema.altered`.
    static func migrate(_ database: SQLiteDatabase, versions: [Version] = versions) throws(VaultError) {
        guard try check(database, versions: versions) < versions.count else { return }
        try database.run("BEGIN IMMEDIATE")
        do throws(VaultError) {
            // Another process may have been faster.
            for version in versions[(try check(database, versions: versions))...] {
                for statement in version.migration { try database.run(statement) }
            }
            try database.run("PRAGMA user_version = \(versions.count)")
            _ = try check(database, versions: versions)
            try database.run("COMMIT")
        } catch {
            if database.isInTransaction { try? database.run("ROLLBACK") }
            throw error
        }
    }

    /// The version of the tables, which must be exactly those of that version: a trigger, a view or another index would
    /// act on our behalf.
    ///
    /// - Throws: `vault.schema.newer`, `vault.schema.altered`.
    @discardableResult
    static func check(_ database: SQLiteDatabase, versions: [Version] = versions) throws(VaultError) -> Int {
        let numbers = try ["application_id", "user_version"].map { (name) throws(VaultError) in
            try database.query("PRAGMA \(name)") { row throws(VaultError) in try row.integer(0) }.first ?? 0
        }
        guard numbers[0] == applicationID else {
            throw VaultError(.schemaAltered, "The database does not call itself a vault.")
        }
        guard numbers[1] <= versions.count else {
            throw VaultError(
                .schemaNewer, "The vault has version \(numbers[1]), and this program knows \(versions.count).")
        }
        guard numbers[1] >= 1 else {
            throw VaultError(.schemaAltered, "The vault has version \(numbers[1]), which never was.")
        }
        let found = try database.query(
            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
        ) { row throws(VaultError) in try row.text(0) }
        guard found == versions[Int(numbers[1]) - 1].statements else {
            throw VaultError(.schemaAltered, "The tables of the database are not those of a vault.")
        }
        return Int(numbers[1])
    }
}
