/// An IPv4 address.
public struct IPv4Address: Hashable, Sendable, CustomStringConvertible {
    /// The 32 bits of the address, the first number in the highest eight.
    public let bits: UInt32

    /// Makes the address of these 32 bits.
    public init(bits: UInt32) {
        self.bits = bits
    }

    /// Makes the address that is written `first.second.third.fourth`.
    public init(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) {
        bits = UInt32(first) << 24 | UInt32(second) << 16 | UInt32(third) << 8 | UInt32(fourth)
    }

    /// Reads four decimal numbers up to 255 with dots between them; nil for every other spelling.
    ///
    /// Leading zeros, octal and hexadecimal numbers, fewer numbers than four and blanks are refused, because libraries
    /// disagree about what they mean.
    public init?(parsing text: some StringProtocol) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bits: UInt32 = 0
        for part in parts {
            guard let number = Self.number(part) else { return nil }
            bits = bits << 8 | UInt32(number)
        }
        self.bits = bits
    }

    /// The four bytes of the address in network byte order.
    public var bytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> $0) } }

    /// The address as four decimal numbers with dots between them.
    public var description: String { bytes.map(String.init).joined(separator: ".") }

    private static func number(_ digits: some Collection<UInt8>) -> UInt8? {
        guard (1...3).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0") else { return nil }
        var value = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return UInt8(exactly: value)
    }
}
