import Determinism
package import SQLiteEngine

/// SQLite under a cloud agent's store.
final class SQLiteMediatorConnection: MediatorDatabaseConnection {
    private static let busyMilliseconds: Int32 = 10_000
    /// The most pages that SQLite allows.
    private static let mostPages: Int64 = 1_073_741_823

    private let connection: SQLiteConnection<CloudAgentErrorCode>
    private let file: StoreFile?
    /// True while the file may grow.
    private var mayGrow = true
    /// The bytes that steps may add before the disk is asked again.
    private var admittedBytes = 0
    /// SQLite's `secure_delete` setting at compile time; nil where it has none.
    private var erases: Bool?

    /// Opens the database in a file of another VFS layer below SQLite, and makes missing tables.
    init(path: String, fileLayer: String) throws(CloudAgentError) {
        connection = try SQLiteConnection(
            path: path,
            options: SQLiteOptions(creates: true, busyMilliseconds: Self.busyMilliseconds, fileLayer: fileLayer))
        file = nil
        try SQLiteSchema.prepare(connection)
    }

    /// Opens the database in an existing file.
    ///
    /// - Parameter makes: whether its tables are made when there are none; if not, that is `cloud.store.emptied`.
    init(_ file: StoreFile, makes: Bool) throws(CloudAgentError) {
        try file.check()
        connection = try SQLiteConnection(
            path: file.path, options: SQLiteOptions(busyMilliseconds: Self.busyMilliseconds))
        self.file = file
        let tables = try SQLiteSchema.number("SELECT count(*) FROM sqlite_schema", connection)
        guard makes || tables != 0 else {
            throw CloudAgentError(.emptied, "The file of the store is empty.")
        }
        do throws(CloudAgentError) {
            try SQLiteSchema.prepare(connection)
        } catch {
            guard error.code == .full, makeRoom(releases: true) else { throw error }
            try SQLiteSchema.prepare(connection)
        }
        try file.check()
        if try number("PRAGMA secure_delete") == 1 { erases = true }
    }

    func query(_ sql: String, _ values: [StoreValue]) throws(CloudAgentError) -> [[StoreValue]] {
        let bound = values.map { value in
            switch value {
            case .null: SQLiteValue.null
            case .integer(let number): SQLiteValue.integer(number)
            case .blob(let bytes): SQLiteValue.blob(bytes)
            }
        }
        return try connection.query(sql, bound) { row throws(CloudAgentError) in
            var columns: [StoreValue] = []
            for column in 0..<row.columnCount { columns.append(try Self.value(row, column)) }
            return columns
        }
    }

    private static func value(
        _ row: borrowing SQLiteRow<CloudAgentErrorCode>, _ column: Int32
    ) throws(CloudAgentError) -> StoreValue {
        switch row.kind(column) {
        case .null: .null
        case .integer: .integer(try row.integer(column))
        case .blob: .blob(try row.blob(column))
        case .other: throw CloudAgentError(.damaged, "A column holds a kind of value that is never written.")
        }
    }

    func begin(writing: Bool) throws(CloudAgentError) -> StoreRevision {
        try file?.check()
        try connection.run(writing ? "BEGIN IMMEDIATE" : "BEGIN")
        guard let row = try first(Self.stepStatement(writing: writing)) else {
            throw CloudAgentError(.damaged, "The count of the store's steps is missing.")
        }
        return StoreRevision(number: try row.integer(0), epoch: try row.integer(1))
    }

    func admit(adding bytes: Int) throws(CloudAgentError) {
        guard let file, file.isServed else { return }
        if bytes <= admittedBytes {
            admittedBytes -= bytes
            return
        }
        admittedBytes = 0
        guard let room = try room(file) else { return }
        switch room.verdict(adding: bytes) {
        case .grow:
            try limit(growing: true)
            erase(true)
            admittedBytes = room.admittedBytes(beside: bytes)
        case .reuse:
            try limit(growing: false)
            // The log's file does not grow either, or hardly.
            checkpoint("RESTART")
        case .refuse:
            throw CloudAgentError(.full, "What the disk has left is kept for messages to be fetched and forgotten.")
        }
    }

    private func room(_ file: StoreFile) throws(CloudAgentError) -> DiskSpaceRule? {
        let page = try number("PRAGMA page_size")
        let (size, unused) = (try number("PRAGMA page_count") * page, try number("PRAGMA freelist_count") * page)
        var room = file.room(size: size, unused: unused)
        if room?.owesMuch == true {
            checkpoint("PASSIVE")
            room = file.room(size: size, unused: unused)
        }
        guard room?.canReserve == true else { return room }
        checkpoint("TRUNCATE")
        _ = file.reserve()
        return file.room(size: size, unused: unused)
    }

    func makeRoom(releases: Bool) -> Bool {
        admittedBytes = 0
        guard let file else { return false }
        try? limit(growing: true)
        // Freed pages are not overwritten: that would take as much of the log.
        erase(false)
        if releases, !file.release() { return false }
        checkpoint("RESTART")
        return true
    }

    private func erase(_ erases: Bool) {
        guard let old = self.erases, old != erases else { return }
        _ = try? number("PRAGMA secure_delete = \(erases ? "ON" : "FAST")")
        self.erases = erases
    }

    /// Checkpoints the log into the file, so that it begins anew; as far as readers and the disk allow.
    private func checkpoint(_ mode: String) {
        _ = try? number("PRAGMA busy_timeout = 500")
        _ = try? number("PRAGMA wal_checkpoint(\(mode))")
        _ = try? number("PRAGMA busy_timeout = \(Self.busyMilliseconds)")
    }

    /// Permits or forbids that a step lets the file grow; a removing step always may.
    private func limit(growing: Bool) throws(CloudAgentError) {
        guard growing != mayGrow else { return }
        // SQLite takes a number below the present count of pages as that count.
        _ = try number("PRAGMA max_page_count = \(growing ? Self.mostPages : 1)")
        mayGrow = growing
    }

    private func number(_ sql: String) throws(CloudAgentError) -> Int {
        Int(try SQLiteSchema.number(sql, connection) ?? 0)
    }

    func commit() throws(CloudAgentError) { try connection.run("COMMIT") }

    func rollback() { if connection.isInTransaction { try? connection.run("ROLLBACK") } }

    func announce(_ news: [StoreNotification]) {}

    var sizeStatement: String? { "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()" }

    func inspect() throws(CloudAgentError) -> [String] {
        let words = try connection.query("PRAGMA integrity_check(10)") { row throws(CloudAgentError) in
            try row.text(0)
        }
        return words == ["ok"] ? [] : ["SQLite finds the file damaged at \(words.count) places or more."]
    }
}

extension CloudAgentErrorCode: SQLiteStoreErrorCode {
    package init(_ fault: SQLiteFault) {
        self =
            switch fault {
            case .busy: .busy
            case .full: .full
            case .damaged: .damaged
            case .tooBig, .other: .internal
            case .storage: .unavailable
            }
    }
}

extension DatabaseStore {
    /// Opens the store in the file at `path`, or makes it, in a folder of one user.
    ///
    /// One server at a time uses it, see `beginServing`; commands beside it wait for each other's steps.
    /// - Parameter makes: whether it is made when there is none; if not, that is `cloud.store.missing` or
    /// `cloud.store.emptied`.
    /// - Throws: `cloud.store.path`, `cloud.store.schema`, `cloud.store.unavailable`, `cloud.store.damaged`,
    ///   `cloud.store.busy`, `cloud.store.full`.
    public static func sqlite(
        at path: String, limits: StoreLimits = StoreLimits(), makes: Bool = true
    ) async throws(CloudAgentError) -> DatabaseStore {
        _ = try StoreFileAccess.folder(of: path)
        let file = StoreFile(path: makes ? try StoreFileAccess.prepare(path) : try StoreFileAccess.existing(path))
        let open: @Sendable (Bool) throws(CloudAgentError) -> any MediatorDatabaseConnection = {
            (_) throws(CloudAgentError) in
            try SQLiteMediatorConnection(file, makes: makes)
        }
        return try await DatabaseStore(
            limits: limits, isShared: false, listener: StoreNotificationHandler(),
            atServing: { () throws(CloudAgentError) in try file.serve() }, atClose: { file.endServing() }, open: open)
    }

    /// Opens the store in a file of another VFS layer below SQLite, for tests and simulations.
    ///
    /// - Parameters:
    ///   - history: what is known of the steps of the store, also from an earlier opening.
    ///   - thread: what its steps run on, one after the other; nil for a thread of the system.
    package static func sqlite(
        fileLayer: String, name: String, limits: StoreLimits = StoreLimits(),
        history: StoreHistory = StoreHistory(),
        thread: (@Sendable (@escaping @Sendable () -> Void) -> Void)? = nil
    ) async throws(CloudAgentError) -> DatabaseStore {
        let made: (String) -> StoreThread = { label in thread ?? DatabaseStore.thread(label) }
        return try await DatabaseStore(
            limits: limits, isShared: false, listener: StoreNotificationHandler(), history: history, readsApart: false,
            thread: made
        ) { (_) throws(CloudAgentError) in try SQLiteMediatorConnection(path: name, fileLayer: fileLayer) }
    }
}
