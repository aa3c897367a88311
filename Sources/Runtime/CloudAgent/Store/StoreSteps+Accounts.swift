import Aries
import Determinism

/// Accounts, settings, upkeep.
extension StoreSteps {
    func openAccount(_ body: [UInt8], keys: [OwnKey], at now: WallTime) throws(CloudAgentError) -> Int64 {
        let count = try database.first("SELECT COUNT(*) FROM accounts")
        guard try count?.count(0) ?? 0 < limits.maximumAccounts else {
            throw CloudAgentError(
                .accountsFull, "There are \(limits.maximumAccounts) accounts, as many as are allowed.")
        }
        let time = StoreValue.integer(now.millisecondsSinceEpoch)
        let made = try database.first(
            "INSERT INTO accounts (created, seen, served, body, count, bytes, position) "
                + "VALUES ($1, $2, 0, $3, 0, 0, 0) RETURNING number", [time, time, .blob(body)])
        guard let number = try made.map({ (row) throws(CloudAgentError) in try row.integer(0) }) else {
            throw CloudAgentError(.damaged, "The database gives a new account no number.")
        }
        for key in keys {
            if key.kind == .connection, try isClosed(key.hash) {
                throw CloudAgentError(.keyTaken, "The account with this connection was closed.")
            }
            try add(key, account: number)
        }
        return number
    }

    func account(_ number: Int64) throws(CloudAgentError) -> AccountEntry? {
        let row = try database.first(
            "SELECT number, created, seen, served, body FROM accounts WHERE number = $1", [.integer(number)])
        return try row.map { (row) throws(CloudAgentError) in try entry(row) }
    }

    func accounts(after number: Int64, limit: Int) throws(CloudAgentError) -> [AccountEntry] {
        try database.rows(
            "SELECT number, created, seen, served, body FROM accounts WHERE number > $1 ORDER BY number LIMIT $2",
            [.integer(number), .integer(Int64(limit))]
        ).map { (row) throws(CloudAgentError) in try entry(row) }
    }

    /// Reads nothing but the index of those that are not served.
    static let unservedQuery =
        "SELECT number, created, seen, served, body FROM accounts WHERE served = 0 "
        + "AND created < $1 AND (created, number) > ($2, $3) ORDER BY created, number LIMIT $4"

    func unserved(
        before time: WallTime, after last: AccountEntry?, limit: Int
    ) throws(CloudAgentError) -> [AccountEntry] {
        try database.rows(
            Self.unservedQuery,
            [
                .integer(time.millisecondsSinceEpoch), .integer(last?.created.millisecondsSinceEpoch ?? .min),
                .integer(last?.number ?? 0), .integer(Int64(limit)),
            ]
        ).map { (row) throws(CloudAgentError) in try entry(row) }
    }

    func busiest(limit: Int) throws(CloudAgentError) -> [AccountEntry] {
        try database.rows(
            "SELECT number, created, seen, served, body FROM accounts WHERE count > 0 "
                + "ORDER BY count DESC, number LIMIT $1", [.integer(Int64(limit))]
        ).map { (row) throws(CloudAgentError) in try entry(row) }
    }

    /// The accounts whose clients were not heard since `time`: those first that are not served, then those that were silent longest.
    func silent(
        since time: WallTime, heardWithin span: Duration?, limit: Int
    ) throws(CloudAgentError) -> [AccountEntry] {
        try database.rows(
            "SELECT number, created, seen, served, body FROM accounts WHERE seen < $1 AND seen - created <= $2 "
                + "ORDER BY served, seen, number LIMIT $3",
            [
                .integer(time.millisecondsSinceEpoch),
                .integer(span.map { Int64(clamping: $0.components.seconds) * 1000 } ?? .max), .integer(Int64(limit)),
            ]
        ).map { (row) throws(CloudAgentError) in try entry(row) }
    }

    private func entry(_ row: StoreRow) throws(CloudAgentError) -> AccountEntry {
        let number = try row.integer(0)
        return AccountEntry(
            number: number, created: WallTime(millisecondsSinceEpoch: try row.integer(1)),
            seen: WallTime(millisecondsSinceEpoch: try row.integer(2)), isServed: try row.integer(3) != 0,
            body: try row.blob(4), queue: try status(of: number, key: nil),
            keyCount: try keys(of: number, offset: 0, limit: 0).total)
    }

    func update(
        _ number: Int64, body: [UInt8]?, isServed: Bool?, seen: WallTime?
    ) throws(CloudAgentError) {
        let made = try database.first(
            "UPDATE accounts SET body = COALESCE($1, body), served = COALESCE($2, served), "
                + "seen = COALESCE($3, seen) WHERE number = $4 RETURNING number",
            [
                body.map { .blob($0) } ?? .null, isServed.map { .integer($0 ? 1 : 0) } ?? .null,
                seen.map { .integer($0.millisecondsSinceEpoch) } ?? .null, .integer(number),
            ])
        guard made != nil else { throw CloudAgentError(.accountUnknown, "There is no such account.") }
    }

    func closeAccount(_ number: Int64, allowsReopening: Bool) throws(CloudAgentError) -> Bool {
        if !allowsReopening { try rememberConnection(of: number) }
        for table in [
            "messages", "client_keys", "own_keys", "requests", "forgotten_requests", "wakes", "holds",
        ] {
            try database.run("DELETE FROM \(table) WHERE account = $1", [.integer(number)])
        }
        let gone = try database.first("DELETE FROM accounts WHERE number = $1 RETURNING number", [.integer(number)])
        if gone != nil { try signal(.closed, number, from: 0) }
        return gone != nil
    }

    func setting(_ name: String) throws(CloudAgentError) -> [UInt8]? {
        try database.first("SELECT value FROM agent_settings WHERE name = $1", [.blob(Array(name.utf8))])
            .map { (row) throws(CloudAgentError) in try row.blob(0) }
    }

    func settle(_ name: String, _ value: [UInt8]) throws(CloudAgentError) -> [UInt8] {
        try database.run(
            "INSERT INTO agent_settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
            [.blob(Array(name.utf8)), .blob(value)])
        return try setting(name) ?? value
    }

    func totals() throws(CloudAgentError) -> StoreTotals {
        var totals = StoreTotals()
        if let row = try database.first(
            "SELECT COUNT(*), CAST(COALESCE(SUM(count), 0) AS BIGINT), CAST(COALESCE(SUM(bytes), 0) AS BIGINT) "
                + "FROM accounts")
        {
            (totals.accounts, totals.messages, totals.bytes) = (try row.count(0), try row.count(1), try row.count(2))
        }
        totals.keys = try database.first("SELECT COUNT(*) FROM client_keys")?.count(0) ?? 0
        let oldest = try database.first("SELECT arrived FROM messages ORDER BY slot LIMIT 1")
        totals.oldest = try oldest.map { (row) throws(CloudAgentError) in
            WallTime(millisecondsSinceEpoch: try row.integer(0))
        }
        return totals
    }

    /// How many bytes all messages have.
    func messageBytes() throws(CloudAgentError) -> Int {
        try database.first("SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM accounts")?.count(0) ?? 0
    }

    /// Compares envelopes behind a place with their digests.
    ///
    /// - Returns: the place of the last one that was looked at, nil when there are no more; how many have other bytes than
    ///   were accepted, and of how many that is not known.
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
            if EnvelopeDigest.of(try row.blob(1)) != digest { result.changed += 1 }
        }
        return result
    }

    /// What the numbers that are kept say, against what there is.
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
