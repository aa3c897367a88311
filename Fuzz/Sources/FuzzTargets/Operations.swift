import ByteCoding

/// Reads an input as a list of operations, so that changed bytes make another story instead of noise.
struct Operations {
    private var reader: ByteReader

    init(_ input: [UInt8]) { reader = ByteReader(input) }

    /// True when no operation is left to read.
    var isAtEnd: Bool { reader.isAtEnd }

    /// A byte; 0 at the end.
    mutating func byte() -> UInt8 { reader.byte() ?? 0 }

    /// A number below `bound`.
    mutating func below(_ bound: Int) -> Int { Int(byte()) % max(1, bound) }

    /// A number of 16 bits.
    mutating func word() -> UInt16 { reader.littleEndian(UInt16.self) ?? UInt16(byte()) }

    /// Bytes after a byte that says how many; fewer at the end.
    mutating func run() -> [UInt8] {
        let count = min(Int(byte()), reader.remainingCount)
        return reader.bytes(count).map(Array.init) ?? []
    }

    /// Bytes after a length of two bytes; fewer at the end.
    mutating func longRun() -> [UInt8] {
        let count = min(Int(word()), reader.remainingCount)
        return reader.bytes(count).map(Array.init) ?? []
    }

    /// All bytes that are left of the input.
    mutating func rest() -> [UInt8] { Array(reader.rest()) }
}

extension [UInt8] {
    /// The bytes after a byte that says how many, as `Operations.run` reads them.
    var counted: [UInt8] { [UInt8(truncatingIfNeeded: count)] + prefix(255) }

    /// The bytes after their number in two bytes, as `Operations.longRun` reads them.
    var longCounted: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(UInt16(clamping: count))
        return bytes + prefix(65_535)
    }
}
