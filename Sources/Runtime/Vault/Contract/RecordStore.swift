/// The reading part of a transaction: a snapshot of all records.
///
/// A transaction is valid inside the closure that gets it, on that closure's thread; after the closure's return every
/// call throws `vault.step.over`. Errors of storage and integrity may come from every function.
public protocol RecordReading {
    /// The record `id` of `category`; nil when there is none.
    ///
    /// - Throws: `vault.limit` for a name that no record can have; `vault.integrity.*` for a record that is not what
    ///   was written last.
    func record(_ id: String, in category: String) throws(VaultError) -> StoredRecord?

    /// A page of the records of `category` that carry all of `tags`.
    ///
    /// - Parameters:
    ///   - tags: no tags: all records of the category.
    ///   - cursor: the cursor of the page before; nil for the first page.
    ///   - limit: 1 to `RecordLimits.pageRecords`.
    /// - Throws: as `record` does, and `vault.limit` for tags and limits out of range.
    func records(
        in category: String, tags: [RecordTag], order: RecordOrder, after cursor: RecordCursor?, limit: Int
    ) throws(VaultError) -> RecordPage

    /// Returns the number of records of `category` that carry all of `tags`; the work grows with the number.
    ///
    /// - Throws: as `records` does.
    func count(in category: String, tags: [RecordTag]) throws(VaultError) -> Int
}

/// The reading and writing part of a transaction; nothing is written unless its closure returns.
public protocol RecordWriting: RecordReading {
    /// Adds a record, with version 1, as the last in the order.
    ///
    /// - Throws: `vault.record.exists`, `vault.limit`.
    @discardableResult
    func insert(
        _ id: String, in category: String, tags: [RecordTag], value: [UInt8]
    ) throws(VaultError) -> StoredRecord

    /// Replaces a record's tags and value; it keeps its position in the order, and its version grows by one.
    ///
    /// - Parameter version: the version that the caller has read; nil for any version.
    /// - Throws: `vault.record.not-found`; `vault.record.version` when another writer was faster; `vault.limit`.
    @discardableResult
    func replace(
        _ id: String, in category: String, expecting version: UInt64?, tags: [RecordTag], value: [UInt8]
    ) throws(VaultError) -> StoredRecord

    /// Removes a record.
    ///
    /// - Parameter version: the version that the caller has read; nil for any version.
    /// - Throws: `vault.record.not-found`, `vault.record.version`, `vault.limit`.
    func remove(_ id: String, in category: String, expecting version: UInt64?) throws(VaultError)
}

/// A store of records; `VaultConformance` tests what every implementation must do.
///
/// Transactions of one store run serially, in the order of their requests, on the store's own thread, never on the
/// thread pool of Swift's tasks. Of several processes one writes at a time. A transaction should be short: other
/// writers wait for it, with a deadline.
public protocol RecordStore: Sendable {
    /// Runs `body` on a snapshot of the store.
    ///
    /// - Throws: what `body` throws; `vault.busy` after the deadline, `vault.closed`, and errors of storage and
    /// integrity.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any RecordReading) throws -> Result
    ) async throws -> Result

    /// Runs `body` as the only writer; all that it wrote is on the disk when this returns, and nothing of it when it
    /// throws.
    ///
    /// When the disk fails during the commit, `vault.storage.failed` may be thrown although the transaction is found
    /// committed later; it is never found in part.
    ///
    /// - Throws: as `read` does, and `vault.storage.full`.
    @discardableResult
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any RecordWriting) throws -> Result
    ) async throws -> Result

    /// Closes the store after the transactions that were already requested; later ones throw `vault.closed`.
    func close() async
}

extension RecordReading {
    /// The first page of the records of `category` that carry all of `tags`, oldest first.
    public func records(
        in category: String, tags: [RecordTag] = [], after cursor: RecordCursor? = nil, limit: Int = 100
    ) throws(VaultError) -> RecordPage {
        try records(in: category, tags: tags, order: .oldestFirst, after: cursor, limit: limit)
    }

    /// The oldest record of `category` that carries all of `tags`; nil when there is none.
    public func first(in category: String, tags: [RecordTag]) throws(VaultError) -> StoredRecord? {
        try records(in: category, tags: tags, limit: 1).records.first
    }

    /// Returns the number of records of `category`.
    public func count(in category: String) throws(VaultError) -> Int { try count(in: category, tags: []) }
}

extension RecordStore {
    /// The record `id` of `category`, in its own transaction.
    public func record(_ id: String, in category: String) async throws -> StoredRecord? {
        try await read { try $0.record(id, in: category) }
    }

    /// A page of records, in its own transaction.
    public func records(
        in category: String, tags: [RecordTag] = [], order: RecordOrder = .oldestFirst,
        after cursor: RecordCursor? = nil, limit: Int = 100
    ) async throws -> RecordPage {
        try await read { try $0.records(in: category, tags: tags, order: order, after: cursor, limit: limit) }
    }

    /// The number of records that carry all of `tags`, in its own transaction.
    public func count(in category: String, tags: [RecordTag] = []) async throws -> Int {
        try await read { try $0.count(in: category, tags: tags) }
    }

    /// Adds a record, in its own transaction.
    @discardableResult
    public func insert(
        _ id: String, in category: String, tags: [RecordTag] = [], value: [UInt8]
    ) async throws -> StoredRecord {
        try await write { try $0.insert(id, in: category, tags: tags, value: value) }
    }

    /// Replaces a record, in its own transaction.
    @discardableResult
    public func replace(
        _ id: String, in category: String, expecting version: UInt64?, tags: [RecordTag] = [], value: [UInt8]
    ) async throws -> StoredRecord {
        try await write { try $0.replace(id, in: category, expecting: version, tags: tags, value: value) }
    }

    /// Removes a record, in its own transaction.
    public func remove(_ id: String, in category: String, expecting version: UInt64? = nil) async throws {
        try await write { try $0.remove(id, in: category, expecting: version) }
    }
}
