import SQLiteEngine

/// The SQL of a query for a list of records.
struct RecordQuery {
    let categoryHash: [UInt8]
    private let tagHashes: [[UInt8]]
    private let order: RecordOrder

    init(
        category: String, tags: [RecordTag], order: RecordOrder, keys: VaultKeys, database: SQLiteDatabase
    ) throws(VaultError) {
        categoryHash = try keys.hash(category: category)
        var hashes: [[UInt8]] = []
        for tag in tags { hashes.append(try keys.hash(tag: tag, category: category)) }
        tagHashes = try Self.rarestFirst(hashes, database)
        self.order = order
    }

    /// Puts the tag that fewest records carry first, because the first one decides how many rows are scanned.
    private static func rarestFirst(
        _ hashes: [[UInt8]], _ database: SQLiteDatabase
    ) throws(VaultError) -> [[UInt8]] {
        guard hashes.count > 1 else { return hashes }
        var counted: [(count: Int64, hash: [UInt8])] = []
        for hash in hashes {
            let counts = try database.query(
                "SELECT count(*) FROM (SELECT 1 FROM tags WHERE tag = ? LIMIT 1000)", [.blob(hash)]
            ) { row throws(VaultError) in try row.integer(0) }
            counted.append((counts.first ?? 0, hash))
        }
        return counted.enumerated().sorted { ($0.element.count, $0.offset) < ($1.element.count, $1.offset) }
            .map(\.element.hash)
    }

    private var isForward: Bool { order == .oldestFirst }

    /// Slot, category, identifier's hash and ciphertext of each record, in order.
    ///
    /// A tag without its record gives an empty row, which the reader reports as damage.
    var sql: String {
        let comparison = isForward ? ">" : "<"
        let direction = isForward ? "ASC" : "DESC"
        if tagHashes.isEmpty {
            return "SELECT slot, category, place, seal FROM records WHERE category = ? AND slot \(comparison) ? "
                + "ORDER BY slot \(direction) LIMIT ?"
        }
        return "SELECT t.slot, r.category, r.place, r.seal FROM tags AS t LEFT JOIN records AS r ON r.slot = t.slot "
            + "WHERE t.tag = ? AND t.slot \(comparison) ? \(otherTags) ORDER BY t.slot \(direction) LIMIT ?"
    }

    /// The values for `sql`.
    func values(after cursor: RecordCursor?, limit: Int) -> [SQLiteValue] {
        let edge: Int64 = isForward ? -1 : .max
        let position = cursor.map { Int64(clamping: $0.position) } ?? edge
        let first = tagHashes.first ?? categoryHash
        return [.blob(first), .integer(position)] + tagHashes.dropFirst().map { .blob($0) } + [.integer(Int64(limit))]
    }

    /// The SQL that counts the records of the query.
    var countingSQL: String {
        if tagHashes.isEmpty { return "SELECT count(*) FROM records WHERE category = ?" }
        return "SELECT count(*) FROM tags AS t WHERE t.tag = ? \(otherTags)"
    }

    /// The values for `countingSQL`.
    var countingValues: [SQLiteValue] {
        [.blob(tagHashes.first ?? categoryHash)] + tagHashes.dropFirst().map { .blob($0) }
    }

    private var otherTags: String {
        tagHashes.dropFirst().map { _ in "AND EXISTS (SELECT 1 FROM tags WHERE tag = ? AND slot = t.slot)" }
            .joined(separator: " ")
    }
}
