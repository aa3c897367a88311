import Aries
import Determinism

/// What a store does within one step, the same in every engine.
struct StoreSteps {
    let database: any AgentDatabase
    let limits: StoreLimits

    /// One account may have a part of the room that the store has left: so much that others still have theirs.
    private static let shares = 4

    // Mail.

    /// - Parameters:
    ///   - digest: of the envelope, made before the step.
    ///   - room: how many bytes all messages together may have beyond what they have.
    /// - Returns: what became of it, and whom to tell.
    func accept(
        _ mail: NewMail, digest: Int64, room: Int
    ) throws(CloudAgentError) -> (outcome: ForwardIntake.Outcome, account: Int64?) {
        let size = Int64(mail.envelope.count)
        let found = try database.first(
            "SELECT number, account FROM client_keys WHERE hash = $1 AND routing = $2",
            [.blob(mail.recipient.bytes), .blob(mail.routing.bytes)])
        guard let found else {
            let own = try ownKey(mail.recipient)
            return (own?.kind == .routing ? .isRoutingKey : .unknown, nil)
        }
        let (key, account) = (try found.integer(0), try found.integer(1))
        guard let ofKey = try occupy("client_keys", key, size, limits.key) else { return (.full, nil) }
        // The fuller the store, the less may wait for each account, so that none takes the room of all.
        var quota = limits.account
        quota.hard.bytes = min(quota.hard.bytes, room / Self.shares)
        guard let ofAccount = try occupy("accounts", account, size, quota) else {
            try release("client_keys", key, count: 1, bytes: size)
            return (.full, nil)
        }
        try database.run(
            "INSERT INTO messages (account, position, key, tag, arrived, size, envelope, digest) "
                + "VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            [
                .integer(account), .integer(ofAccount.position), .integer(key), .integer(Int64(mail.tag)),
                .integer(mail.arrival.millisecondsSinceEpoch), .integer(size), .blob(mail.envelope), .integer(digest),
            ])
        return (ofKey.isOverSoftLimit || ofAccount.isOverSoftLimit ? .storedOverSoftLimit : .stored, account)
    }

    /// Takes room in a queue; nil when there is none.
    private func occupy(
        _ table: String, _ number: Int64, _ size: Int64, _ quota: MailboxQuota
    ) throws(CloudAgentError) -> (position: Int64, isOverSoftLimit: Bool)? {
        let row = try database.first(
            "UPDATE \(table) SET count = count + 1, bytes = bytes + $1, position = position + 1 "
                + "WHERE number = $2 AND count < $3 AND bytes <= $4 RETURNING position, count, bytes",
            [
                .integer(size), .integer(number), .integer(Int64(quota.hard.count)),
                .integer(Int64(quota.hard.bytes) - size),
            ])
        guard let row else { return nil }
        let (count, bytes) = (try row.count(1), try row.count(2))
        return (try row.integer(0), count > quota.soft.count || bytes > quota.soft.bytes)
    }

    private func release(_ table: String, _ number: Int64, count: Int64, bytes: Int64) throws(CloudAgentError) {
        try database.run(
            "UPDATE \(table) SET count = count - $1, bytes = bytes - $2 WHERE number = $3",
            [.integer(count), .integer(bytes), .integer(number)])
    }

    func fetch(
        _ selection: MailSelection, of account: Int64, limit: Int, maximumBytes: Int
    ) throws(CloudAgentError) -> [QueuedMessage] {
        switch selection {
        case .after(let position, let key):
            return try messages(of: account, behind: position, key: key, limit: limit, maximumBytes: maximumBytes)
        case .ids(let ids):
            var found: [QueuedMessage] = []
            var bytes = 0
            for id in ids {
                guard let (position, tag) = MessageID.read(id) else { continue }
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

    private func messages(
        of account: Int64, behind position: UInt64, key: KeyHash?, limit: Int, maximumBytes: Int
    ) throws(CloudAgentError) -> [QueuedMessage] {
        var values: [StoreValue] = [.integer(account), .integer(Int64(clamping: position))]
        if let key {
            guard let number = try number(of: key, account: account) else { return [] }
            values.append(.integer(number))
        }
        let place = "account = $1 AND position > $2" + (key == nil ? "" : " AND key = $3")
        // The sizes first, so that no more is read than goes out.
        let sizes = try database.rows(
            "SELECT position, size FROM messages WHERE \(place) ORDER BY position LIMIT $\(values.count + 1)",
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
            "SELECT position, tag, arrived, envelope FROM messages WHERE \(place) "
                + "AND position <= $\(values.count + 1) ORDER BY position", values + [.integer(last)]
        ).map { (row) throws(CloudAgentError) in try Self.message(row) }
    }

    private static func message(_ row: StoreRow) throws(CloudAgentError) -> QueuedMessage {
        let position = UInt64(try row.count(0))
        return QueuedMessage(
            position: position, id: MessageID.text(position: position, tag: UInt32(clamping: try row.integer(1))),
            arrival: WallTime(millisecondsSinceEpoch: try row.integer(2)), envelope: try row.blob(3))
    }

    /// However much waits, three rows are read: the queue's own counts, its first message and its last.
    func status(of account: Int64, key: KeyHash?) throws(CloudAgentError) -> QueueStatus {
        var values: [StoreValue] = [.integer(account)]
        var counts = "accounts"
        if let key {
            guard let number = try number(of: key, account: account) else { return .empty }
            values.append(.integer(number))
            counts = "client_keys"
        }
        let counted = try database.first(
            "SELECT count, bytes FROM \(counts) WHERE number = $1", [values[values.count - 1]])
        let place = "FROM messages WHERE account = $1" + (key == nil ? "" : " AND key = $2") + " ORDER BY position"
        guard let counted, try counted.count(0) > 0,
            let first = try database.first("SELECT arrived \(place) LIMIT 1", values),
            let last = try database.first("SELECT arrived, position \(place) DESC LIMIT 1", values)
        else { return .empty }
        return QueueStatus(
            count: try counted.count(0), bytes: try counted.count(1),
            oldest: WallTime(millisecondsSinceEpoch: try first.integer(0)),
            newest: WallTime(millisecondsSinceEpoch: try last.integer(0)),
            newestPosition: UInt64(try last.count(1)))
    }

    /// - Returns: how many bytes the messages had that are gone.
    func remove(_ ids: [String], of account: Int64) throws(CloudAgentError) -> Int {
        var removed: [StoreRow] = []
        for id in ids {
            guard let (position, tag) = MessageID.read(id) else { continue }
            removed += try database.rows(
                "DELETE FROM messages WHERE account = $1 AND position = $2 AND tag = $3 RETURNING account, key, size",
                [.integer(account), .integer(position), .integer(tag)])
        }
        try settle(removed)
        var bytes = 0
        for row in removed { bytes += try row.count(2) }
        return bytes
    }

    /// Gives back the room of messages that are gone.
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

    func prune(before time: WallTime, limit: Int) throws(CloudAgentError) -> Int {
        let removed = try database.rows(
            "DELETE FROM messages WHERE arrived < $1 AND slot IN (SELECT slot FROM messages ORDER BY slot LIMIT $2) "
                + "RETURNING account, key, size",
            [.integer(time.millisecondsSinceEpoch), .integer(Int64(limit))])
        try settle(removed)
        return removed.count
    }

    // Keys.

    private func number(of key: KeyHash, account: Int64) throws(CloudAgentError) -> Int64? {
        try database.first(
            "SELECT number FROM client_keys WHERE hash = $1 AND account = $2", [.blob(key.bytes), .integer(account)]
        ).map { (row) throws(CloudAgentError) in try row.integer(0) }
    }

    /// Other accounts may have the same key: what is answered says nothing of them.
    func change(_ change: StoredKeyChange, of account: Int64) throws(CloudAgentError) -> KeyChange.Result {
        let found = try database.first(
            "SELECT number, routing FROM client_keys WHERE hash = $1 AND account = $2",
            [.blob(change.hash.bytes), .integer(account)])
        guard let found else {
            guard change.isAddition else { return .noChange }
            guard try keyCount(of: account) < limits.maximumKeys, try ownKey(change.hash) == nil else {
                return .clientError
            }
            try add(change, account)
            return .success
        }
        if change.isAddition { return .noChange }
        try remove(number: found.integer(0), change.hash, routing: found.hash(1), of: account)
        return .success
    }

    private func add(_ key: StoredKeyChange, _ account: Int64) throws(CloudAgentError) {
        try database.run(
            "INSERT INTO client_keys (hash, account, routing, body, count, bytes, position) "
                + "VALUES ($1, $2, $3, $4, 0, 0, 0)",
            [.blob(key.hash.bytes), .integer(account), .blob(key.routing.bytes), .blob(key.body)])
    }

    /// A routing key that nobody shares goes with its key, and so does what waits.
    private func remove(
        number: Int64, _ hash: KeyHash, routing: KeyHash, of account: Int64
    ) throws(CloudAgentError) {
        let isPlace = try database.first(
            "DELETE FROM own_keys WHERE hash = $1 AND place = $2 RETURNING kind",
            [.blob(routing.bytes), .blob(hash.bytes)])
        if isPlace != nil {
            try settle(
                database.rows(
                    "DELETE FROM messages WHERE account = $1 AND key = $2 RETURNING account, key, size",
                    [.integer(account), .integer(number)]))
        }
        try database.run("DELETE FROM client_keys WHERE number = $1", [.integer(number)])
    }

    private func keyCount(of account: Int64) throws(CloudAgentError) -> Int {
        let row = try database.first("SELECT COUNT(*) FROM client_keys WHERE account = $1", [.integer(account)])
        return try row?.count(0) ?? 0
    }

    func keys(
        of account: Int64, offset: Int, limit: Int
    ) throws(CloudAgentError) -> (bodies: [[UInt8]], total: Int) {
        let rows = try database.rows(
            "SELECT body FROM client_keys WHERE account = $1 ORDER BY number LIMIT $2 OFFSET $3",
            [.integer(account), .integer(Int64(limit)), .integer(Int64(offset))])
        let bodies = try rows.map { (row) throws(CloudAgentError) in try row.blob(0) }
        return (bodies, try keyCount(of: account))
    }

    func openPlace(
        _ key: StoredKeyChange, routing: OwnKey, of account: Int64
    ) throws(CloudAgentError) -> OwnKey? {
        let found = try database.first(
            "SELECT routing FROM client_keys WHERE hash = $1 AND account = $2",
            [.blob(key.hash.bytes), .integer(account)])
        if let found {
            let isPlace = try database.first(
                "SELECT kind FROM own_keys WHERE hash = $1 AND place = $2",
                [.blob(try found.blob(0)), .blob(key.hash.bytes)])
            return isPlace == nil ? nil : try ownKey(found.hash(0))
        }
        guard try keyCount(of: account) < limits.maximumKeys, try ownKey(key.hash) == nil else { return nil }
        try add(routing, account: account, place: key.hash)
        try add(key, account)
        return OwnKey(routing.hash, routing.kind, account: account, body: routing.body)
    }

    // Keys of the agent.

    func ownKey(_ hash: KeyHash) throws(CloudAgentError) -> OwnKey? {
        let row = try database.first("SELECT kind, account, body FROM own_keys WHERE hash = $1", [.blob(hash.bytes)])
        guard let row else { return nil }
        guard let kind = OwnKey.Kind(rawValue: try row.integer(0)) else {
            throw CloudAgentError(.damaged, "A key of the agent is of no kind that there is.")
        }
        return OwnKey(hash, kind, account: try row.optionalInteger(1), body: try row.blob(2))
    }

    func add(_ key: OwnKey, account: Int64?, place: KeyHash? = nil) throws(CloudAgentError) {
        let made = try database.first(
            "INSERT INTO own_keys (hash, kind, account, place, body) VALUES ($1, $2, $3, $4, $5) "
                + "ON CONFLICT (hash) DO NOTHING RETURNING kind",
            [
                .blob(key.hash.bytes), .integer(key.kind.rawValue), account.map { .integer($0) } ?? .null,
                place.map { .blob($0.bytes) } ?? .null, .blob(key.body),
            ])
        guard made != nil else { throw CloudAgentError(.keyTaken, "A key of the agent is there already.") }
    }
}
