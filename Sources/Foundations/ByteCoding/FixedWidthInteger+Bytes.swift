extension FixedWidthInteger {
    /// Makes the number whose bytes these are, the most significant first, of any count.
    ///
    /// Of more bytes than the type holds, the last ones count. Missing bytes are zero.
    @inlinable
    public init(bigEndianBytes bytes: some Sequence<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
    }

    /// Makes the number whose bytes these are, the least significant first, of any count.
    ///
    /// Of more bytes than the type holds, the first ones count. Missing bytes are zero.
    @inlinable
    public init(littleEndianBytes bytes: some Sequence<UInt8>) {
        var (number, shift): (Self, Int) = (0, 0)
        for byte in bytes {
            number |= Self(truncatingIfNeeded: byte) << shift
            shift += 8
        }
        self = number
    }
}
