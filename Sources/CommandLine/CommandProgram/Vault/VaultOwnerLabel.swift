package import Vault

/// The label of a vault's owner, which other agents are shown; it is kept in the vault.
package enum VaultOwnerLabel {
    /// The most bytes of a label.
    package static let maximumBytes = 256

    private static let category = "wallet.label"

    /// Reads the owner's label; nil where none is set.
    ///
    /// - Throws: the errors of the store.
    package static func read(_ store: any RecordStore) async throws -> String? {
        let found = try await store.records(in: category, order: .newestFirst, limit: 1).records.first
        return found.flatMap { String(validating: $0.value, as: UTF8.self) }
    }

    /// Sets the owner's label, or removes it when the text is empty.
    ///
    /// A record's name is new each time, so that an export with a label goes into a vault that has one; the newest
    /// counts.
    /// - Throws: the errors of the store.
    package static func set(_ label: String, in store: any RecordStore, id: String) async throws {
        try await store.write { store in
            for record in try store.records(
                in: category, tags: [], order: .oldestFirst, after: nil, limit: RecordLimits.pageRecords
            ).records {
                try store.remove(record.id, in: category, expecting: nil)
            }
            if !label.isEmpty { try store.insert(id, in: category, tags: [], value: Array(label.utf8)) }
        }
    }
}
