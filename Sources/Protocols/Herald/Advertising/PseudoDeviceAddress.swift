import ByteCoding
public import Determinism

/// Six bytes that identify a device whose Bluetooth address changes every few seconds.
///
/// Layout: right after the company number, in the order of `bytes` (HP-27). Source: Herald protocol specification,
/// Device discovery introspection; the deployed libraries for the number form.
public struct PseudoDeviceAddress: Hashable, Comparable, Sendable {
    /// The number of bytes of a pseudo device address: 6.
    public static let byteCount = 6

    /// The pseudo address as a number of 48 bits, the first byte lowest.
    public let value: UInt64

    /// Makes an address from 48 bits, the lowest of which are sent first.
    public init(value: UInt64) { self.value = value & 0xFFFF_FFFF_FFFF }

    /// Makes the address that the deployed libraries derive from a number.
    ///
    /// Its little-endian bytes without the first two.
    ///
    /// Numbers that differ only in their lowest 16 bits give one address.
    public init(number: Int64) { self.init(value: UInt64(bitPattern: number) >> 16) }

    /// Makes a random address that cannot be predicted from earlier ones (HP-28).
    public init(random: inout some RandomSource) {
        self.init(value: UInt64(bigEndianBytes: random.bytes(count: Self.byteCount)))
    }

    /// Reads a pseudo address of six bytes; nil for any other count.
    public init?(parsing bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        var value: UInt64 = 0
        var shift: UInt64 = 0
        for byte in bytes {
            value |= UInt64(byte) << shift
            shift += 8
        }
        self.init(value: value)
    }

    /// The six bytes of the address in the order of transmission.
    public var bytes: [UInt8] {
        stride(from: UInt64(0), to: 48, by: 8).map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// The address as the number that the deployed libraries derive: two zero bytes in front, read little-endian.
    public var number: Int64 { Int64(bitPattern: value << 16) }

    /// Orders addresses by value, so that lists of them have a fixed order.
    public static func < (left: PseudoDeviceAddress, right: PseudoDeviceAddress) -> Bool { left.value < right.value }
}
