import CryptoSuite
import Determinism
import SQLiteEngine

/// An open vault: the connection, the keys, and the highest generation seen.
///
/// Used on its vault's queue alone; nothing of the database is cached between transactions.
final class VaultSession {
    let database: SQLiteDatabase
    private(set) var keys: VaultKeys
    private var highestGeneration: UInt64 = 0
    private let mark: VaultGenerationFile?
    let makeRandom: @Sendable () -> any RandomSource

    private init(_ location: VaultLocation, database: SQLiteDatabase, keys: VaultKeys) {
        self.database = database
        self.keys = keys
        mark = location.markPath.map(VaultGenerationFile.init)
        makeRandom = location.makeRandom
    }

    /// A row of the table that has only one.
    struct HeaderRow {
        let vaultID: [UInt8]
        let keyID: [UInt8]
        let wrapped: [UInt8]
        var seal: [UInt8]

        /// The associated data of the header's ciphertext.
        var associatedData: [UInt8] { Array("header".utf8) + wrapped }
    }

    /// Makes a vault in an empty database, or one whose creation was interrupted.
    static func create(_ location: VaultLocation, key: VaultKey) throws -> VaultSession {
        let database = try location.open(creates: true)
        try VaultSchema.configure(database)
        guard try VaultSchema.isEmpty(database) else { throw alreadyThere }
        var random = location.makeRandom()
        let vaultID = random.bytes(count: VaultKeys.vaultIDCount)
        let dataKey = Secret(copying: random.bytes(count: VaultKeys.dataKeyCount))
        let wrapped = try WrappedKey(dataKey, with: key, vaultID: vaultID, random: &random).encoded
        let keys = try VaultKeys(dataKey: dataKey, vaultID: vaultID)
        let session = VaultSession(location, database: database, keys: keys)
        try session.transaction(isWriting: true) {
            guard try VaultSchema.isEmpty(database) else { throw alreadyThere }
            try VaultSchema.create(in: database)
            try session.store(VaultHeader(), wrapped: wrapped, keys: keys)
        }
        location.synchronise()
        return session
    }

    private static var alreadyThere: VaultError { VaultError(.exists, "There is a vault at the path already.") }

    /// Opens a vault and checks its header.
    static func open(_ location: VaultLocation, key: VaultKey) throws -> VaultSession {
        let database = try location.open(creates: false)
        try VaultSchema.configure(database)
        let row = try readRow(database) { () throws(VaultError) in
            guard try !VaultSchema.isEmpty(database) else {
                throw VaultError(.notFound, "The making of the vault was not finished.")
            }
            try VaultSchema.migrate(database)
        }
        guard row.vaultID.count == VaultKeys.vaultIDCount, let wrapped = WrappedKey(decoding: row.wrapped) else {
            throw VaultError(.headerMalformed, "The header of the vault does not follow its format.")
        }
        let dataKey = try wrapped.unwrap(with: key, vaultID: row.vaultID)
        let session = VaultSession(
            location, database: database, keys: try VaultKeys(dataKey: dataKey, vaultID: row.vaultID))
        _ = try session.header(in: row)
        return session
    }

    /// Reads the wrapped data key, without opening the vault.
    static func inspect(_ location: VaultLocation) throws(VaultError) -> WrappedKey {
        let database = try location.open(creates: false)
        try VaultSchema.configure(database)
        let row = try readRow(database) { () throws(VaultError) in try VaultSchema.check(database) }
        guard let wrapped = WrappedKey(decoding: row.wrapped) else {
            throw VaultError(.headerMalformed, "The header of the vault does not follow its format.")
        }
        return wrapped
    }

    private static func readRow(
        _ database: SQLiteDatabase, check: () throws(VaultError) -> Void = {}
    ) throws(VaultError) -> HeaderRow {
        try check()
        let rows = try database.query("SELECT vault, key_id, wrapped, seal FROM header WHERE id = 1") {
            row throws(VaultError) in
            HeaderRow(
                vaultID: try row.blob(0), keyID: try row.blob(1), wrapped: try row.blob(2), seal: try row.blob(3))
        }
        guard let row = rows.first else { throw VaultError(.missing, "The header of the vault is missing.") }
        return row
    }
}

// Steps.
extension VaultSession {
    /// Runs `body` on a snapshot, or as the only writer.
    func step<Result>(isWriting: Bool, _ body: (VaultTransaction) throws -> Result) throws -> Result {
        var generation: UInt64?
        let result = try transaction(isWriting: isWriting) {
            let row = try Self.readRow(database)
            let header = try header(in: row)
            let step = VaultTransaction(database: database, keys: keys, header: header, random: makeRandom())
            defer { step.end() }
            let result = try body(step)
            let written = try step.finish()
            if step.hasWritten {
                try store(written, wrapped: row.wrapped, keys: keys)
                generation = written.generation
            }
            return result
        }
        if let generation { remember(generation) }
        return result
    }

    /// Begins a transaction, and commits it or rolls it back.
    func transaction<Result>(isWriting: Bool, _ body: () throws -> Result) throws -> Result {
        try database.run(isWriting ? "BEGIN IMMEDIATE" : "BEGIN DEFERRED")
        do {
            let result = try body()
            try database.run("COMMIT")
            return result
        } catch {
            if database.isInTransaction { try? database.run("ROLLBACK") }
            throw error
        }
    }

    /// Opens the header, and compares its generation with the highest one seen.
    func header(in row: HeaderRow) throws(VaultError) -> VaultHeader {
        guard row.vaultID == keys.vaultID, row.keyID == keys.keyID else {
            throw VaultError(.keyChanged, "The vault has another data key than when it was opened.")
        }
        guard let bytes = try keys.unseal(row.seal, for: row.associatedData), let header = VaultHeader(decoding: bytes)
        else {
            throw VaultError(.altered, "The header of the vault was altered.")
        }
        let known = try max(highestGeneration, mark?.read(keys) ?? 0)
        guard header.generation >= known else {
            throw VaultError(.rolledBack, "The vault is at step \(header.generation), and was at \(known) before.")
        }
        highestGeneration = header.generation
        return header
    }

    /// Wraps the data key with another passphrase or key file; the data key and all records stay unchanged.
    func rewrap(with key: VaultKey) throws {
        var random = makeRandom()
        let wrapped = try WrappedKey(keys.dataKey, with: key, vaultID: keys.vaultID, random: &random).encoded
        var header = VaultHeader()
        try transaction(isWriting: true) {
            header = try self.header(in: Self.readRow(database))
            header.generation &+= 1
            try store(header, wrapped: wrapped, keys: keys)
        }
        remember(header.generation)
    }

    /// Draws another data key and rewrites every record.
    ///
    /// - Throws: the first finding of the check, which runs before anything is written.
    func reencrypt(with key: VaultKey) throws {
        var random = makeRandom()
        let dataKey = Secret(copying: random.bytes(count: VaultKeys.dataKeyCount))
        let wrapped = try WrappedKey(dataKey, with: key, vaultID: keys.vaultID, random: &random).encoded
        let fresh = try VaultKeys(dataKey: dataKey, vaultID: keys.vaultID)
        var written = VaultHeader()
        try transaction(isWriting: true) {
            let old = VaultTransaction(
                database: database, keys: keys, header: try self.header(in: Self.readRow(database)), random: random)
            var check = VaultCheck(database: database, keys: keys, step: old)
            if let finding = check.run().findings.first { throw finding }
            written = try rewrite(old, with: fresh, random: random)
            try store(written, wrapped: wrapped, keys: fresh)
        }
        keys = fresh
        remember(written.generation)
        // Ciphertexts of the old key stay in the write-ahead log until a checkpoint.
        try? database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Rewrites all records and hashes, each in its slot.
    private func rewrite(
        _ old: VaultTransaction, with fresh: VaultKeys, random: any RandomSource
    ) throws(VaultError) -> VaultHeader {
        try database.run("DELETE FROM tags")
        try database.run("DELETE FROM sums")
        var header = old.header
        header.height = 1
        header.top = HashTree.emptyEntry
        let new = VaultTransaction(database: database, keys: fresh, header: header, random: random)
        var next: UInt64? = 0
        while let first = next {
            let rows = try VaultTransaction.rows(from: first, in: database)
            for row in rows {
                let record = try old.decrypt(row)
                try database.run("DELETE FROM records WHERE slot = ?", [.integer(Int64(clamping: row.slot))])
                try new.put(record, at: row.slot)
            }
            next = rows.last.map { $0.slot + 1 }
        }
        return try new.finish()
    }

    private func store(_ header: VaultHeader, wrapped: [UInt8], keys: VaultKeys) throws(VaultError) {
        var random = makeRandom()
        var row = HeaderRow(vaultID: keys.vaultID, keyID: keys.keyID, wrapped: wrapped, seal: [])
        row.seal = try keys.seal(header.encoded, for: row.associatedData, random: &random)
        try database.run(
            "INSERT INTO header (id, vault, key_id, wrapped, seal) VALUES (1, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE "
                + "SET vault = excluded.vault, key_id = excluded.key_id, wrapped = excluded.wrapped, seal = excluded.seal",
            [.blob(row.vaultID), .blob(row.keyID), .blob(row.wrapped), .blob(row.seal)])
    }

    private func remember(_ generation: UInt64) {
        highestGeneration = max(highestGeneration, generation)
        // A mark that cannot be written stays lower: it then detects fewer old copies, and never refuses a current one.
        try? mark?.raise(to: generation, keys)
    }
}
