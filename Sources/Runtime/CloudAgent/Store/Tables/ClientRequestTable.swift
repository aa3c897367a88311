import Determinism

/// The requests of clients, each processed once, in one transaction of a store.
public struct ClientRequestTable {
    let database: any MediatorDatabaseConnection
    let limits: StoreLimits
    let accounts: AccountTable
    let keys: ClientKeyTable
    let wakes: WebhookTable

    /// Makes a change unless its request came before; remembers the request with its answer in the same step.
    ///
    /// - Parameters:
    ///   - request: nil for a change without a request of a client.
    ///   - answer: makes the answer to store.
    /// - Throws: `cloud.account.unknown`, `cloud.key.taken`.
    public func perform(
        _ change: AccountChange, of account: Int64, by request: StoredClientRequest?,
        answer: (AccountChange.Result) -> [UInt8]
    ) throws(CloudAgentError) -> StoredRequestOutcome<AccountChange.Result> {
        guard try database.first("SELECT number FROM accounts WHERE number = $1", [.integer(account)]) != nil else {
            throw CloudAgentError(.accountUnknown, "There is no such account.")
        }
        if case .heard(_, unless: let id) = change, try keptAnswer(to: id, of: account) != nil {
            return .repeated(answer: [])
        }
        guard let request else { return .first(try perform(change, of: account)) }
        if let known = try recall(request, of: account) {
            return known.map { .repeated(answer: $0) } ?? .outdated
        }
        let result = try perform(change, of: account)
        try remember(request, answer: answer(result), of: account)
        return .first(result)
    }

    /// The stored answer to a remembered request; nil for another.
    public func answer(to id: KeyHash, of account: Int64) throws(CloudAgentError) -> [UInt8]? {
        try keptAnswer(to: id, of: account)
    }

    /// Forgets a request with its answer.
    ///
    /// - Returns: whether it was remembered.
    public func forget(_ id: KeyHash, of account: Int64) throws(CloudAgentError) -> Bool {
        let forgotten = try database.rows(
            "DELETE FROM requests WHERE account = $1 AND id = $2 RETURNING id", [.integer(account), .blob(id.bytes)])
        return !forgotten.isEmpty
    }

    private func perform(
        _ change: AccountChange, of account: Int64
    ) throws(CloudAgentError) -> AccountChange.Result {
        switch change {
        case .nothing: return .done
        case .serve(let now):
            try accounts.update(account, body: nil, isServed: true, seen: now)
            return .done
        case .keys(let changes):
            return .keys(
                try changes.map { (change) throws(CloudAgentError) in try keys.change(change, of: account) })
        case .keyGrant(let key, let routing):
            return .keyGrant(try keys.openKeyGrant(key, routing: routing, of: account))
        case .body(let body):
            try accounts.update(account, body: body, isServed: nil, seen: nil)
            return .done
        case .wake(let body):
            try wakes.set(body, of: account)
            return .done
        case .heard(let time, unless: _):
            try database.run(
                "UPDATE accounts SET seen = $1 WHERE number = $2 AND seen < $1",
                [.integer(time.millisecondsSinceEpoch), .integer(account)])
            return .done
        }
    }

    /// Finds the stored answer to a request that came before.
    ///
    /// - Returns: nil for a new request; otherwise its answer, or nil in its place when it may have been forgotten.
    private func recall(
        _ request: StoredClientRequest, of account: Int64
    ) throws(CloudAgentError) -> [UInt8]?? {
        if let known = try keptAnswer(to: request.id, of: account) { return known }
        guard let sent = request.sent else { return nil }
        let forgotten = try database.first(
            "SELECT sent FROM forgotten_requests WHERE account = $1 AND kind = $2 AND sent > $3",
            [.integer(account), .integer(request.kind.rawValue), .integer(sent.millisecondsSinceEpoch)])
        return forgotten == nil ? nil : .some(nil)
    }

    /// The stored answer to a remembered request; nil for another.
    private func keptAnswer(to id: KeyHash, of account: Int64) throws(CloudAgentError) -> [UInt8]? {
        let known = try database.first(
            "SELECT answer FROM requests WHERE account = $1 AND id = $2", [.integer(account), .blob(id.bytes)])
        return try known.map { (row) throws(CloudAgentError) in try row.blob(0) }
    }

    /// Numbers the requests of one account and one kind without gaps, so that the oldest ones follow from their
    /// numbers.
    ///
    /// The newest sending time of the forgotten ones is kept: a request with an earlier sending time is not taken for
    /// a new one.
    private func remember(
        _ request: StoredClientRequest, answer: [UInt8], of account: Int64
    ) throws(CloudAgentError) {
        let columns: [StoreValue] = [.integer(account), .integer(request.kind.rawValue)]
        let last = try database.first(
            "SELECT number FROM requests WHERE account = $1 AND kind = $2 ORDER BY number DESC LIMIT 1", columns)
        let number = 1 + (try last.map { (row) throws(CloudAgentError) in try row.integer(0) } ?? 0)
        try database.run(
            "INSERT INTO requests (account, id, kind, number, sent, answer) VALUES ($1, $2, $3, $4, $5, $6)",
            [
                .integer(account), .blob(request.id.bytes), .integer(request.kind.rawValue), .integer(number),
                .integer(max(0, request.sent?.millisecondsSinceEpoch ?? 0)), .blob(answer),
            ])
        let limit =
            switch request.kind {
            case .changes: limits.rememberedChanges
            case .handsOut: limits.rememberedClaims
            case .sign: StoreLimits.rememberedSigns
            case .shortLink: StoreLimits.shortLinks
            }
        guard number > Int64(limit) else { return }
        let forgotten = try database.rows(
            "DELETE FROM requests WHERE account = $1 AND kind = $2 AND number <= $3 RETURNING sent",
            columns + [.integer(number - Int64(limit))])
        var newest: Int64 = 0
        for row in forgotten { newest = max(newest, try row.integer(0)) }
        guard newest > 0 else { return }
        try database.run(
            "INSERT INTO forgotten_requests (account, kind, sent) VALUES ($1, $2, $3) "
                + "ON CONFLICT (account, kind) DO UPDATE SET sent = excluded.sent "
                + "WHERE forgotten_requests.sent < excluded.sent", columns + [.integer(newest)])
    }
}
