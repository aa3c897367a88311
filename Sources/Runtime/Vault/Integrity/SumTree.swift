import SQLiteEngine

/// The latest authenticated version of every record: a hash tree whose root is in the sealed header.
///
/// A record has a slot, a number that is never used again. The tree's leaf blocks hold, for each of 64 adjacent slots,
/// the authentication tag of the record's latest ciphertext, or zeros when there is none; each block above holds the
/// keyed hashes of 64 blocks below. An older record or block that is restored does not match the hashes above it, up to
/// the header, which is one for the whole vault.
struct SumTree {
    static let fanOut: UInt64 = 64
    static let entryBytes = 16
    static let emptyEntry = [UInt8](repeating: 0, count: entryBytes)
    static let maximumHeight = 9
    /// 64 to the ninth: more than a vault will ever number.
    static let slotLimit: UInt64 = 1 << 54
    /// The most blocks of 1 KiB that are cached within a transaction.
    static let rememberedBlocks = 4096

    private static let emptyBlock = [UInt8](repeating: 0, count: Int(fanOut) * entryBytes)

    /// The address of a block: level 0 is the lowest, and numbers count from 0 in each level.
    struct Place: Hashable {
        let level: Int
        let number: UInt64
    }

    private(set) var height: Int
    private(set) var top: [UInt8]

    private let database: SQLiteDatabase
    private let keys: VaultKeys
    private var blocks: [Place: [UInt8]] = [:]
    private var changed: Set<Place> = []

    init(_ header: VaultHeader, database: SQLiteDatabase, keys: VaultKeys) {
        height = Int(header.height)
        top = header.top
        self.database = database
        self.keys = keys
    }

    /// The tree's entry for a slot; zeros when there is no record.
    mutating func entry(of slot: UInt64) throws(VaultError) -> [UInt8] {
        guard slot < capacity else { return Self.emptyEntry }
        if changed.isEmpty, blocks.count > Self.rememberedBlocks { blocks.removeAll() }
        let block = try block(at: Place(level: 0, number: slot / Self.fanOut))
        return Array(block[Self.range(of: slot)])
    }

    /// Sets the tree's entry for a slot.
    mutating func set(_ slot: UInt64, to entry: [UInt8]) throws(VaultError) {
        precondition(entry.count == Self.entryBytes && slot < Self.slotLimit, "an entry has its length and its slot")
        while slot >= capacity { try grow() }
        if changed.count > Self.rememberedBlocks {
            try flush()
            blocks.removeAll()
        }
        try change(Place(level: 0, number: slot / Self.fanOut), slot, entry)
    }

    /// Writes changed blocks into the database and computes the root.
    mutating func flush() throws(VaultError) {
        for level in 0..<height {
            for number in changed.filter({ $0.level == level }).map(\.number).sorted() {
                let sum = try store(Place(level: level, number: number))
                if level == height - 1 {
                    top = sum
                } else {
                    try change(Place(level: level + 1, number: number / Self.fanOut), number, sum)
                }
            }
        }
        changed.removeAll()
    }

    /// Calls `body` with every block that holds anything, and the slots or numbers below that are taken in it.
    mutating func visitLowestBlocks(_ body: (UInt64, [UInt8]) throws(VaultError) -> Void) throws(VaultError) {
        try visit(Place(level: height - 1, number: 0), body)
    }

    private mutating func visit(
        _ place: Place, _ body: (UInt64, [UInt8]) throws(VaultError) -> Void
    ) throws(VaultError) {
        let block = try block(at: place)
        if place.level == 0 {
            try body(place.number * Self.fanOut, block)
        } else {
            for index in 0..<Self.fanOut where block[Self.range(of: index)].contains(where: { $0 != 0 }) {
                try visit(Place(level: place.level - 1, number: place.number * Self.fanOut + index), body)
            }
        }
        blocks[place] = nil
    }

    private var capacity: UInt64 { (0..<height).reduce(1) { product, _ in product * Self.fanOut } }

    /// The position in its block of the entry for a slot or for a block below.
    static func range(of number: UInt64) -> Range<Int> {
        let start = Int(number % fanOut) * entryBytes
        return start..<start + entryBytes
    }

    private mutating func grow() throws(VaultError) {
        try flush()
        var block = Self.emptyBlock
        block.replaceSubrange(Self.range(of: 0), with: top)
        let place = Place(level: height, number: 0)
        blocks[place] = block
        changed.insert(place)
        height += 1
    }

    private mutating func change(_ place: Place, _ number: UInt64, _ entry: [UInt8]) throws(VaultError) {
        _ = try block(at: place)
        blocks[place, default: Self.emptyBlock].replaceSubrange(Self.range(of: number), with: entry)
        changed.insert(place)
    }

    /// A block, verified against the hash above it when it is read.
    private mutating func block(at place: Place) throws(VaultError) -> [UInt8] {
        if let block = blocks[place] { return block }
        let expected: [UInt8]
        if place.level == height - 1 {
            expected = top
        } else {
            let above = try block(at: Place(level: place.level + 1, number: place.number / Self.fanOut))
            expected = Array(above[Self.range(of: place.number)])
        }
        let block = expected == Self.emptyEntry ? Self.emptyBlock : try load(place, expecting: expected)
        blocks[place] = block
        return block
    }

    private func load(_ place: Place, expecting sum: [UInt8]) throws(VaultError) -> [UInt8] {
        let found = try database.query(
            "SELECT block FROM sums WHERE level = ? AND number = ?", Self.values(place)
        ) { row throws(VaultError) in try row.blob(0) }
        guard let block = found.first else {
            throw VaultError(.missing, "A block of the tree of sums is missing.")
        }
        guard block.count == Self.emptyBlock.count,
            try keys.sum(level: place.level, number: place.number, block: block) == sum
        else { throw VaultError(.altered, "A block of the tree of sums is not the one that was written last.") }
        return block
    }

    private func store(_ place: Place) throws(VaultError) -> [UInt8] {
        let block = blocks[place] ?? Self.emptyBlock
        if block == Self.emptyBlock {
            try database.run("DELETE FROM sums WHERE level = ? AND number = ?", Self.values(place))
            return Self.emptyEntry
        }
        try database.run(
            "INSERT INTO sums (level, number, block) VALUES (?, ?, ?) "
                + "ON CONFLICT (level, number) DO UPDATE SET block = excluded.block",
            Self.values(place) + [.blob(block)])
        return try keys.sum(level: place.level, number: place.number, block: block)
    }

    private static func values(_ place: Place) -> [SQLiteValue] {
        [.integer(Int64(place.level)), .integer(Int64(clamping: place.number))]
    }
}
