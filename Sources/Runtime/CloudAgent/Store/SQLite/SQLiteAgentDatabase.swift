import Determinism
package import SQLiteEngine

/// SQLite under a cloud agent's store.
final class SQLiteAgentDatabase: AgentDatabase {
    private let connection: SQLiteConnection<CloudAgentError>

    /// Opens the database, and makes its tables when there are none.
    init(path: String, fileLayer: String?) throws(CloudAgentError) {
        connection = try SQLiteConnection(
            path: path, options: SQLiteOptions(creates: true, busyMilliseconds: 10_000, fileLayer: fileLayer))
        try SQLiteSchema.prepare(connection)
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
        _ row: borrowing SQLiteRow<CloudAgentError>, _ column: Int32
    ) throws(CloudAgentError) -> StoreValue {
        switch row.kind(column) {
        case .null: .null
        case .integer: .integer(try row.integer(column))
        case .blob: .blob(try row.blob(column))
        case .other: throw CloudAgentError(.damaged, "A column holds a kind of value that is never written.")
        }
    }

    func begin(writing: Bool) throws(CloudAgentError) { try connection.run(writing ? "BEGIN IMMEDIATE" : "BEGIN") }

    func commit() throws(CloudAgentError) { try connection.run("COMMIT") }

    func rollback() { if connection.isInTransaction { try? connection.run("ROLLBACK") } }

    func announce(_ news: [StoreNews]) {}

    func inspect() throws(CloudAgentError) -> [String] {
        let words = try connection.query("PRAGMA integrity_check(10)") { row throws(CloudAgentError) in
            try row.text(0)
        }
        return words == ["ok"] ? [] : ["SQLite finds the file damaged at \(words.count) places or more."]
    }
}

extension CloudAgentError: SQLiteFailure {
    package init(sqlite fault: SQLiteFault, reason: String) {
        let code: Code =
            switch fault {
            case .busy: .busy
            case .full: .full
            case .damaged: .damaged
            case .tooBig, .other: .internal
            case .storage: .unavailable
            }
        self.init(code, reason)
    }
}

extension DatabaseStore {
    /// Opens the store in the file at `path`, which is made when there is none, in a folder of one user.
    ///
    /// One process at a time is meant to use it; others wait for each other's steps.
    /// - Throws: `cloud.store.path`, `cloud.store.schema`, `cloud.store.unavailable`, `cloud.store.damaged`,
    ///   `cloud.store.busy`.
    public static func sqlite(
        at path: String, limits: StoreLimits = StoreLimits()
    ) async throws(CloudAgentError) -> DatabaseStore {
        let real = try StorePlace.prepare(path)
        return try await sqlite(real: real, fileLayer: nil, limits: limits)
    }

    /// Opens the store in a file of another layer below SQLite, for tests and simulations.
    ///
    /// - Parameter thread: what its steps run on, one after the other; nil for a thread of the system.
    package static func sqlite(
        fileLayer: String, name: String, limits: StoreLimits = StoreLimits(),
        thread: (@Sendable (@escaping @Sendable () -> Void) -> Void)? = nil
    ) async throws(CloudAgentError) -> DatabaseStore {
        try await sqlite(real: name, fileLayer: fileLayer, limits: limits, thread: thread)
    }

    private static func sqlite(
        real path: String, fileLayer: String?, limits: StoreLimits, thread: StoreThread? = nil
    ) async throws(CloudAgentError) -> DatabaseStore {
        let made: (String) -> StoreThread = { label in thread ?? DatabaseStore.thread(label) }
        return try await DatabaseStore(
            limits: limits, isShared: false, listener: StoreListener(), readsApart: fileLayer == nil, thread: made
        ) { (_) throws(CloudAgentError) in
            try SQLiteAgentDatabase(path: path, fileLayer: fileLayer)
        }
    }
}
