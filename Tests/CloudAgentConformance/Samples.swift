public import Aries
public import CloudAgent
public import Determinism

/// Sample accounts, keys and envelopes for the cases of a store.
public enum StoreSamples {
    /// Makes a key hash from a number, different for each.
    public static func hash(_ number: Int) -> KeyHash {
        var bytes = [UInt8](repeating: 0, count: KeyHash.byteCount)
        for index in 0..<8 { bytes[index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
        guard let hash = KeyHash(bytes) else { preconditionFailure("a hash has 32 bytes") }
        return hash
    }

    /// Makes a time from a number of seconds.
    public static func time(_ second: Int) -> WallTime {
        WallTime(millisecondsSinceEpoch: 1_700_000_000_000 + Int64(second) * 1000)
    }

    /// Makes the routing key that the keys of an account share.
    public static func routing(_ account: Int) -> MediatorKey {
        MediatorKey(hash(1_000_000 + account), .routing, account: nil, body: [7, UInt8(truncatingIfNeeded: account)])
    }

    /// Opens an account with a routing key; `number` distinguishes the accounts of a case.
    public static func open(_ number: Int, in store: any MediatorStore) async throws -> Int64 {
        let account = try await store.write(adding: 1) {
            try $0.accounts.open([UInt8(number)], keys: [routing(number)], at: time(0))
        }
        try await store.write { try $0.accounts.update(account, body: nil, isServed: true, seen: nil) }
        return account
    }

    /// Makes the addition or removal of a key, through the shared routing key of an account.
    public static func change(_ key: Int, of account: Int, adds: Bool = true) -> StoredKeyChange {
        StoredKeyChange(hash(key), isAddition: adds, routing: routing(account).hash, body: [UInt8(key)])
    }

    /// Makes a new message for a key of an account.
    public static func mail(
        to key: Int, of account: Int, second: Int = 0, _ envelope: [UInt8] = [1, 2, 3]
    ) -> NewMail {
        NewMail(
            routing: routing(account).hash, recipient: hash(key), arrival: time(second), tag: 0xFFFF_FFFF,
            envelope: envelope)
    }

    /// Returns all messages that wait for an account, oldest first.
    public static func all(of account: Int64, in store: any MediatorStore) async throws -> [QueuedMessage] {
        var found: [QueuedMessage] = []
        while true {
            let next = try await store.fetch(
                .after(found.last?.position ?? 0, key: nil), of: account, limit: 100, maximumBytes: 1 << 20)
            guard !next.isEmpty else { return found }
            found += next
        }
    }
}

extension MediatorStore {
    /// Changes keys of an account without a client's request.
    public func change(
        _ changes: [StoredKeyChange], of account: Int64
    ) async throws(CloudAgentError) -> [KeylistUpdate.Result] {
        let outcome = try await change(.keys(changes), of: account, by: nil) { _ in [] }
        guard case .first(.keys(let results)) = outcome else { return [] }
        return results
    }

    /// Registers a key with its own routing key, without a client's request.
    public func openKeyGrant(
        _ key: StoredKeyChange, routing: MediatorKey, of account: Int64
    ) async throws(CloudAgentError) -> MediatorKey? {
        let outcome = try await change(.keyGrant(key, routing: routing), of: account, by: nil) { _ in [] }
        guard case .first(.keyGrant(let own)) = outcome else { return nil }
        return own
    }
}
