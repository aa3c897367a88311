#if PostgreSQL
    import Determinism
    import PostgresEngine

    /// PostgreSQL under a cloud agent's store.
    final class PostgresMediatorConnection: MediatorDatabaseConnection {
        /// The most news in one notification; a payload has less than 8,000 bytes.
        private static let notificationsPerPayload = 300

        private let connection: PostgresConnection
        /// The statements of the news, which are sent together with the commit.
        private var announcements = ""

        /// Connects, and makes missing tables.
        ///
        /// - Parameter makes: whether tables are made; if not, their lack is `cloud.store.missing`.
        init(_ address: String, makes: Bool = true) throws(CloudAgentError) {
            let connection = try Self.saying { () throws(PostgresError) in try PostgresConnection(address) }
            let isUsable = try Self.saying { () throws(PostgresError) in
                if makes { return true }
                return try PostgresSchema.isThere(in: connection)
            }
            guard isUsable else {
                throw CloudAgentError(.missing, "There are no tables of a cloud agent in the database.")
            }
            try Self.saying { () throws(PostgresError) in try PostgresSchema.prepare(connection) }
            self.connection = connection
        }

        private static func saying<Value>(
            _ body: () throws(PostgresError) -> Value
        ) throws(CloudAgentError) -> Value {
            do throws(PostgresError) {
                return try body()
            } catch {
                throw CloudAgentError(postgres: error)
            }
        }

        private func run(_ sql: String) throws(CloudAgentError) {
            try Self.saying { () throws(PostgresError) in try connection.run(sql) }
        }

        func query(_ sql: String, _ values: [StoreValue]) throws(CloudAgentError) -> [[StoreValue]] {
            let bound = values.map { value in
                switch value {
                case .null: PostgresValue.null
                case .integer(let number): PostgresValue.integer(number)
                case .blob(let bytes): PostgresValue.bytes(bytes)
                }
            }
            return try rows(sql, bound)
        }

        func rows(_ sql: String, _ values: [PostgresValue]) throws(CloudAgentError) -> [[StoreValue]] {
            let rows = try Self.saying { () throws(PostgresError) in try connection.query(sql, values) }
            return try rows.map { (row) throws(CloudAgentError) -> [StoreValue] in
                try row.map { (value) throws(CloudAgentError) -> StoreValue in
                    switch value {
                    case .null: .null
                    case .integer(let number): .integer(number)
                    case .bytes(let bytes): .blob(bytes)
                    case .integers, .byteArrays:
                        throw CloudAgentError(.internal, "A result has an array, which no statement asks for.")
                    }
                }
            }
        }

        func begin(writing: Bool) throws(CloudAgentError) {
            announcements = ""
            guard writing else { return try run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") }
            try run("BEGIN; SELECT pg_advisory_xact_lock(\(PostgresSchema.lock))")
        }

        func commit() throws(CloudAgentError) {
            defer { announcements = "" }
            try run(announcements + "COMMIT")
        }

        func rollback() { if !connection.isLost { try? connection.run("ROLLBACK") } }

        func announce(_ news: [StoreNotification]) {
            var rest = news[...]
            while !rest.isEmpty {
                let words = rest.prefix(Self.notificationsPerPayload).compactMap(NotificationListener.word).joined(
                    separator: ",")
                rest = rest.dropFirst(Self.notificationsPerPayload)
                announcements += "NOTIFY \(PostgresSchema.channel), '\(words)'; "
            }
        }

        var sizeStatement: String? {
            "SELECT CAST(COALESCE(SUM(pg_total_relation_size(pg_class.oid)), 0) AS BIGINT) FROM pg_class "
                + "JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = 'symbolon_agent' AND relkind = 'r'"
        }

        func inspect() -> [String] { [] }
    }

    extension CloudAgentError {
        init(postgres error: PostgresError) {
            let code: Code =
                switch error.fault {
                case .busy: .busy
                case .full: .full
                case .damaged: .damaged
                case .schema: .schema
                case .unavailable: .unavailable
                case .noLibrary: .noLibrary
                case .other: .internal
                }
            self.init(code, error.reason)
        }
    }

    extension DatabaseStore {
        /// Opens the store in the PostgreSQL database that `address` names, a URI or a connection string of libpq; its
        /// tables are made in a schema of their own when there are none.
        ///
        /// Any number of instances may use it at once; each announces mail to the others.
        /// - Throws: `cloud.store.unavailable`, `cloud.store.schema`, `cloud.store.busy`, `cloud.store.library`.
        public static func postgres(
            at address: String, limits: StoreLimits = StoreLimits(), makes: Bool = true
        ) async throws(CloudAgentError) -> DatabaseStore {
            let listener = StoreListener()
            let notifications = NotificationListener(address) { news in listener.notify(news) }
            let stop: @Sendable () -> Void = { notifications.stop() }
            let store = try await DatabaseStore(
                limits: limits, isShared: true, listener: listener, atClose: stop
            ) { (_) throws(CloudAgentError) in try PostgresMediatorConnection(address, makes: makes) }
            notifications.start()
            return store
        }
    }
#endif
