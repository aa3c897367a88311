import ByteCoding

/// The name of a service, a characteristic or a descriptor: 16, 32 or 128 bits.
///
/// Every short form stands for a 128-bit one on the Bluetooth base UUID `0000xxxx-0000-1000-8000-00805F9B34FB`, and two
/// values are equal when those are equal. Source: Core Specification 5.3, Vol 3 Part B §2.5.1.
public struct BluetoothUUID: Hashable, Sendable, CustomStringConvertible {
    /// The 128-bit form, most significant byte first: 16 bytes.
    public let bytes: [UInt8]

    private static let base: [UInt8] = [
        0, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0x80, 0x5F, 0x9B, 0x34, 0xFB,
    ]

    /// Makes a UUID of the Bluetooth base range from its 16-bit form.
    public init(_ short: UInt16) {
        self.init(UInt32(short))
    }

    /// Makes a UUID of the Bluetooth base range from its 32-bit form.
    public init(_ short: UInt32) {
        var head: [UInt8] = []
        head.appendBigEndian(short)
        bytes = head + Self.base[4...]
    }

    /// Reads `0000180A-0000-1000-8000-00805F9B34FB`, `180A` or `0000180A`, in either case; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count)
        guard groups == [4] || groups == [8] || groups == [8, 4, 4, 4, 12],
            let value = Hex.decode(String(text.filter { $0 != "-" }))
        else { return nil }
        bytes = value.count == 16 ? value : Array(repeating: 0, count: 4 - value.count) + value + Self.base[4...]
    }

    /// Reads the form that is on the air: 2, 4 or 16 bytes, least significant first; nil for any other count.
    public init?(littleEndian wire: some Collection<UInt8>) {
        switch wire.count {
        case 2: bytes = [0, 0] + wire.reversed() + Self.base[4...]
        case 4: bytes = wire.reversed() + Self.base[4...]
        case 16: bytes = wire.reversed()
        default: return nil
        }
    }

    /// The 16-bit form, if the UUID has one.
    public var short: UInt16? {
        guard bytes[0] == 0, bytes[1] == 0, bytes[4...] == Self.base[4...] else { return nil }
        return UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    }

    /// The shortest form that ATT and advertising carry, least significant byte first: 2 or 16 bytes.
    public var littleEndian: [UInt8] {
        short == nil ? bytes.reversed() : [bytes[3], bytes[2]]
    }

    /// The 128-bit form in the usual groups, upper case.
    public var description: String {
        let digits = Array(Hex.encode(bytes).uppercased())
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }
}
