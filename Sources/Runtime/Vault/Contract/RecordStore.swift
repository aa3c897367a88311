/// What a step of a store can read: one unchanging picture of all records.
///
/// A step is used by the closure that it was given to, on that closure's thread, and is over when the closure returns;
/// afterwards everything throws `vault.step.over`. Errors of storage and integrity may come from every function.
public protocol RecordReading {
    /// The record `id` of `category`; nil when there is none.
    ///
    /// - Throws: `vault.limit` for a name that no record can have; `vault.integrity.*` for a record that is not what was
    ///   written last.
    func record(_ id: String, in category: String) throws(VaultError) -> StoredRecord?

    /// A page of the records of `category` that carry all of `tags`.
    ///
    /// - Parameters:
    ///   - tags: no tags: all records of the category.
    ///   - cursor: where the page begins, from the page before; nil: at the beginning of the order.
    ///   - limit: 1 to `RecordLimits.pageRecords`.
    /// - Throws: as `record` does, and `vault.limit` for tags and limits out of range.
    func records(
        in category: String, tags: [RecordTag], order: RecordOrder, after cursor: RecordCursor?, limit: Int
    ) throws(VaultError) -> RecordPage

    /// How many records of `category` carry all of `tags`; the work grows with the number.
    ///
    /// - Throws: as `records` does.
    func count(in category: String, tags: [RecordTag]) throws(VaultError) -> Int
}

/// What a step of a store can read and write; nothing is written unless the step's closure returns.
public protocol RecordWriting: RecordReading {
    /// Adds a record, with version 1, behind all others.
    ///
    /// - Throws: `vault.record.exists`, `vault.limit`.
    @discardableResult
    func insert(
        _ id: String, in category: String, tags: [RecordTag], value: [UInt8]
    ) throws(VaultError) -> StoredRecord

    /// Gives a record other tags and another value; it keeps its place in the order, and its version goes up by one.
    ///
    /// - Parameter version: the version that the caller has read; nil: whatever there is.
    /// - Throws: `vault.record.not-found`; `vault.record.version` when another writer was faster; `vault.limit`.
    @discardableResult
    func replace(
        _ id: String, in category: String, expecting version: UInt64?, tags: [RecordTag], value: [UInt8]
    ) throws(VaultError) -> StoredRecord

    /// Removes a record.
    ///
    /// - Parameter version: the version that the caller has read; nil: whatever there is.
    /// - Throws: `vault.record.not-found`, `vault.record.version`, `vault.limit`.
    func remove(_ id: String, in category: String, expecting version: UInt64?) throws(VaultError)
}

/// A place where records are kept; every engine behaves as `VaultConformance` says.
///
/// Steps of one store run one after the other, in the order in which they were asked for, on a thread of the store's
/// own, never on the pool of Swift's tasks. Steps of several processes on one store exclude each other, writing against
/// writing. A step should be short: other writers wait for it, with a deadline.
public protocol RecordStore: Sendable {
    /// Runs `body` on one unchanging picture of the store.
    ///
    /// - Throws: what `body` throws; `vault.busy` after the deadline, `vault.closed`, and errors of storage and integrity.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any RecordReading) throws -> Result
    ) async throws -> Result

    /// Runs `body` as the only writer; all that it wrote is on the disk when this returns, and nothing of it when it throws.
    ///
    /// One case is open when the disk fails while the step ends: `vault.storage.failed` may then come for a step that is
    /// found complete afterwards; it is never found in part.
    ///
    /// - Throws: as `read` does, and `vault.storage.full`.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any RecordWriting) throws -> Result
    ) async throws -> Result

    /// Ends the use of the store after the steps already asked for; more of them throw `vault.closed`.
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

    /// How many records `category` has.
    public func count(in category: String) throws(VaultError) -> Int { try count(in: category, tags: []) }
}

extension RecordStore {
    /// The record `id` of `category`, in a step of its own.
    public func record(_ id: String, in category: String) async throws -> StoredRecord? {
        try await read { try $0.record(id, in: category) }
    }

    /// A page of records, in a step of its own.
    public func records(
        in category: String, tags: [RecordTag] = [], order: RecordOrder = .oldestFirst,
        after cursor: RecordCursor? = nil, limit: Int = 100
    ) async throws -> RecordPage {
        try await read { try $0.records(in: category, tags: tags, order: order, after: cursor, limit: limit) }
    }

    /// The number of records that carry all of `tags`, in a step of its own.
    public func count(in category: String, tags: [RecordTag] = []) async throws -> Int {
        try await read { try $0.count(in: category, tags: tags) }
    }

    /// Adds a record, in a step of its own.
    @discardableResult
    public func insert(
        _ id: String, in category: String, tags: [RecordTag] = [], value: [UInt8]
    ) async throws -> StoredRecord {
        try await write { try $0.insert(id, in: category, tags: tags, value: value) }
    }

    /// Replaces a record, in a step of its own.
    @discardableResult
    public func replace(
        _ id: String, in category: String, expecting version: UInt64?, tags: [RecordTag] = [], value: [UInt8]
    ) async throws -> StoredRecord {
        try await write { try $0.replace(id, in: category, expecting: version, tags: tags, value: value) }
    }

    /// Removes a record, in a step of its own.
    public func remove(_ id: String, in category: String, expecting version: UInt64? = nil) async throws {
        try await write { try $0.remove(id, in: category, expecting: version) }
    }
}
