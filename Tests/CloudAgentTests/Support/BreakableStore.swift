import Determinism
import Foundation

@testable import CloudAgent

/// A store in a file whose database connections a test can break, as a server's restart does.
final class BreakableStore: Sendable {
    private struct State {
        var isDown = false
        var refusesCommits = false
        var generation = 0
        var stepsLeft: Int?
        var delay: (statement: String, milliseconds: UInt32)?
        var failure: (statement: String, CloudAgentError)?
        var counted: (statement: String, count: Int)?
    }

    private let state = Lock(State())

    /// True when all connections to the store fail, and none can be made.
    var isDown: Bool {
        get { state.withLock { $0.isDown } }
        set { state.withLock { $0.isDown = newValue } }
    }

    /// True when the database executes statements, but commits no transaction that writes.
    var refusesCommits: Bool {
        get { state.withLock { $0.refusesCommits } }
        set { state.withLock { $0.refusesCommits = newValue } }
    }

    /// Breaks the open connections to the database; new ones can be made.
    func breakConnections() { state.withLock { $0.generation += 1 } }

    /// Makes all connections fail after a number of transactions.
    func endsAfter(steps: Int) { state.withLock { $0.stepsLeft = steps } }

    /// Counts a transaction; false when connections fail from now on.
    fileprivate func beginStep() -> Bool {
        state.withLock { state in
            guard let left = state.stepsLeft else { return true }
            state.stepsLeft = left - 1
            if left == 0 { state.isDown = true }
            return left > 0
        }
    }

    /// Delays each SQL statement that begins with a text.
    func delay(_ statement: String, milliseconds: UInt32) { state.withLock { $0.delay = (statement, milliseconds) } }

    /// Fails the next SQL statement that begins with a text.
    func failNext(_ statement: String, _ error: CloudAgentError) {
        state.withLock { $0.failure = (statement, error) }
    }

    /// Counts the SQL statements from now on that begin with a text.
    func count(_ statement: String) { state.withLock { $0.counted = (statement, 0) } }

    /// The number of SQL statements counted since `count`.
    var counted: Int { state.withLock { $0.counted?.count ?? 0 } }

    /// True when the failure set by `failNext` has not happened yet.
    var isFailureLeft: Bool { state.withLock { $0.failure != nil } }

    fileprivate func begin(_ sql: String) throws(CloudAgentError) {
        let (delay, failure) = state.withLock { state in
            let isDelayed = state.delay.map { sql.hasPrefix($0.statement) } ?? false
            let fails = state.failure.map { sql.hasPrefix($0.statement) } ?? false
            let failure = fails ? state.failure?.1 : nil
            if fails { state.failure = nil }
            if let counted = state.counted, sql.hasPrefix(counted.statement) {
                state.counted = (counted.statement, counted.count + 1)
            }
            return (isDelayed ? state.delay?.milliseconds : nil, failure)
        }
        if let delay { usleep(delay * 1000) }
        if let failure { throw failure }
    }

    /// Makes the store, with its file in a folder of the test.
    ///
    /// - Parameters:
    ///   - breaksWriting: True when the connection that writes breaks too.
    ///   - isShared: True when instances hold accounts in it, as they do in PostgreSQL.
    func open(in folder: String, breaksWriting: Bool = true, isShared: Bool = false) async throws -> DatabaseStore {
        let file = StoreFile(path: try StoreFileAccess.prepare("\(folder)/agent.sqlite"))
        return try await DatabaseStore(limits: StoreLimits(), isShared: isShared, listener: StoreNotificationHandler())
        {
            (isWriting) throws(CloudAgentError) in
            let made = try SQLiteMediatorConnection(file, makes: true)
            return isWriting && !breaksWriting ? made : try Connection(made, self)
        }
    }

    fileprivate var generation: Int { state.withLock { $0.generation } }

    /// A database connection that fails once the test has broken the store.
    private final class Connection: MediatorDatabaseConnection {
        private let database: SQLiteMediatorConnection
        private let store: BreakableStore
        private let generation: Int
        private var isWriting = false

        init(_ database: SQLiteMediatorConnection, _ store: BreakableStore) throws(CloudAgentError) {
            (self.database, self.store, generation) = (database, store, store.generation)
            try check()
        }

        private func check() throws(CloudAgentError) {
            guard !store.isDown, store.generation == generation else {
                throw CloudAgentError(.unavailable, "The connection is lost.")
            }
        }

        func begin(writing: Bool) throws(CloudAgentError) -> StoreRevision {
            guard store.beginStep() else { throw CloudAgentError(.unavailable, "The connection is lost.") }
            try check()
            isWriting = writing
            return try database.begin(writing: writing)
        }

        func query(_ sql: String, _ values: [StoreValue]) throws(CloudAgentError) -> [[StoreValue]] {
            try check()
            try store.begin(sql)
            return try database.query(sql, values)
        }

        func commit() throws(CloudAgentError) {
            if isWriting, store.refusesCommits { throw CloudAgentError(.standby, "It may only be read from.") }
            try database.commit()
        }
        func rollback() { database.rollback() }
        func announce(_ news: [StoreNotification]) {}
        func inspect() throws(CloudAgentError) -> [String] { try database.inspect() }
    }
}
