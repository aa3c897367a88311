/// A value in a statement or a result.
enum StoreValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case blob([UInt8])
}

/// One connection with an engine, used by one thread at a time.
///
/// Statements name their values $1, $2, … in the order of their first appearance, which both engines understand.
protocol MediatorDatabaseConnection: AnyObject {
    /// Runs a statement; returns its rows.
    func query(_ sql: String, _ values: [StoreValue]) throws(CloudAgentError) -> [[StoreValue]]

    /// Begins a step; a writing step excludes all other writing ones, also those of other processes.
    ///
    /// - Returns: the newest step that a reading one sees; the number of a writing one.
    func begin(writing: Bool) throws(CloudAgentError) -> StoreRevision

    /// Commits a step; what it wrote is on the disk afterwards.
    func commit() throws(CloudAgentError)

    /// Rolls a step back; never fails, because a connection that cannot roll back is discarded.
    func rollback()

    /// Checks, before a step begins, whether this number of bytes may be added.
    ///
    /// - Throws: `cloud.store.full` when what the disk has left is kept for steps that remove.
    func admit(adding bytes: Int) throws(CloudAgentError)

    /// Makes room on a full disk for a removing step; false when that is impossible.
    ///
    /// - Parameter releases: whether what is kept in reserve is given back to the disk.
    func makeRoom(releases: Bool) -> Bool

    /// The queues to which messages with these addresses go, one for each; nil where no client has registered the
    /// recipient key with the routing key.
    ///
    /// - Parameter addresses: each once.
    func queues(of addresses: [MailQueueHashes]) throws(CloudAgentError) -> [KeyAndAccountQueueCounts?]

    /// Writes accepted messages and the counts of their queues.
    func store(_ changes: MailTransactionRows) throws(CloudAgentError)

    /// Sends news to other instances when the step is committed; called last.
    func announce(_ news: [StoreNotification]) throws(CloudAgentError)

    /// The statement that yields how many bytes the database takes; nil where there is none.
    var sizeStatement: String? { get }

    /// The faults that the engine itself finds.
    func inspect() throws(CloudAgentError) -> [String]
}

extension MediatorDatabaseConnection {
    /// Counts a writing step, or finds the newest one; ends with the list of the columns that it returns.
    static func stepStatement(writing: Bool) -> String {
        writing
            ? "UPDATE store_steps SET number = number + 1 RETURNING number, epoch"
            : "WITH steps AS (SELECT * FROM store_steps) SELECT (SELECT number FROM steps), (SELECT epoch FROM steps)"
    }

    var sizeStatement: String? { nil }

    func admit(adding bytes: Int) {}

    func makeRoom(releases: Bool) -> Bool { false }

    func run(_ sql: String, _ values: [StoreValue] = []) throws(CloudAgentError) { _ = try query(sql, values) }

    func first(_ sql: String, _ values: [StoreValue] = []) throws(CloudAgentError) -> StoreRow? {
        try query(sql, values).first.map { StoreRow($0) }
    }

    func rows(_ sql: String, _ values: [StoreValue] = []) throws(CloudAgentError) -> [StoreRow] {
        try query(sql, values).map { StoreRow($0) }
    }
}

/// A row of a result; a column of an unexpected kind means damage.
struct StoreRow {
    private let values: [StoreValue]

    init(_ values: [StoreValue]) { self.values = values }

    func integer(_ column: Int) throws(CloudAgentError) -> Int64 {
        guard column < values.count, case .integer(let number) = values[column] else { throw Self.damaged }
        return number
    }

    func optionalInteger(_ column: Int) throws(CloudAgentError) -> Int64? {
        guard column < values.count else { throw Self.damaged }
        return values[column] == .null ? nil : try integer(column)
    }

    func count(_ column: Int) throws(CloudAgentError) -> Int {
        let number = try integer(column)
        guard let count = Int(exactly: number), count >= 0 else { throw Self.damaged }
        return count
    }

    func blob(_ column: Int) throws(CloudAgentError) -> [UInt8] {
        guard column < values.count, case .blob(let bytes) = values[column] else { throw Self.damaged }
        return bytes
    }

    func hash(_ column: Int) throws(CloudAgentError) -> KeyHash {
        guard let hash = KeyHash(try blob(column)) else { throw Self.damaged }
        return hash
    }

    private static var damaged: CloudAgentError {
        CloudAgentError(.damaged, "A column of the database holds another kind of value than it should.")
    }
}
