import ByteCoding

/// A device address: six bytes, printed most significant first.
///
/// Source: Core Specification 5.3, Vol 6 Part B §1.3.
public struct DeviceAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The kind of a device address: public, or random.
    public enum Kind: UInt8, Hashable, Sendable {
        /// The address is public: assigned to the device's maker.
        case `public` = 0
        /// The address is random: drawn for the life of the device or for a while.
        case random = 1
    }

    /// The 48 bits of the address.
    public let value: UInt64

    /// The kind of the address: public or random.
    public let kind: Kind

    /// Makes an address from the lower 48 bits of `value`.
    public init(value: UInt64, kind: Kind) {
        self.value = value & 0xFFFF_FFFF_FFFF
        self.kind = kind
    }

    /// Makes a static random address (its two highest bits set) from the lower 46 bits of `entropy`.
    public init(staticRandom entropy: UInt64) {
        self.init(value: entropy | 0xC000_0000_0000, kind: .random)
    }

    /// Reads an address of six bytes, least significant first; nil for another number of bytes.
    public init?(littleEndian wire: some Collection<UInt8>, kind: Kind) {
        guard wire.count == 6 else { return nil }
        self.init(value: UInt64(littleEndianBytes: wire), kind: kind)
    }

    /// The address as six bytes on the wire, least significant first.
    public var littleEndian: [UInt8] {
        stride(from: UInt64(0), to: 48, by: 8).map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// Orders addresses by value, then by kind, so that lists of them have a fixed order.
    public static func < (left: DeviceAddress, right: DeviceAddress) -> Bool {
        (left.value, left.kind.rawValue) < (right.value, right.kind.rawValue)
    }

    /// The address as text: six pairs of upper-case hexadecimal digits joined by colons.
    public var description: String {
        littleEndian.reversed().map { Hex.encode([$0]).uppercased() }.joined(separator: ":")
    }
}
