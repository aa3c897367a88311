import SQLiteEngine

/// The latest authenticated version of every record: a hash tree whose root is in the sealed header.
///
/// A record has a slot, a number that is never used again. The tree's leaf blocks hold, for each of 64 adjacent slots,
/// the authentication tag of the record's latest ciphertext, or zeros when there is none; each block above holds the
/// keyed hashes of 64 blocks below. An older record or block that is restored does not match the hashes above it, up to
/// the header, which is one for the whole vault.
struct HashTree {
    static let fanOut: UInt64 = 64
    static let entryBytes = 16
    static let emptyEntry = [UInt8](repeating: 0, count: entryBytes)
    static let maximumHeight = 9
    /// The number of slots that a tree of the greatest height can have: 64 to the ninth.
    static let slotLimit: UInt64 = 1 << 54
    /// The most blocks of 1 KiB that are cached within a transaction.
    static let rememberedBlocks = 4096

    private static let emptyBlock = [UInt8](repeating: 0, count: Int(fanOut) * entryBytes)

    /// The address of a block: level 0 is the lowest, and numbers count from 0 in each level.
    struct BlockAddress: Hashable {
        let level: Int
        let number: UInt64
    }

    private(set) var height: Int
    private(set) var top: [UInt8]

    private let database: SQLiteDatabase
    private let keys: VaultKeys
    private var blocks: [BlockAddress: [UInt8]] = [:]
    private var changed: Set<BlockAddress> = []

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
        let block = try block(at: BlockAddress(level: 0, number: slot / Self.fanOut))
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
        try change(BlockAddress(level: 0, number: slot / Self.fanOut), slot, entry)
    }

    /// Writes changed blocks into the database and computes the root.
    mutating func flush() throws(VaultError) {
        for level in 0..<height {
            for number in changed.filter({ $0.level == level }).map(\.number).sorted() {
                let sum = try store(BlockAddress(level: level, number: number))
                if level == height - 1 {
                    top = sum
                } else {
                    try change(BlockAddress(level: level + 1, number: number / Self.fanOut), number, sum)
                }
            }
        }
        changed.removeAll()
    }

    /// Calls `body` with every block that holds anything, and the slots or numbers below that are taken in it.
    mutating func visitLowestBlocks(_ body: (UInt64, [UInt8]) throws(VaultError) -> Void) throws(VaultError) {
        try visit(BlockAddress(level: height - 1, number: 0), body)
    }

    private mutating func visit(
        _ address: BlockAddress, _ body: (UInt64, [UInt8]) throws(VaultError) -> Void
    ) throws(VaultError) {
        let block = try block(at: address)
        if address.level == 0 {
            try body(address.number * Self.fanOut, block)
        } else {
            for index in 0..<Self.fanOut where block[Self.range(of: index)].contains(where: { $0 != 0 }) {
                try visit(BlockAddress(level: address.level - 1, number: address.number * Self.fanOut + index), body)
            }
        }
        blocks[address] = nil
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
        let address = BlockAddress(level: height, number: 0)
        blocks[address] = block
        changed.insert(address)
        height += 1
    }

    private mutating func change(_ address: BlockAddress, _ number: UInt64, _ entry: [UInt8]) throws(VaultError) {
        _ = try block(at: address)
        blocks[address, default: Self.emptyBlock].replaceSubrange(Self.range(of: number), with: entry)
        changed.insert(address)
    }

    /// A block, verified against the hash above it when it is read.
    private mutating func block(at address: BlockAddress) throws(VaultError) -> [UInt8] {
        if let block = blocks[address] { return block }
        let expected: [UInt8]
        if address.level == height - 1 {
            expected = top
        } else {
            let above = try block(at: BlockAddress(level: address.level + 1, number: address.number / Self.fanOut))
            expected = Array(above[Self.range(of: address.number)])
        }
        let block = expected == Self.emptyEntry ? Self.emptyBlock : try load(address, expecting: expected)
        blocks[address] = block
        return block
    }

    private func load(_ address: BlockAddress, expecting sum: [UInt8]) throws(VaultError) -> [UInt8] {
        let found = try database.query(
            "SELECT block FROM sums WHERE level = ? AND number = ?", Self.values(address)
        ) { row throws(VaultError) in try row.blob(0) }
        guard let block = found.first else {
            throw VaultError(.missing, "A block of the tree of sums is missing.")
        }
        guard block.count == Self.emptyBlock.count,
            try keys.sum(level: address.level, number: address.number, block: block) == sum
        else { throw VaultError(.altered, "A block of the tree of sums is not the one that was written last.") }
        return block
    }

    private func store(_ address: BlockAddress) throws(VaultError) -> [UInt8] {
        let block = blocks[address] ?? Self.emptyBlock
        if block == Self.emptyBlock {
            try database.run("DELETE FROM sums WHERE level = ? AND number = ?", Self.values(address))
            return Self.emptyEntry
        }
        try database.run(
            "INSERT INTO sums (level, number, block) VALUES (?, ?, ?) "
                + "ON CONFLICT (level, number) DO UPDATE SET block = excluded.block",
            Self.values(address) + [.blob(block)])
        return try keys.sum(level: address.level, number: address.number, block: block)
    }

    private static func values(_ address: BlockAddress) -> [SQLiteValue] {
        [.integer(Int64(address.level)), .integer(Int64(clamping: address.number))]
    }
}
