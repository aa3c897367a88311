#if PostgreSQL
    import PostgresEngine

    /// The tables of a cloud agent in PostgreSQL, in a schema of their own.
    enum PostgresSchema {
        /// The name of the schema.
        static let name = "symbolon_agent"

        /// The version of the tables.
        static let version: Int64 = 6

        /// The number of the advisory lock that a writing step holds until it ends.
        static let lock: Int64 = 0x5359_4D41

        /// The channel on which instances notify each other of mail and of signals.
        static let channel = "symbolon_agent_mail"

        private static let tables = [
            "CREATE TABLE settings (name BYTEA PRIMARY KEY, value BYTEA NOT NULL)",
            "CREATE TABLE accounts (number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, created BIGINT NOT NULL, "
                + "seen BIGINT NOT NULL, served BIGINT NOT NULL, body BYTEA NOT NULL, count BIGINT NOT NULL, "
                + "bytes BIGINT NOT NULL, position BIGINT NOT NULL)",
            "CREATE TABLE keys (number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, hash BYTEA NOT NULL UNIQUE, "
                + "account BIGINT NOT NULL, routing BYTEA NOT NULL, body BYTEA NOT NULL, count BIGINT NOT NULL, "
                + "bytes BIGINT NOT NULL, position BIGINT NOT NULL)",
            "CREATE INDEX keys_of_account ON keys (account, number)",
            "CREATE TABLE own_keys (hash BYTEA PRIMARY KEY, kind BIGINT NOT NULL, account BIGINT, place BYTEA, "
                + "body BYTEA NOT NULL)",
            "CREATE INDEX own_keys_of_account ON own_keys (account)",
            "CREATE TABLE messages (slot BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, account BIGINT NOT NULL, "
                + "position BIGINT NOT NULL, key BIGINT NOT NULL, tag BIGINT NOT NULL, arrived BIGINT NOT NULL, "
                + "size BIGINT NOT NULL, envelope BYTEA NOT NULL)",
            // Envelopes are ciphertext, which cannot be compressed.
            "ALTER TABLE messages ALTER COLUMN envelope SET STORAGE EXTERNAL",
            "CREATE UNIQUE INDEX messages_of_account ON messages (account, position) INCLUDE (key, size, arrived)",
            "CREATE TABLE claims (number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, account BIGINT NOT NULL, "
                + "claim BYTEA NOT NULL, UNIQUE (account, claim))",
            "CREATE INDEX claims_of_account ON claims (account, number)",
            "CREATE TABLE tables (version BIGINT NOT NULL)", "INSERT INTO tables VALUES (1)",
        ]

        /// Migrates version 1 to version 2.
        private static let newTables = [
            "CREATE TABLE wakes (account BIGINT PRIMARY KEY, body BYTEA NOT NULL, position BIGINT NOT NULL, "
                + "woken BIGINT NOT NULL)",
            "CREATE TABLE signals (number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, kind BIGINT NOT NULL, "
                + "account BIGINT NOT NULL, instance BIGINT NOT NULL)",
            "CREATE TABLE instances (number BIGINT PRIMARY KEY, until BIGINT NOT NULL)",
            "CREATE TABLE holds (kind BIGINT NOT NULL, account BIGINT NOT NULL, instance BIGINT NOT NULL, "
                + "PRIMARY KEY (kind, account))", "UPDATE tables SET version = 2",
        ]

        /// Migrates version 2 to version 3.
        private static let newestTables = [
            "CREATE INDEX accounts_unserved ON accounts (created, number) WHERE served = 0",
            "UPDATE tables SET version = 3",
        ]

        /// Migrates version 3 to version 4: as in SQLite.
        private static let keysAndRequests = [
            "ALTER TABLE keys RENAME TO client_keys", "ALTER INDEX keys_of_account RENAME TO client_keys_of_account",
            "ALTER TABLE client_keys DROP CONSTRAINT keys_hash_key",
            "ALTER TABLE client_keys ADD CONSTRAINT client_keys_hash UNIQUE (hash, account)",
            "CREATE TABLE requests (account BIGINT NOT NULL, id BYTEA NOT NULL, kind BIGINT NOT NULL, "
                + "number BIGINT NOT NULL, sent BIGINT NOT NULL, answer BYTEA NOT NULL, PRIMARY KEY (account, id))",
            "INSERT INTO requests (account, id, kind, number, sent, answer) SELECT account, claim, "
                + "\(StoredRequestKind.handsOut.rawValue), ROW_NUMBER() OVER (PARTITION BY account ORDER BY number), 0, "
                + "''::bytea FROM claims",
            "CREATE UNIQUE INDEX requests_of_account ON requests (account, kind, number)",
            "CREATE TABLE forgotten_requests (account BIGINT NOT NULL, kind BIGINT NOT NULL, sent BIGINT NOT NULL, "
                + "PRIMARY KEY (account, kind))",
            "CREATE TABLE closed_connections (number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "
                + "hash BYTEA NOT NULL UNIQUE)",
            "ALTER TABLE settings RENAME TO agent_settings", "ALTER TABLE instances RENAME TO agent_instances",
            "DROP TABLE claims", "UPDATE tables SET version = 4",
        ]

        /// Migrates version 4 to version 5: as in SQLite.
        private static let digests = [
            "ALTER TABLE messages ADD COLUMN digest BIGINT", "UPDATE tables SET version = 5",
        ]

        /// Migrates version 5 to version 6: as in SQLite.
        private static let steps = [
            "CREATE TABLE store_steps (number BIGINT NOT NULL, epoch BIGINT NOT NULL) WITH (fillfactor = 10)",
            "INSERT INTO store_steps VALUES (0, ('x' || md5(random()::text || clock_timestamp()::text))::bit(63)::bigint)",
            "UPDATE tables SET version = 6",
        ]

        /// The settings of a connection: an answered commit is on the disk, every statement ends before the connection
        /// is given up, warnings are told, and rows are found by indices.
        ///
        /// An instance that stands still within a step loses its session after the time that a step may take, because
        /// the others wait for its lock.
        /// Statements touch few rows, by numbers or hashes. Without the last three settings PostgreSQL plans to read
        /// whole tables as long as it has no statistics of them.
        private static func settings(_ timeout: Duration) -> String {
            let milliseconds = Int(timeout / .milliseconds(1))
            return "SET search_path TO \(name); SET synchronous_commit TO on; "
                + "SET statement_timeout TO \(milliseconds * 8 / 10); SET lock_timeout TO \(milliseconds * 7 / 10); "
                + "SET idle_in_transaction_session_timeout TO \(milliseconds); SET client_min_messages TO warning; "
                + "SET plan_cache_mode TO force_generic_plan; SET enable_hashjoin TO off; SET enable_mergejoin TO off"
        }

        /// The time that one statement of a migration may take.
        private static let migration = Duration.seconds(600)

        /// Returns true when the tables exist, in any version.
        static func isThere(in connection: PostgresConnection) throws(PostgresError) -> Bool {
            let found = try connection.query(
                "SELECT COUNT(*) FROM pg_catalog.pg_tables WHERE schemaname = '\(name)'", [])
            return found != [[.integer(0)]]
        }

        /// Makes the tables unless they exist, and refuses those of another version.
        static func prepare(_ connection: PostgresConnection) throws(PostgresError) {
            try connection.run(settings(connection.timeout))
            // Without the lock, which a commit may hold for long.
            if try isThere(in: connection), try stored(in: connection) == version { return }
            try connection.run("BEGIN")
            do throws(PostgresError) {
                try connection.run("SELECT pg_advisory_xact_lock(\(lock))")
                try connection.run("SET LOCAL statement_timeout TO \(Int(migration / .milliseconds(1)))")
                connection.deadline = .now + migration
                if try !isThere(in: connection) {
                    // A role that may not make a schema may have been given one.
                    if try connection.run("SELECT FROM pg_catalog.pg_namespace WHERE nspname = '\(name)'").isEmpty {
                        try connection.run("CREATE SCHEMA \(name)")
                    }
                    for table in tables { try connection.run(table) }
                }
                for (old, added) in [(1, newTables), (2, newestTables), (3, keysAndRequests), (4, digests), (5, steps)]
                where try stored(in: connection) == Int64(old) {
                    for table in added { try connection.run(table) }
                }
                let found = try stored(in: connection)
                guard found == version else {
                    let words = found.map { "version \($0)" } ?? "another version"
                    throw PostgresError(
                        .schema, "The tables are of \(words), and this program knows those up to version \(version).")
                }
                try connection.run("COMMIT")
                connection.deadline = nil
            } catch {
                if !connection.isLost { _ = try? connection.run("ROLLBACK") }
                throw error
            }
        }

        /// The version of the tables that are there.
        private static func stored(in connection: PostgresConnection) throws(PostgresError) -> Int64? {
            guard case .integer(let number) = try connection.query("SELECT version FROM tables", []).first?.first
            else { return nil }
            return number
        }
    }
#endif
