import ByteCoding
import Determinism
import SQLiteEngine

/// The reads and writes of one transaction, which its owner begins and ends.
///
/// Used on its vault's queue alone.
final class VaultTransaction: RecordWriting {
    /// The most bytes of values that one page takes into memory.
    static let pageBytes = 16 * 1024 * 1024

    private(set) var header: VaultHeader
    private(set) var hasWritten = false
    /// The failure that left the transaction half-written, so that it must be rolled back; nil for none.
    private(set) var brokenBy: VaultError?
    private var tree: HashTree
    private var isOver = false

    private let database: SQLiteDatabase
    private let keys: VaultKeys
    private var random: any RandomSource

    init(database: SQLiteDatabase, keys: VaultKeys, header: VaultHeader, random: any RandomSource) {
        self.database = database
        self.keys = keys
        self.header = header
        self.random = random
        tree = HashTree(header, database: database, keys: keys)
    }

    /// The columns of one record's row.
    struct RecordRow {
        let slot: UInt64
        let category: [UInt8]
        let idHash: [UInt8]
        let seal: [UInt8]

        init(_ row: borrowing SQLiteRow<VaultErrorCode>) throws(VaultError) {
            slot = UInt64(clamping: try row.integer(0))
            category = try row.blob(1)
            idHash = try row.blob(2)
            seal = try row.blob(3)
        }
    }

    /// Writes the changed hashes, and returns the new header.
    func finish() throws(VaultError) -> VaultHeader {
        isOver = true
        if let brokenBy { throw brokenBy }
        guard hasWritten else { return header }
        try tree.flush()
        header.height = UInt8(truncatingIfNeeded: tree.height)
        header.top = tree.top
        header.generation &+= 1
        return header
    }

    /// Ends the use of the transaction: every later call throws.
    func end() { isOver = true }

    private func check() throws(VaultError) {
        guard !isOver else { throw VaultError(.stepOver, "The step had ended when it was used.") }
    }
}

// Reading.
extension VaultTransaction {
    func record(_ id: String, in category: String) throws(VaultError) -> StoredRecord? {
        try check()
        try RecordLimits.check(id: id, category: category)
        return try found(id, category)?.record
    }

    func records(
        in category: String, tags: [RecordTag], order: RecordOrder, after cursor: RecordCursor?, limit: Int
    ) throws(VaultError) -> RecordPage {
        try check()
        try RecordLimits.check(category: category)
        try RecordLimits.check(tags: tags)
        try RecordLimits.check(page: limit)
        let query = try RecordQuery(category: category, tags: tags, order: order, keys: keys, database: database)
        var bytes = 0
        // One row more than requested shows whether there is a next page; a page of large values ends early.
        let rows = try database.query(query.sql, query.values(after: cursor, limit: limit + 1)) {
            row throws(VaultError) -> RecordRow? in
            guard bytes < Self.pageBytes else { return nil }
            let row = try RecordRow(row)
            bytes += row.seal.count
            return row
        }
        let page = rows.prefix(limit).prefix { $0 != nil }.compactMap { $0 }
        var records: [StoredRecord] = []
        for row in page {
            let record = try open(row)
            guard row.category == query.categoryHash, tags.allSatisfy(record.tags.contains) else {
                throw VaultError(.altered, "A tag leads to a record that does not carry it.")
            }
            records.append(record)
        }
        let last = page.last.map { RecordCursor(position: $0.slot) }
        return RecordPage(records: records, next: page.count < rows.count ? last : nil)
    }

    func count(in category: String, tags: [RecordTag]) throws(VaultError) -> Int {
        try check()
        try RecordLimits.check(category: category)
        try RecordLimits.check(tags: tags)
        let query = try RecordQuery(
            category: category, tags: tags, order: .oldestFirst, keys: keys, database: database)
        let counts = try database.query(query.countingSQL, query.countingValues) { row throws(VaultError) in
            try row.integer(0)
        }
        return Int(clamping: counts.first ?? 0)
    }

    /// A record with its row.
    private func found(_ id: String, _ category: String) throws(VaultError) -> (row: RecordRow, record: StoredRecord)? {
        let idHash = try keys.hash(id: id, category: category)
        let rows = try database.query(
            "SELECT slot, category, place, seal FROM records WHERE place = ?", [.blob(idHash)]
        ) { row throws(VaultError) in try RecordRow(row) }
        guard let row = rows.first else { return nil }
        let record = try open(row)
        guard row.idHash == idHash, record.category == category, record.id == id else {
            throw VaultError(.altered, "A record is not the one that its place belongs to.")
        }
        return (row, record)
    }

    /// Decrypts a row, and verifies it against the tree's entry for its slot.
    func open(_ row: RecordRow) throws(VaultError) -> StoredRecord {
        let record = try decrypt(row)
        guard try tree.entry(of: row.slot).elementsEqual(row.seal.suffix(HashTree.entryBytes)) else {
            throw VaultError(.stale, "A record is not the one that was written last in its place.")
        }
        return record
    }

    /// Decrypts a row, without verifying that it is the latest of its slot.
    func decrypt(_ row: RecordRow) throws(VaultError) -> StoredRecord {
        guard let plaintext = try keys.unseal(row.seal, for: Self.associatedData(row.slot, row.category, row.idHash))
        else {
            throw VaultError(.altered, "A record was altered or moved from its place.")
        }
        guard let body = VaultRecordEncoding(decoding: plaintext) else {
            throw VaultError(.altered, "A record does not follow the format.")
        }
        return body.record
    }

    /// The next rows in the order of slots, some hundreds at most.
    static func rows(from slot: UInt64, in database: SQLiteDatabase) throws(VaultError) -> [RecordRow] {
        var bytes = 0
        return try database.query(
            "SELECT slot, category, place, seal FROM records WHERE slot >= ? ORDER BY slot LIMIT 256",
            [.integer(Int64(clamping: slot))]
        ) { row throws(VaultError) -> RecordRow? in
            guard bytes < pageBytes else { return nil }
            let row = try RecordRow(row)
            bytes += row.seal.count
            return row
        }.compactMap { $0 }
    }

    private static func associatedData(_ slot: UInt64, _ category: [UInt8], _ idHash: [UInt8]) -> [UInt8] {
        var bytes = Array("record".utf8)
        bytes.appendBigEndian(slot)
        return bytes + category + idHash
    }

    /// Calls `body` for every record, in the order of slots.
    ///
    /// - Throws: `vault.integrity.missing` when there are other records than the header counts.
    func forEachRecord(_ body: (StoredRecord) throws(VaultError) -> Void) throws(VaultError) {
        var count: UInt64 = 0
        var next: UInt64? = 0
        while let first = next {
            let rows = try Self.rows(from: first, in: database)
            for row in rows { try body(open(row)) }
            count += UInt64(rows.count)
            next = rows.last.map { $0.slot + 1 }
        }
        guard count == header.recordCount else {
            throw VaultError(.missing, "The header counts \(header.recordCount) records, and there are \(count).")
        }
    }

    /// Calls `body` for every slot with a record, with the tree's entry.
    func visitSlots(_ body: (UInt64, [UInt8]) throws(VaultError) -> Void) throws(VaultError) {
        try tree.visitLowestBlocks { first, block throws(VaultError) in
            for index in 0..<HashTree.fanOut {
                let entry = Array(block[HashTree.range(of: index)])
                if entry != HashTree.emptyEntry { try body(first + index, entry) }
            }
        }
    }
}

// Writing.
extension VaultTransaction {
    @discardableResult
    func insert(
        _ id: String, in category: String, tags: [RecordTag], value: [UInt8]
    ) throws(VaultError) -> StoredRecord {
        let record = StoredRecord(category: category, id: id, version: 1, tags: tags, value: value)
        try adopt(record)
        return record
    }

    /// Adds a record with its own version, for imports.
    func adopt(_ record: StoredRecord) throws(VaultError) {
        try checkWriting(record.id, record.category, record.tags, record.value)
        let idHash = try keys.hash(id: record.id, category: record.category)
        let taken = try database.query("SELECT slot FROM records WHERE place = ?", [.blob(idHash)]) {
            row throws(VaultError) in try row.integer(0)
        }
        guard taken.isEmpty else { throw VaultError(.recordExists, "A record with this identifier is there already.") }
        guard header.nextSlot < HashTree.slotLimit else { throw VaultError(.limit, "The vault has no room left.") }
        try writing { () throws(VaultError) in
            let slot = header.nextSlot
            try put(record, at: slot)
            header.nextSlot += 1
            header.recordCount += 1
        }
    }

    @discardableResult
    func replace(
        _ id: String, in category: String, expecting version: UInt64?, tags: [RecordTag], value: [UInt8]
    ) throws(VaultError) -> StoredRecord {
        try checkWriting(id, category, tags, value)
        let old = try existing(id, category, version)
        let record = StoredRecord(
            category: category, id: id, version: old.record.version &+ 1, tags: tags, value: value)
        try writing { () throws(VaultError) in
            try erase(old)
            try put(record, at: old.row.slot)
        }
        return record
    }

    func remove(_ id: String, in category: String, expecting version: UInt64?) throws(VaultError) {
        try checkWriting(id, category, [], [])
        let old = try existing(id, category, version)
        try writing { () throws(VaultError) in
            try erase(old)
            try tree.set(old.row.slot, to: HashTree.emptyEntry)
            header.recordCount &-= 1
        }
    }

    private func checkWriting(
        _ id: String, _ category: String, _ tags: [RecordTag], _ value: [UInt8]
    ) throws(VaultError) {
        try check()
        try RecordLimits.check(id: id, category: category)
        try RecordLimits.check(tags: tags)
        try RecordLimits.check(value: value)
    }

    private func existing(
        _ id: String, _ category: String, _ version: UInt64?
    ) throws(VaultError) -> (row: RecordRow, record: StoredRecord) {
        guard let old = try found(id, category) else {
            throw VaultError(.recordNotFound, "There is no record with this identifier.")
        }
        guard version == nil || version == old.record.version else {
            throw VaultError(.recordVersion, "The record has been replaced since it was read.")
        }
        return old
    }

    /// Runs `body`, whose failure leaves the transaction half-written and so breaks it.
    private func writing(_ body: () throws(VaultError) -> Void) throws(VaultError) {
        hasWritten = true
        do { try body() } catch {
            brokenBy = brokenBy ?? error
            throw error
        }
    }

    /// Writes the row, the tags and the tree's entry of a record.
    func put(_ record: StoredRecord, at slot: UInt64) throws(VaultError) {
        hasWritten = true
        let category = try keys.hash(category: record.category)
        let idHash = try keys.hash(id: record.id, category: record.category)
        let seal = try keys.seal(
            VaultRecordEncoding(record).encoded, for: Self.associatedData(slot, category, idHash), random: &random)
        let number = SQLiteValue.integer(Int64(clamping: slot))
        try database.run(
            "INSERT INTO records (slot, category, place, seal) VALUES (?, ?, ?, ?)",
            [number, .blob(category), .blob(idHash), .blob(seal)])
        for tag in record.tags {
            let hash = try keys.hash(tag: tag, category: record.category)
            try database.run("INSERT INTO tags (tag, slot) VALUES (?, ?)", [.blob(hash), number])
        }
        try tree.set(slot, to: Array(seal.suffix(HashTree.entryBytes)))
    }

    /// Removes row and tags of a record.
    private func erase(_ old: (row: RecordRow, record: StoredRecord)) throws(VaultError) {
        let number = SQLiteValue.integer(Int64(clamping: old.row.slot))
        for tag in old.record.tags {
            let hash = try keys.hash(tag: tag, category: old.record.category)
            try database.run("DELETE FROM tags WHERE tag = ? AND slot = ?", [.blob(hash), number])
        }
        try database.run("DELETE FROM records WHERE slot = ?", [number])
        guard database.changedRows == 1 else {
            throw VaultError(.damaged, "A record that was read could not be removed.")
        }
    }
}
