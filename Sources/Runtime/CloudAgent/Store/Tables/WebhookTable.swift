public import Determinism

/// The webhooks of clients, in one transaction of a store.
public struct WebhookTable {
    let database: any MediatorDatabaseConnection

    /// Sets the webhook of an account's client, from the next message on; nil removes it.
    ///
    /// - Throws: `cloud.account.unknown`.
    public func set(_ body: [UInt8]?, of account: Int64) throws(CloudAgentError) {
        let row = try database.first("SELECT position FROM accounts WHERE number = $1", [.integer(account)])
        guard let row else { throw CloudAgentError(.accountUnknown, "There is no such account.") }
        guard let body else {
            return try database.run("DELETE FROM wakes WHERE account = $1", [.integer(account)])
        }
        try database.run(
            "INSERT INTO wakes (account, body, position, woken) VALUES ($1, $2, $3, 0) "
                + "ON CONFLICT (account) DO UPDATE SET body = excluded.body, position = excluded.position",
            [.integer(account), .blob(body), .integer(try row.integer(0))])
    }

    /// The webhook of an account's client; nil for none.
    public func entry(of account: Int64) throws(CloudAgentError) -> WebhookEntry? {
        let row = try database.first(
            "SELECT wakes.body, wakes.position, wakes.woken, accounts.position, accounts.count FROM wakes "
                + "JOIN accounts ON accounts.number = wakes.account WHERE wakes.account = $1", [.integer(account)])
        return try row.map { (row) throws(CloudAgentError) in
            let woken = try row.integer(2)
            return WebhookEntry(
                body: try row.blob(0), settled: UInt64(try row.count(1)),
                woken: woken == 0 ? nil : WallTime(millisecondsSinceEpoch: woken), newest: UInt64(try row.count(3)),
                count: try row.count(4))
        }
    }

    /// The accounts with greater numbers than `number` whose clients should be woken: messages wait behind the settled
    /// position.
    public func due(after number: Int64, limit: Int) throws(CloudAgentError) -> [Int64] {
        try database.rows(
            "SELECT wakes.account FROM wakes JOIN accounts ON accounts.number = wakes.account "
                + "WHERE wakes.account > $1 AND accounts.count > 0 AND accounts.position > wakes.position "
                + "ORDER BY wakes.account LIMIT $2", [.integer(number), .integer(Int64(limit))]
        ).map { (row) throws(CloudAgentError) in try row.integer(0) }
    }

    /// Settles wake-ups for messages up to this position; does nothing when they were settled, or there is no webhook.
    ///
    /// - Parameter woken: when the client was woken; nil when it was not.
    public func settle(of account: Int64, upTo position: UInt64, woken: WallTime?) throws(CloudAgentError) {
        try database.run(
            "UPDATE wakes SET position = $1, woken = COALESCE($2, woken) WHERE account = $3 AND position < $1",
            [
                .integer(Int64(clamping: position)), woken.map { .integer($0.millisecondsSinceEpoch) } ?? .null,
                .integer(account),
            ])
    }
}
