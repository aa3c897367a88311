/// The signals between instances, in one transaction of a store.
public struct InstanceSignalTable {
    /// The number of signals that are kept.
    private static let kept: Int64 = 10_000

    let database: any MediatorDatabaseConnection
    let news: TransactionNotifications

    /// Adds a signal; only the newest ones are kept.
    func add(_ kind: StoreSignal.Kind, _ account: Int64, from instance: Int64) throws(CloudAgentError) {
        let made = try database.first(
            "INSERT INTO signals (kind, account, instance) VALUES ($1, $2, $3) RETURNING number",
            [.integer(kind.rawValue), .integer(account), .integer(instance)])
        guard let made else { throw CloudAgentError(.damaged, "The database gives a signal no number.") }
        try database.run("DELETE FROM signals WHERE number <= $1", [.integer(try made.integer(0) - Self.kept)])
        news.add(.signals)
    }

    /// The signals behind a number, in their order.
    ///
    /// - Returns: the signals, and whether these are all there were.
    public func list(
        after number: Int64, limit: Int
    ) throws(CloudAgentError) -> (signals: [StoreSignal], isComplete: Bool) {
        let rows = try database.rows(
            "SELECT number, kind, account, instance FROM signals WHERE number > $1 ORDER BY number LIMIT $2",
            [.integer(number), .integer(Int64(limit))])
        var found: [StoreSignal] = []
        for row in rows {
            // Ignores a kind that only a newer program knows.
            guard let kind = StoreSignal.Kind(rawValue: try row.integer(1)) else { continue }
            found.append(
                StoreSignal(
                    number: try row.integer(0), kind: kind, account: try row.integer(2), instance: try row.integer(3)))
        }
        let oldest = try database.first("SELECT number FROM signals ORDER BY number LIMIT 1")
        let first = try oldest.map { (row) throws(CloudAgentError) in try row.integer(0) } ?? 0
        return (found, rows.count < limit && first <= number + 1)
    }

    /// The number of the newest signal; 0 before the first.
    public func newest() throws(CloudAgentError) -> Int64 {
        let row = try database.first("SELECT number FROM signals ORDER BY number DESC LIMIT 1")
        return try row.map { (row) throws(CloudAgentError) in try row.integer(0) } ?? 0
    }
}
