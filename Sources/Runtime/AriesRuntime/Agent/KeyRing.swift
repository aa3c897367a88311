import DIDComm
import Vault

/// The keys that were used lately; the store has all of them.
struct KeyRing {
    static let capacity = 1024

    private var recent: [Verkey: KeyRecord] = [:]
    private var older: [Verkey: KeyRecord] = [:]

    /// A key that was used lately; looking does not count as use.
    func find(_ verkey: Verkey) -> KeyRecord? { recent[verkey] ?? older[verkey] }

    mutating func insert(_ record: KeyRecord) {
        if recent[record.key.verkey] == nil, recent.count >= Self.capacity / 2 {
            older = recent
            recent = [:]
        }
        recent[record.key.verkey] = record
    }

    mutating func forget(_ verkey: Verkey) {
        recent[verkey] = nil
        older[verkey] = nil
    }
}

extension Agent {
    /// A key of ours with its owner; nil when the store has none.
    func keyRecord(_ verkey: Verkey) async throws -> KeyRecord? {
        if let known = keys.find(verkey) {
            keys.insert(known)
            return known
        }
        guard let record = try await store.record(verkey.base58, in: AgentCategories.keys) else { return nil }
        let key = try KeyRecord(record)
        keys.insert(key)
        return key
    }
}
