import Determinism

/// Counts and checks of the whole store, in one transaction of it.
public struct StoreInspection {
    let database: any MediatorDatabaseConnection

    /// The totals of the store: accounts, keys, messages.
    public func totals() throws(CloudAgentError) -> StoreTotals {
        var totals = StoreTotals()
        if let row = try database.first(
            "SELECT COUNT(*), CAST(COALESCE(SUM(count), 0) AS BIGINT), CAST(COALESCE(SUM(bytes), 0) AS BIGINT) "
                + "FROM accounts")
        {
            totals.accounts = try row.count(0)
            totals.messages = try row.count(1)
            totals.bytes = try row.count(2)
        }
        totals.keys = try database.first("SELECT COUNT(*) FROM client_keys")?.count(0) ?? 0
        if let statement = database.sizeStatement {
            totals.databaseBytes = try database.first(statement)?.count(0) ?? 0
        }
        let oldest = try database.first("SELECT arrived FROM messages ORDER BY slot LIMIT 1")
        totals.oldest = try oldest.map { (row) throws(CloudAgentError) in
            WallTime(millisecondsSinceEpoch: try row.integer(0))
        }
        totals.loss = try StoreDataLossTable(settings: SettingTable(database: database)).unseen()
        return totals
    }

    /// Compares envelopes behind a slot with their digests.
    ///
    /// - Returns: the slot of the last one that was compared, nil when there are no more; how many have other bytes
    ///   than were accepted, and how many have no digest.
    func compareEnvelopes(
        after slot: Int64, limit: Int
    ) throws(CloudAgentError) -> (last: Int64?, changed: Int, unknown: Int) {
        var result: (last: Int64?, changed: Int, unknown: Int) = (nil, 0, 0)
        let rows = try database.rows(
            "SELECT slot, envelope, digest FROM messages WHERE slot > $1 ORDER BY slot LIMIT $2",
            [.integer(slot), .integer(Int64(limit))])
        for row in rows {
            result.last = try row.integer(0)
            guard let digest = try row.optionalInteger(2) else {
                result.unknown += 1
                continue
            }
            if EnvelopeChecksum.of(try row.blob(1)) != digest { result.changed += 1 }
        }
        return result
    }

    /// Compares the stored counts with counted rows.
    func check() throws(CloudAgentError) -> [String] {
        var findings = try database.inspect()
        let questions = [
            (
                "An account counts other messages than it has",
                "SELECT COUNT(*) FROM accounts WHERE count <> (SELECT COUNT(*) FROM messages "
                    + "WHERE account = accounts.number) OR bytes <> (SELECT COALESCE(SUM(size), 0) FROM messages "
                    + "WHERE account = accounts.number)"
            ),
            (
                "A key counts other messages than it has",
                "SELECT COUNT(*) FROM client_keys WHERE count <> (SELECT COUNT(*) FROM messages WHERE key = client_keys.number "
                    + "AND account = client_keys.account)"
            ),
            (
                "A message, a key, a request or a wake-up belongs to no account",
                "SELECT (SELECT COUNT(*) FROM messages WHERE account NOT IN (SELECT number FROM accounts)) "
                    + "+ (SELECT COUNT(*) FROM client_keys WHERE account NOT IN (SELECT number FROM accounts)) "
                    + "+ (SELECT COUNT(*) FROM requests WHERE account NOT IN (SELECT number FROM accounts)) "
                    + "+ (SELECT COUNT(*) FROM forgotten_requests WHERE account NOT IN (SELECT number FROM accounts)) "
                    + "+ (SELECT COUNT(*) FROM wakes WHERE account NOT IN (SELECT number FROM accounts)) "
                    + "+ (SELECT COUNT(*) FROM own_keys WHERE account IS NOT NULL "
                    + "AND account NOT IN (SELECT number FROM accounts))"
            ),
            (
                "A key is registered with a routing key that there is not",
                "SELECT COUNT(*) FROM client_keys WHERE routing NOT IN (SELECT hash FROM own_keys)"
            ),
            ("A message has another size than it says", "SELECT COUNT(*) FROM messages WHERE size <> LENGTH(envelope)"),
            (
                "A message stands behind where its queue ends",
                "SELECT COUNT(*) FROM messages WHERE position > (SELECT position FROM accounts "
                    + "WHERE number = messages.account)"
            ),
        ]
        for (sentence, sql) in questions {
            let count = try database.first(sql)?.count(0) ?? 0
            if count > 0 { findings.append("\(sentence) (\(count) times).") }
        }
        return findings
    }
}
