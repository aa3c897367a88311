/// A cursor over received bytes: every read returns nil instead of running past the end.
public struct ByteReader: Sendable {
    @usableFromInline let bytes: ArraySlice<UInt8>
    @usableFromInline var position: Int

    /// Makes a reader at the first byte of a slice.
    public init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// Makes a reader at the first byte of an array.
    public init(_ bytes: [UInt8]) {
        self.init(bytes[...])
    }

    /// The number of bytes that have not been read.
    public var remainingCount: Int { bytes.endIndex - position }

    /// True when every byte has been read.
    public var isAtEnd: Bool { remainingCount == 0 }

    /// Reads `count` bytes; nil, and nothing is consumed, when fewer are left.
    public mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= remainingCount else { return nil }
        defer { position += count }
        return bytes[position..<position + count]
    }

    /// Reads all that is left; empty at the end.
    public mutating func rest() -> ArraySlice<UInt8> {
        defer { position = bytes.endIndex }
        return bytes[position...]
    }

    /// Reads one byte.
    public mutating func byte() -> UInt8? {
        guard position < bytes.endIndex else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// Reads an unsigned integer, most significant byte first.
    @inlinable
    public mutating func bigEndian<Value: FixedWidthInteger & UnsignedInteger>(_: Value.Type) -> Value? {
        let count = Value.bitWidth / 8
        guard count <= bytes.endIndex - position else { return nil }
        var value: Value = 0
        for index in position..<position + count { value = value << 8 | Value(truncatingIfNeeded: bytes[index]) }
        position += count
        return value
    }

    /// Reads an unsigned integer, least significant byte first.
    @inlinable
    public mutating func littleEndian<Value: FixedWidthInteger & UnsignedInteger>(_: Value.Type) -> Value? {
        bigEndian(Value.self)?.byteSwapped
    }
}
