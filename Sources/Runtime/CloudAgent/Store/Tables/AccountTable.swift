public import Determinism

/// The accounts of clients, in one transaction of a store.
public struct AccountTable {
    let database: any MediatorDatabaseConnection
    let limits: StoreLimits
    let usage: StoreUsage
    let ownKeys: MediatorKeyTable
    let mail: MailTable
    let keys: ClientKeyTable
    let connections: ClosedConnectionTable
    let signals: InstanceSignalTable

    /// Opens an account, not served yet, with keys of the mediator for it.
    ///
    /// - Throws: `cloud.accounts.full`; `cloud.key.taken`, also for the connection of an account that was closed.
    public func open(_ body: [UInt8], keys: [MediatorKey], at now: WallTime) throws(CloudAgentError) -> Int64 {
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
            if key.kind == .connection, try connections.isClosed(key.hash) {
                throw CloudAgentError(.keyTaken, "The account with this connection was closed.")
            }
            try ownKeys.add(key, account: number)
        }
        return number
    }

    /// An account; nil for none.
    public func account(_ number: Int64) throws(CloudAgentError) -> AccountEntry? {
        let row = try database.first(
            "SELECT number, created, seen, served, body FROM accounts WHERE number = $1", [.integer(number)])
        return try row.map { (row) throws(CloudAgentError) in try entry(row) }
    }

    /// The accounts with greater numbers than `number`, in the order of their numbers.
    public func list(after number: Int64, limit: Int) throws(CloudAgentError) -> [AccountEntry] {
        try database.rows(
            "SELECT number, created, seen, served, body FROM accounts WHERE number > $1 ORDER BY number LIMIT $2",
            [.integer(number), .integer(Int64(limit))]
        ).map { (row) throws(CloudAgentError) in try entry(row) }
    }

    /// The SQL that lists accounts without mediation, oldest first; it reads only the index of these accounts.
    static let unservedQuery =
        "SELECT number, created, seen, served, body FROM accounts WHERE served = 0 "
        + "AND created < $1 AND (created, number) > ($2, $3) ORDER BY created, number LIMIT $4"

    /// The oldest accounts that were opened before `time` and are not served, behind `last` in the order of their
    /// opening.
    ///
    /// The cost depends on how many are not served, not on how many accounts there are.
    public func unserved(
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

    /// The accounts with the most waiting messages, the longest queue first; those without any are left out.
    public func busiest(limit: Int) throws(CloudAgentError) -> [AccountEntry] {
        try database.rows(
            "SELECT number, created, seen, served, body FROM accounts WHERE count > 0 "
                + "ORDER BY count DESC, number LIMIT $1", [.integer(Int64(limit))]
        ).map { (row) throws(CloudAgentError) in try entry(row) }
    }

    /// The accounts whose clients were not heard since `time`: those first that are not served, then those that were
    /// silent longest.
    ///
    /// - Parameter span: leaves out those whose clients were heard later than this after they were opened; nil for
    ///   none.
    public func silent(
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
            body: try row.blob(4), queue: try mail.status(of: number, key: nil),
            keyCount: try keys.count(of: number))
    }

    /// Changes the record of an account; nil leaves a part as it is.
    ///
    /// - Throws: `cloud.account.unknown`.
    public func update(
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

    /// Removes an account with its keys and its messages, and signals it; false when there was none.
    ///
    /// - Parameter allowsReopening: whether the same request of a client may open an account again; otherwise its
    ///   connection is remembered within `StoreLimits.rememberedConnections`.
    public func close(_ number: Int64, allowsReopening: Bool = false) throws(CloudAgentError) -> Bool {
        usage.forget()
        if !allowsReopening { try connections.remember(number) }
        for table in [
            "messages", "client_keys", "own_keys", "requests", "forgotten_requests", "wakes", "holds",
        ] {
            try database.run("DELETE FROM \(table) WHERE account = $1", [.integer(number)])
        }
        let gone = try database.first("DELETE FROM accounts WHERE number = $1 RETURNING number", [.integer(number)])
        if gone != nil { try signals.add(.closed, number, from: 0) }
        return gone != nil
    }
}

/// The connections of closed accounts, so that the request that opened one opens no other.
struct ClosedConnectionTable {
    let database: any MediatorDatabaseConnection
    let limits: StoreLimits

    /// Remembers the connection of an account that is being closed.
    func remember(_ account: Int64) throws(CloudAgentError) {
        let made = try database.first(
            "INSERT INTO closed_connections (hash) SELECT hash FROM own_keys WHERE account = $1 AND kind = $2 "
                + "ON CONFLICT (hash) DO NOTHING RETURNING number",
            [.integer(account), .integer(MediatorKey.StoredKeyPurpose.connection.rawValue)])
        guard let made else { return }
        try database.run(
            "DELETE FROM closed_connections WHERE number <= $1",
            [.integer(try made.integer(0) - Int64(limits.rememberedConnections))])
    }

    /// Returns true when an account with this connection was closed.
    func isClosed(_ connection: KeyHash) throws(CloudAgentError) -> Bool {
        try database.first("SELECT number FROM closed_connections WHERE hash = $1", [.blob(connection.bytes)]) != nil
    }
}
