#if PostgreSQL
    import Determinism
    import PostgresEngine

    /// PostgreSQL under a cloud agent's store.
    final class PostgresMediatorConnection: MediatorDatabaseConnection {
        /// The most news in one notification; a payload has less than 8,000 bytes.
        private static let notificationsPerPayload = 300

        private let cluster: PostgresPrimarySelector
        private let connection: PostgresConnection
        /// The number of the use of the server, see `PostgresPrimarySelector`, that the connection belongs to.
        private let use: Int
        private let timeline: Int64?
        private let limits: StoreLimits
        private let waits: CommitWaitMonitor
        /// The SQL that notifies other instances, which is sent together with the commit.
        private var announcements = ""
        private var isWriting = false
        /// The beginnings of timelines that the store holds; nil until they were read.
        private var beginnings: [TimelineBeginning]?
        /// True once the beginning of the server's own timeline is recorded.
        private var isTimelineRecorded = false

        /// Connects with the primary, and makes missing tables.
        ///
        /// - Parameters:
        ///   - makes: whether tables are made; if not, their lack is `cloud.store.missing`.
        ///   - waits: is told when a step begins and ends.
        init(
            _ cluster: PostgresPrimarySelector, limits: StoreLimits, makes: Bool = true, waits: CommitWaitMonitor
        ) throws(CloudAgentError) {
            let member = try Self.saying { () throws(PostgresError) in try cluster.connect() }
            let isUsable = try Self.saying { () throws(PostgresError) in
                if makes { return true }
                return try PostgresSchema.isThere(in: member.connection)
            }
            guard isUsable else {
                throw CloudAgentError(.missing, "There are no tables of a cloud agent in the database.")
            }
            try Self.saying(on: member.connection) { () throws(PostgresError) in
                try PostgresSchema.prepare(member.connection)
                try member.connection.run(Self.preparation)
            }
            self.cluster = cluster
            self.limits = limits
            self.waits = waits
            connection = member.connection
            use = member.use
            timeline = member.server.timeline
        }

        /// Prepares the statements that begin steps, which would otherwise be planned in each.
        private static let preparation = {
            let steps = [("writing_step", true), ("reading_step", false)].map { name, isWriting in
                "PREPARE \(name) AS \(stepStatement(writing: isWriting)), "
                    + "current_setting('synchronous_standby_names') <> ''"
            }
            return (["PREPARE step_lock AS SELECT pg_advisory_xact_lock(\(PostgresSchema.lock))"] + steps)
                .joined(separator: "; ")
        }()

        /// Runs `body`, and turns an error of PostgreSQL into one of the store.
        ///
        /// - Parameter connection: is asked which right the role lacks, when that may be the cause.
        private static func saying<Value>(
            on connection: PostgresConnection? = nil, _ body: () throws(PostgresError) -> Value
        ) throws(CloudAgentError) -> Value {
            do throws(PostgresError) {
                return try body()
            } catch {
                throw CloudAgentError(postgres: connection.map { PostgresRights.explained(error, in: $0) } ?? error)
            }
        }

        private func run(_ sql: String) throws(CloudAgentError) {
            _ = try Self.saying(on: connection) { () throws(PostgresError) in try connection.run(sql) }
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
            let rows = try Self.saying(on: connection) { () throws(PostgresError) in
                try connection.query(sql, values)
            }
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

        func begin(writing: Bool) throws(CloudAgentError) -> StoreRevision {
            announcements = ""
            isWriting = writing
            guard cluster.isCurrent(use) else { throw formerPrimary }
            guard writing else {
                // A long reading step, such as a check of all, may take as long as each of its statements answers.
                connection.deadline = nil
                return try step("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; EXECUTE reading_step")
            }
            connection.deadline = .now + cluster.timeout
            waits.begin()
            do throws(CloudAgentError) {
                return try step("BEGIN; EXECUTE step_lock; EXECUTE writing_step")
            } catch {
                // The lock's own time and that of the step end together: either may be the first.
                let isKnown = error.code == .silent && waits.waitForStandby
                guard isKnown || error.code == .busy && waitsForStandby() else { throw error }
                throw CommitWaitMonitor.standbyMissing
            }
        }

        /// Begins a step, and reads its number, its epoch, and whether commits wait for a standby.
        private func step(_ sql: String) throws(CloudAgentError) -> StoreRevision {
            let rows = try Self.saying(on: connection) { () throws(PostgresError) in
                try connection.run(sql)
            }
            guard let row = rows.first, row.count == 3, let number = row[0].flatMap({ Int64($0) }),
                let epoch = row[1].flatMap({ Int64($0) })
            else { throw CloudAgentError(.damaged, "The count of the store's steps is missing.") }
            guard !isWriting || !limits.requiresReplica || row[2] == "t" else {
                throw CloudAgentError(
                    .unreplicated, "The setting synchronous_standby_names is empty, and store-replicas demands one.")
            }
            let known = try timelineBeginnings(number)
            return StoreRevision(number: number, epoch: epoch, timeline: timeline, beginnings: known)
        }

        /// The name under which the beginning of a timeline is recorded, without the timeline.
        private static let timelineName = "timeline "

        /// The beginnings of timelines; the first step on a timeline records its own.
        private func timelineBeginnings(_ number: Int64) throws(CloudAgentError) -> [TimelineBeginning] {
            guard let timeline else { return [] }
            if let beginnings, isTimelineRecorded || !isWriting { return beginnings }
            let settings = SettingTable(database: self)
            if isWriting {
                let before = "\(number.subtractingReportingOverflow(1).0)"
                _ = try settings.settle("\(Self.timelineName)\(timeline)", Array(before.utf8))
            }
            let found = try settings.values(beginningWith: Self.timelineName).compactMap {
                entry -> TimelineBeginning? in
                guard let timeline = Int64(entry.name.dropFirst(Self.timelineName.count)),
                    let step = Int64(String(decoding: entry.value, as: UTF8.self))
                else { return nil }
                return TimelineBeginning(timeline: timeline, step: step)
            }
            beginnings = found
            return found
        }

        private var formerPrimary: CloudAgentError {
            CloudAgentError(.formerPrimary, "A server with a higher timeline takes writes.")
        }

        /// True when a commit of this role waits for a standby; asked after the step failed.
        private func waitsForStandby() -> Bool {
            rollback()
            return (try? CommitWaitMonitor.areThere(in: connection)) ?? false
        }

        func commit() throws(CloudAgentError) {
            defer { announcements = "" }
            guard isWriting else { return try run("COMMIT") }
            connection.deadline = .now + cluster.timeout
            do throws(CloudAgentError) {
                try run(announcements + "COMMIT")
            } catch {
                guard error.code == .silent, waits.waitForStandby else { throw error }
                throw CommitWaitMonitor.standbyMissing
            }
            waits.end()
            isTimelineRecorded = true
            // The wait for a standby that is cancelled ends with a warning, and what was committed is on one machine.
            if let state = connection.warningStates.first {
                throw CloudAgentError(
                    .unreplicated,
                    "A commit ended with a warning (\(state)), as when its wait for the standby is cancelled.")
            }
            guard cluster.isCurrentNow(use) else { throw formerPrimary }
        }

        func rollback() {
            waits.end()
            guard !connection.isLost else { return }
            connection.deadline = .now + min(cluster.timeout, .seconds(2))
            _ = try? connection.run("ROLLBACK")
        }

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
                case .noDatabase: .missing
                case .unavailable: .unavailable
                case .silent: .silent
                case .standby: .standby
                case .formerPrimary: .formerPrimary
                case .pooler: .pooler
                case .rights: .rights
                case .login: .login
                case .connections: .connections
                case .address: .path
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
        /// Of several servers in the address, the primary is used. Any number of instances may use it at once; each
        /// announces mail to the others.
        /// - Throws: `cloud.store.unavailable`, `cloud.store.schema`, `cloud.store.busy`, `cloud.store.library`,
        ///   `cloud.store.path` for an address that cannot be used, `cloud.store.silent`, `cloud.store.standby`,
        ///   `cloud.store.pooler`, `cloud.store.rights`, `cloud.store.login`, `cloud.store.connections`,
        ///   `cloud.store.missing` for a database that is not there.
        public static func postgres(
            at address: String, limits: StoreLimits = StoreLimits(), makes: Bool = true
        ) async throws(CloudAgentError) -> DatabaseStore {
            let cluster: PostgresPrimarySelector
            do throws(PostgresError) {
                cluster = try PostgresPrimarySelector(address, timeout: limits.silence)
            } catch {
                throw CloudAgentError(postgres: error)
            }
            let (listener, waits) = (StoreNotificationHandler(), CommitWaitMonitor())
            let notifications = NotificationListener(cluster, waits: waits) { news in listener.notify(news) }
            let stop: @Sendable () -> Void = { notifications.stop() }
            let store = try await DatabaseStore(
                limits: limits, isShared: true, listener: listener, atClose: stop
            ) { (isWriting) throws(CloudAgentError) in
                let waits = isWriting ? waits : CommitWaitMonitor()
                return try PostgresMediatorConnection(cluster, limits: limits, makes: makes, waits: waits)
            }
            notifications.start()
            return store
        }
    }
#endif
