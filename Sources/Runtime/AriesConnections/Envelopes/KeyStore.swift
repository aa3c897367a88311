import DIDComm
import DataStructures
import Vault

/// Our keys: the recently used ones in memory, all of them in the store.
final class KeyStore {
    /// The capacity of the cache: at least this many recently used keys.
    static let capacity = 1024

    private let store: any RecordStore
    private var cache = GenerationalCache<Verkey, KeyRecord>(capacity: capacity)

    init(store: any RecordStore) { self.store = store }

    /// A key of ours with its owner; nil when the store does not have it.
    func key(_ verkey: Verkey) async throws -> KeyRecord? {
        if let known = cache.use(verkey) { return known }
        guard let record = try await store.record(verkey.base58, in: AgentCategories.keys) else { return nil }
        let key = try KeyRecord(record)
        insert(key)
        return key
    }

    /// A key that is in memory, without counting as use.
    func cached(_ verkey: Verkey) -> KeyRecord? { cache.peek(verkey) }

    func insert(_ record: KeyRecord) { cache.insert(record, for: record.key.verkey) }

    /// Drops a key from memory, because its record in the store changed or is gone.
    func forget(_ verkey: Verkey) { cache.remove(verkey) }
}
