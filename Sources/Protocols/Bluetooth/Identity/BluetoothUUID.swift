import ByteCoding

/// The UUID of a Bluetooth service, characteristic or descriptor: 16, 32 or 128 bits.
///
/// Every short form stands for a 128-bit one on the Bluetooth base UUID `0000xxxx-0000-1000-8000-00805F9B34FB`, and two
/// values are equal when those are equal. Source: Core Specification 5.3, Vol 3 Part B §2.5.1.
public struct BluetoothUUID: Hashable, Sendable, CustomStringConvertible {
    // Two words instead of an array of bytes: a UUID goes with every write, and must not cost an allocation.
    private let high: UInt64
    private let low: UInt64

    private static let baseHigh: UInt64 = 0x0000_0000_0000_1000
    private static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

    /// Makes a UUID from its first and last eight bytes, each read with the most significant byte first.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Makes a UUID of the Bluetooth base range from its 16-bit form.
    public init(_ short: UInt16) {
        self.init(UInt32(short))
    }

    /// Makes a UUID of the Bluetooth base range from its 32-bit form.
    public init(_ short: UInt32) {
        self.init(high: UInt64(short) << 32 | Self.baseHigh, low: Self.baseLow)
    }

    /// Reads a UUID such as `0000180A-0000-1000-8000-00805F9B34FB`, `180A` or `0000180A`; nil for other text.
    public init?(_ text: some StringProtocol) {
        let groups = text.parts(at: "-", omittingEmptySubsequences: false).map(\.utf8.count)
        guard groups == [4] || groups == [8] || groups == [8, 4, 4, 4, 12],
            let value = Hex.decode(String(text.filter { $0 != "-" }))
        else { return nil }
        self.init(littleEndian: value.reversed())
    }

    /// Reads the UUID's form on the wire: 2, 4 or 16 bytes, least significant first; nil for another count.
    public init?(littleEndian wire: some Collection<UInt8>) {
        func number(_ bytes: some Collection<UInt8>) -> UInt64 {
            var value: UInt64 = 0
            var shift: UInt64 = 0
            for byte in bytes {
                value |= UInt64(byte) << shift
                shift += 8
            }
            return value
        }
        switch wire.count {
        case 2, 4: self.init(UInt32(truncatingIfNeeded: number(wire)))
        case 16: self.init(high: number(wire.dropFirst(8)), low: number(wire.prefix(8)))
        default: return nil
        }
    }

    /// The 128-bit form of the UUID, most significant byte first: 16 bytes.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        bytes.appendBigEndian(high)
        bytes.appendBigEndian(low)
        return bytes
    }

    /// The 16-bit form of the UUID; nil when it has none.
    public var short: UInt16? {
        guard low == Self.baseLow, high & 0xFFFF_FFFF == Self.baseHigh else { return nil }
        return UInt16(exactly: high >> 32)
    }

    /// The shortest form of the UUID that ATT and advertising carry: 2 or 16 bytes, least significant first.
    public var littleEndian: [UInt8] {
        guard let short else { return bytes.reversed() }
        return [UInt8(truncatingIfNeeded: short), UInt8(truncatingIfNeeded: short >> 8)]
    }

    /// The 128-bit form of the UUID as text in the usual groups, upper case.
    public var description: String {
        let digits = Array(Hex.encode(bytes).uppercased())
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }
}
