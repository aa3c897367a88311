/// Cuts and checks as a deployed sender does: CRC-16/KERMIT over the payload alone, written big-endian.
public enum StockChunker {
    /// The most bytes of one write with that ATT MTU, as Android counts: min(MTU, 512) − 3.
    public static func writeBytes(mtu: Int) -> Int { min(mtu, 512) - 3 }

    /// Returns the number of chunks that `total` bytes make when a write holds `writeBytes`.
    public static func count(total: Int, writeBytes: Int) -> Int {
        let each = max(1, writeBytes - 4)
        return (total + each - 1) / each
    }

    /// Chunk `sequence`, counted from 1; empty when there is none of that number.
    public static func chunk(_ sequence: Int, of sealed: [UInt8], writeBytes: Int) -> [UInt8] {
        let each = max(1, writeBytes - 4)
        guard sequence >= 1, (sequence - 1) * each < sealed.count else { return [] }
        let payload = sealed[((sequence - 1) * each)..<min(sealed.count, sequence * each)]
        return bigEndian(sequence) + bigEndian(Int(checkValue(of: payload))) + payload
    }

    /// The check value: 0x2189 for the digits 1 to 9.
    public static func checkValue(of bytes: ArraySlice<UInt8>) -> UInt16 {
        var value: UInt16 = 0
        for byte in bytes { value = table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ (value >> 8) }
        return value
    }

    /// Two bytes, the higher one first; more than 16 bits are cut off.
    static func bigEndian(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }

    private static let table: [UInt16] = (0..<256).map { index in
        (0..<8).reduce(UInt16(index)) { value, _ in
            value & 1 == 0 ? value >> 1 : (value >> 1) ^ 0x8408
        }
    }
}

/// The transfer report: one byte of type, two of page count, two for each missing chunk.
public enum StockTransferReport: Hashable, Sendable {
    /// The report that the whole payload arrived.
    case success
    /// The chunks with these numbers are missing; numbers as Android reads them, signed.
    case missing([Int])
    /// A type that no release knows, or too few bytes to have one.
    case unreadable

    /// The report that a verifier sends: the first page only, with the count of all pages.
    public static func bytes(missing: [Int], writeBytes: Int) -> [UInt8] {
        guard !missing.isEmpty else { return [1, 0, 0] }
        let page = max(1, (writeBytes - 3) / 2)
        let pages = (missing.count + page - 1) / page
        return [0] + StockChunker.bigEndian(pages) + missing.prefix(page).flatMap { StockChunker.bigEndian($0) }
    }

    /// Reads a report as a wallet does: without the page count and an odd byte at the end.
    public init(reading value: [UInt8]) {
        switch value.first {
        case 1: self = .success
        case 0:
            let numbers = value.dropFirst(3)
            let pairs = stride(from: numbers.startIndex, to: numbers.endIndex - 1, by: 2)
            self = .missing(pairs.map { Int(Int16(bitPattern: UInt16(numbers[$0]) << 8 | UInt16(numbers[$0 + 1]))) })
        default: self = .unreadable
        }
    }
}
