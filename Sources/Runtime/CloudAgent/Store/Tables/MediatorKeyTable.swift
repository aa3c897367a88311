/// The mediator's own keys, in one transaction of a store.
public struct MediatorKeyTable {
    let database: any MediatorDatabaseConnection

    /// A key of the mediator; nil for none.
    public func key(_ hash: KeyHash) throws(CloudAgentError) -> MediatorKey? {
        let row = try database.first("SELECT kind, account, body FROM own_keys WHERE hash = $1", [.blob(hash.bytes)])
        guard let row else { return nil }
        guard let kind = MediatorKey.StoredKeyPurpose(rawValue: try row.integer(0)) else {
            throw CloudAgentError(.damaged, "A key of the agent is of no kind that there is.")
        }
        return MediatorKey(hash, kind, account: try row.optionalInteger(1), body: try row.blob(2))
    }

    /// Adds keys of the mediator, each for the account that it names.
    ///
    /// - Throws: `cloud.key.taken`.
    public func add(_ keys: [MediatorKey]) throws(CloudAgentError) {
        for key in keys { try add(key, account: key.account) }
    }

    /// Adds a key of the mediator.
    ///
    /// - Parameters:
    ///   - account: the account that the key belongs to; nil for none.
    ///   - recipient: the hash of the only client key that it serves; nil where keys share it.
    func add(_ key: MediatorKey, account: Int64?, onlyFor recipient: KeyHash? = nil) throws(CloudAgentError) {
        let made = try database.first(
            "INSERT INTO own_keys (hash, kind, account, place, body) VALUES ($1, $2, $3, $4, $5) "
                + "ON CONFLICT (hash) DO NOTHING RETURNING kind",
            [
                .blob(key.hash.bytes), .integer(key.kind.rawValue), account.map { .integer($0) } ?? .null,
                recipient.map { .blob($0.bytes) } ?? .null, .blob(key.body),
            ])
        guard made != nil else { throw CloudAgentError(.keyTaken, "A key of the agent is there already.") }
    }

    /// The routing key of a client's key, if no other key shares it; nil otherwise.
    func exclusive(_ routing: KeyHash, of key: KeyHash) throws(CloudAgentError) -> MediatorKey? {
        let row = try database.first(
            "SELECT kind FROM own_keys WHERE hash = $1 AND place = $2", [.blob(routing.bytes), .blob(key.bytes)])
        return row == nil ? nil : try self.key(routing)
    }

    /// Removes the routing key of a client's key if no other key shares it; returns whether it did.
    func removeExclusive(_ routing: KeyHash, of key: KeyHash) throws(CloudAgentError) -> Bool {
        try database.first(
            "DELETE FROM own_keys WHERE hash = $1 AND place = $2 RETURNING kind",
            [.blob(routing.bytes), .blob(key.bytes)]) != nil
    }
}
