extension Array where Element == UInt8 {
    /// Appends `value`, most significant byte first.
    @inlinable
    public mutating func appendBigEndian(_ value: some FixedWidthInteger & UnsignedInteger) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// Appends `value`, least significant byte first.
    @inlinable
    public mutating func appendLittleEndian(_ value: some FixedWidthInteger & UnsignedInteger) {
        for shift in stride(from: 0, to: value.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
