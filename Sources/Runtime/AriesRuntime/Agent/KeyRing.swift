import DIDComm
import DataStructures
import Vault

/// The keys that were used lately; the store has all of them.
struct KeyRing {
    static let capacity = 1024

    private var records = GenerationalCache<Verkey, KeyRecord>(capacity: capacity)

    /// A key that was used lately; finding it counts as use.
    mutating func find(_ verkey: Verkey) -> KeyRecord? { records.use(verkey) }

    /// The same, without counting as use.
    func peek(_ verkey: Verkey) -> KeyRecord? { records.peek(verkey) }

    mutating func insert(_ record: KeyRecord) { records.insert(record, for: record.key.verkey) }

    mutating func forget(_ verkey: Verkey) { records.remove(verkey) }
}

extension Agent {
    /// A key of ours with its owner; nil when the store has none.
    func keyRecord(_ verkey: Verkey) async throws -> KeyRecord? {
        if let known = keys.find(verkey) { return known }
        guard let record = try await store.record(verkey.base58, in: AgentCategories.keys) else { return nil }
        let key = try KeyRecord(record)
        keys.insert(key)
        return key
    }
}
