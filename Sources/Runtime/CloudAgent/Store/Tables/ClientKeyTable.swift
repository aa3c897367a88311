import Aries

/// The keys that clients have registered, in one transaction of a store.
///
/// A key may be registered by any number of accounts: each has its own registration, and changes of it show
/// nothing of the others.
public struct ClientKeyTable {
    let database: any MediatorDatabaseConnection
    let limits: StoreLimits
    let ownKeys: MediatorKeyTable
    let mail: MailTable

    /// A part of an account's keys in the order of their registration, sealed, and how many there are.
    public func list(
        of account: Int64, offset: Int, limit: Int
    ) throws(CloudAgentError) -> (bodies: [[UInt8]], total: Int) {
        let rows = try database.rows(
            "SELECT body FROM client_keys WHERE account = $1 ORDER BY number LIMIT $2 OFFSET $3",
            [.integer(account), .integer(Int64(limit)), .integer(Int64(offset))])
        let bodies = try rows.map { (row) throws(CloudAgentError) in try row.blob(0) }
        return (bodies, try count(of: account))
    }

    func count(of account: Int64) throws(CloudAgentError) -> Int {
        let row = try database.first("SELECT COUNT(*) FROM client_keys WHERE account = $1", [.integer(account)])
        return try row?.count(0) ?? 0
    }

    /// Adds or removes a key; the result shows nothing of other accounts' registrations.
    func change(_ change: StoredKeyChange, of account: Int64) throws(CloudAgentError) -> KeylistUpdate.Result {
        let found = try database.first(
            "SELECT number, routing FROM client_keys WHERE hash = $1 AND account = $2",
            [.blob(change.hash.bytes), .integer(account)])
        guard let found else {
            guard change.isAddition else { return .noChange }
            guard try count(of: account) < limits.maximumKeys, try ownKeys.key(change.hash) == nil else {
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

    /// Removes a key with its messages, and its routing key if no other key shares it.
    private func remove(
        number: Int64, _ hash: KeyHash, routing: KeyHash, of account: Int64
    ) throws(CloudAgentError) {
        if try ownKeys.removeExclusive(routing, of: hash) { try mail.remove(key: number, of: account) }
        try database.run("DELETE FROM client_keys WHERE number = $1", [.integer(number)])
    }

    /// Registers a key with a routing key of its own.
    ///
    /// - Returns: the routing key that the key has now, the new one or the one that it had before; nil when it shares
    ///   one with the account's other keys, is a key of the mediator, or the account may have no more keys.
    func openKeyGrant(
        _ key: StoredKeyChange, routing: MediatorKey, of account: Int64
    ) throws(CloudAgentError) -> MediatorKey? {
        let found = try database.first(
            "SELECT routing FROM client_keys WHERE hash = $1 AND account = $2",
            [.blob(key.hash.bytes), .integer(account)])
        if let found { return try ownKeys.exclusive(found.hash(0), of: key.hash) }
        guard try count(of: account) < limits.maximumKeys, try ownKeys.key(key.hash) == nil else { return nil }
        try ownKeys.add(routing, account: account, onlyFor: key.hash)
        try add(key, account)
        return MediatorKey(routing.hash, routing.kind, account: account, body: routing.body)
    }
}
