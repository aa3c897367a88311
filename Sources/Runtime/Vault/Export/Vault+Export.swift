public import CryptoSuite
import Determinism

/// The result of an export or an import.
public struct VaultExportSummary: Hashable, Sendable {
    /// The number of records written or imported.
    public let records: Int

    /// The size of the file in bytes.
    public let bytes: Int
}

extension Vault {
    /// Writes a snapshot of all records to a new file at `path`, sealed with its own passphrase.
    ///
    /// The file is written whole or not at all, with mode 0600. Other processes' transactions continue meanwhile; those
    /// of this vault wait.
    ///
    /// - Parameter isWanted: which records are written; all, unless it says otherwise.
    /// - Throws: `vault.exists` when there is something at the path, `vault.passphrase.length`, `vault.not-found`,
    ///   `vault.path.permissions`, `vault.storage.*`, and `vault.integrity.*` for a record that cannot be trusted.
    public func exportRecords(
        to path: String, passphrase: Secret, cost: PassphraseCost = .moderate,
        where isWanted: @escaping @Sendable (StoredRecord) -> Bool = { _ in true }
    ) async throws -> VaultExportSummary {
        try await run { session in
            var random = session.makeRandom()
            let head = VaultExportHead(cost: cost, random: &random)
            let key = try head.key(for: passphrase)
            var summary = VaultExportSummary(records: 0, bytes: 0)
            try PrivateFile.create(path, unique: random.bytes(count: 8)) { file in
                var writer = try VaultExportWriter(head, key: key, random: random) { (bytes) throws(VaultError) in
                    try file.write(bytes)
                }
                try session.step(isWriting: false) { step in
                    try step.forEachRecord { (record) throws(VaultError) in
                        if isWanted(record) { try writer.append(record) }
                    }
                }
                try writer.finish()
                summary = VaultExportSummary(records: Int(clamping: writer.recordCount), bytes: writer.byteCount)
            }
            return summary
        }
    }

    /// Adds the records of an export, in their order and with their versions, in one transaction: all of them, or none.
    ///
    /// - Parameter isWanted: which records are imported; all, unless it says otherwise.
    /// - Throws: `vault.not-found`, `vault.path.refused`, `vault.export.*`, `vault.passphrase.length`, `vault.limit`;
    ///   `vault.record.exists` when one is there already; `vault.storage.*`.
    public func importRecords(
        from path: String, passphrase: Secret,
        where isWanted: @escaping @Sendable (StoredRecord) -> Bool = { _ in true }
    ) async throws -> VaultExportSummary {
        try await run { session in
            try PrivateFile.reading(path) { file in
                var bytes = 0
                let read = { (count: Int) throws(VaultError) -> [UInt8]? in
                    guard let piece = try file.read(exactly: count) else { return nil }
                    bytes += count
                    return piece
                }
                let head = try VaultExportReader.head(read)
                var reader = VaultExportReader(head, key: try head.key(for: passphrase), read: read)
                var records = 0
                try session.step(isWriting: true) { step in
                    while let next = try reader.next()?.filter(isWanted) {
                        for record in next { try step.adopt(record) }
                        records += next.count
                    }
                }
                return VaultExportSummary(records: records, bytes: bytes)
            }
        }
    }
}
