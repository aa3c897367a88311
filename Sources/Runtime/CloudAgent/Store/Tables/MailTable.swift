public import Aries
import Determinism

/// The messages that wait for clients, in one transaction of a store.
///
/// The rows of accounts and of their keys hold counts of their messages, which this table updates when it removes
/// messages; `MailBatchWriter` adds them.
public struct MailTable {
    let database: any MediatorDatabaseConnection

    // Fetching messages.

    /// The oldest of the selected messages: at least one, however large, and as many as `limit` and `maximumBytes`
    /// allow.
    public func fetch(
        _ selection: MailSelection, of account: Int64, limit: Int, maximumBytes: Int
    ) throws(CloudAgentError) -> [QueuedMessage] {
        switch selection {
        case .after(let position, let key, let exceptions):
            var values: [StoreValue] = [.integer(account), .integer(Int64(clamping: position))]
            var clause = "account = $1 AND position > $2"
            if let key {
                guard let number = try number(of: key, account: account) else { return [] }
                values.append(.integer(number))
                clause += " AND key = $3"
            }
            if !exceptions.isEmpty { clause += " AND position NOT IN \(Self.list(exceptions, into: &values))" }
            let found = try messages(clause, values, limit: limit, maximumBytes: maximumBytes)
            guard found.isEmpty, position > 0, try isAhead(position, of: account) else { return found }
            return try fetch(
                .after(0, key: key, except: exceptions), of: account, limit: limit, maximumBytes: maximumBytes)
        case .ids(let ids):
            var found: [QueuedMessage] = []
            var bytes = 0
            for id in ids {
                guard let (position, tag) = StoredMessageID.read(id) else { continue }
                let row = try database.first(
                    "SELECT position, tag, arrived, envelope FROM messages "
                        + "WHERE account = $1 AND position = $2 AND tag = $3",
                    [.integer(account), .integer(position), .integer(tag)])
                guard let message = try row.map({ (row) throws(CloudAgentError) in try Self.message(row) }) else {
                    continue
                }
                bytes += message.envelope.count
                guard found.isEmpty || found.count < limit && bytes <= maximumBytes else { break }
                found.append(message)
            }
            return found
        }
    }

    /// True when no message of an account ever had a position, because the store went back to before that.
    private func isAhead(_ position: UInt64, of account: Int64) throws(CloudAgentError) -> Bool {
        let row = try database.first("SELECT position FROM accounts WHERE number = $1", [.integer(account)])
        return try row.map { (row) throws(CloudAgentError) in try row.integer(0) < Int64(clamping: position) } ?? false
    }

    /// A list of positions for a statement, and its values.
    ///
    /// The list is filled up to a power of two with a position that no message has, so that a connection prepares few
    /// different statements.
    private static func list(_ positions: [UInt64], into values: inout [StoreValue]) -> String {
        var count = 8
        while count < positions.count { count *= 2 }
        let names = (values.count + 1...values.count + count).map { "$\($0)" }
        values += positions.map { .integer(Int64(clamping: $0)) }
        values += repeatElement(.integer(-1), count: count - positions.count)
        return "(\(names.joined(separator: ", ")))"
    }

    private func messages(
        _ clause: String, _ values: [StoreValue], limit: Int, maximumBytes: Int
    ) throws(CloudAgentError) -> [QueuedMessage] {
        // The sizes first, so that no more is read than is delivered.
        let sizes = try database.rows(
            "SELECT position, size FROM messages WHERE \(clause) ORDER BY position LIMIT $\(values.count + 1)",
            values + [.integer(Int64(limit))])
        var last: Int64?
        var sum = 0
        for row in sizes {
            sum += try row.count(1)
            guard last == nil || sum <= maximumBytes else { break }
            last = try row.integer(0)
        }
        guard let last else { return [] }
        return try database.rows(
            "SELECT position, tag, arrived, envelope FROM messages WHERE \(clause) "
                + "AND position <= $\(values.count + 1) ORDER BY position", values + [.integer(last)]
        ).map { (row) throws(CloudAgentError) in try Self.message(row) }
    }

    private static func message(_ row: StoreRow) throws(CloudAgentError) -> QueuedMessage {
        let position = UInt64(try row.count(0))
        return QueuedMessage(
            position: position, id: StoredMessageID.text(position: position, tag: UInt32(clamping: try row.integer(1))),
            arrival: WallTime(millisecondsSinceEpoch: try row.integer(2)), envelope: try row.blob(3))
    }

    /// The state of a queue, for one key or for all, without the messages at some positions.
    ///
    /// It reads three rows, however long the queue is: the queue's counts, its first message and its last; and one for
    /// each exception.
    public func status(
        of account: Int64, key: KeyHash?, except exceptions: [UInt64] = []
    ) throws(CloudAgentError) -> QueueStatus {
        var values: [StoreValue] = [.integer(account)]
        var counts = "accounts"
        if let key {
            guard let number = try number(of: key, account: account) else { return .empty }
            values.append(.integer(number))
            counts = "client_keys"
        }
        let counted = try database.first(
            "SELECT count, bytes FROM \(counts) WHERE number = $1", [values[values.count - 1]])
        guard let counted, try counted.count(0) > 0 else { return .empty }
        var (count, bytes) = (try counted.count(0), try counted.count(1))
        var clause = "FROM messages WHERE account = $1" + (key == nil ? "" : " AND key = $2")
        if !exceptions.isEmpty {
            let list = Self.list(exceptions, into: &values)
            let found = try database.first(
                "SELECT CAST(COUNT(*) AS BIGINT), CAST(COALESCE(SUM(size), 0) AS BIGINT) "
                    + clause + " AND position IN \(list)", values)
            count -= try found?.count(0) ?? 0
            bytes -= try found?.count(1) ?? 0
            clause += " AND position NOT IN \(list)"
        }
        clause += " ORDER BY position"
        guard let first = try database.first("SELECT arrived \(clause) LIMIT 1", values),
            let last = try database.first("SELECT arrived, position \(clause) DESC LIMIT 1", values)
        else { return .empty }
        return QueueStatus(
            count: count, bytes: bytes,
            oldest: WallTime(millisecondsSinceEpoch: try first.integer(0)),
            newest: WallTime(millisecondsSinceEpoch: try last.integer(0)),
            newestPosition: UInt64(try last.count(1)))
    }

    private func number(of key: KeyHash, account: Int64) throws(CloudAgentError) -> Int64? {
        try database.first(
            "SELECT number FROM client_keys WHERE hash = $1 AND account = $2", [.blob(key.bytes), .integer(account)]
        ).map { (row) throws(CloudAgentError) in try row.integer(0) }
    }

    // Removing messages.

    /// Removes messages; identifiers that the account does not have are ignored.
    ///
    /// - Returns: how many bytes the removed messages had.
    func remove(_ ids: [String], of account: Int64) throws(CloudAgentError) -> Int {
        var removed: [StoreRow] = []
        for id in ids {
            guard let (position, tag) = StoredMessageID.read(id) else { continue }
            removed += try database.rows(
                "DELETE FROM messages WHERE account = $1 AND position = $2 AND tag = $3 RETURNING account, key, size",
                [.integer(account), .integer(position), .integer(tag)])
        }
        try settle(removed)
        var bytes = 0
        for row in removed { bytes += try row.count(2) }
        return bytes
    }

    /// Removes messages that came before `time`, among the `limit` oldest ones; returns how many.
    func prune(before time: WallTime, limit: Int) throws(CloudAgentError) -> Int {
        let removed = try database.rows(
            "DELETE FROM messages WHERE arrived < $1 AND slot IN (SELECT slot FROM messages ORDER BY slot LIMIT $2) "
                + "RETURNING account, key, size",
            [.integer(time.millisecondsSinceEpoch), .integer(Int64(limit))])
        try settle(removed)
        return removed.count
    }

    /// Removes all messages of a client's key.
    func remove(key number: Int64, of account: Int64) throws(CloudAgentError) {
        try settle(
            database.rows(
                "DELETE FROM messages WHERE account = $1 AND key = $2 RETURNING account, key, size",
                [.integer(account), .integer(number)]))
    }

    /// Subtracts removed messages from the counts.
    private func settle(_ removed: [StoreRow]) throws(CloudAgentError) {
        var accounts: [Int64: (Int64, Int64)] = [:]
        var keys: [Int64: (Int64, Int64)] = [:]
        for row in removed {
            let size = try row.integer(2)
            let (account, key) = (
                accounts[try row.integer(0), default: (0, 0)], keys[try row.integer(1), default: (0, 0)]
            )
            accounts[try row.integer(0)] = (account.0 + 1, account.1 + size)
            keys[try row.integer(1)] = (key.0 + 1, key.1 + size)
        }
        for (number, (count, bytes)) in accounts.sorted(by: { $0.key < $1.key }) {
            try release("accounts", number, count: count, bytes: bytes)
        }
        for (number, (count, bytes)) in keys.sorted(by: { $0.key < $1.key }) {
            try release("client_keys", number, count: count, bytes: bytes)
        }
    }
    private func release(_ table: String, _ number: Int64, count: Int64, bytes: Int64) throws(CloudAgentError) {
        try database.run(
            "UPDATE \(table) SET count = count - $1, bytes = bytes - $2 WHERE number = $3",
            [.integer(count), .integer(bytes), .integer(number)])
    }
}
