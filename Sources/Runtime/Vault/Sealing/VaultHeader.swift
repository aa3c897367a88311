import ByteCoding

/// The vault's header; sealed, and rewritten by every writing transaction.
struct VaultHeader: Hashable {
    /// The number of committed writing transactions.
    var generation: UInt64 = 0
    /// The slot of the record that is inserted next; slots are never used again.
    var nextSlot: UInt64 = 0
    /// The number of records in the vault.
    var recordCount: UInt64 = 0
    /// The number of levels of the hash tree.
    var height: UInt8 = 1
    /// The hash of the tree's root block; zeros when it is empty.
    var top = HashTree.emptyEntry

    /// Generation, next slot and number of records (8 each), height (1), top (16).
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        for number in [generation, nextSlot, recordCount] { bytes.appendBigEndian(number) }
        return bytes + [height] + top
    }

    init() {}

    /// Reads the bytes of `encoded`; nil for other bytes.
    init?(decoding bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard let generation = reader.bigEndian(UInt64.self), let nextSlot = reader.bigEndian(UInt64.self),
            let count = reader.bigEndian(UInt64.self), let height = reader.byte(),
            let top = reader.bytes(HashTree.entryBytes), reader.isAtEnd, nextSlot <= HashTree.slotLimit,
            count <= nextSlot,
            (1...HashTree.maximumHeight).contains(Int(height))
        else { return nil }
        self.generation = generation
        self.nextSlot = nextSlot
        recordCount = count
        self.height = height
        self.top = Array(top)
    }
}
