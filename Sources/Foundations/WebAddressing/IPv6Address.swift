import ByteCoding

/// An IPv6 address without a zone.
public struct IPv6Address: Hashable, Sendable, CustomStringConvertible {
    /// The first 64 bits.
    public let high: UInt64

    /// The last 64 bits.
    public let low: UInt64

    /// Makes the address of these two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Makes the address of 16 bytes in network byte order; nil for another number of bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        high = UInt64(bigEndianBytes: bytes.prefix(8))
        low = UInt64(bigEndianBytes: bytes.suffix(8))
    }

    /// Reads the text forms of RFC 4291, section 2.2.
    ///
    /// `::` occurs at most once, and the last 32 bits may be written as IPv4.
    ///
    /// Brackets and zones (`%eth0`) are refused.
    public init?(parsing text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard (2...45).contains(bytes.count), let groups = Self.groups(bytes) else { return nil }
        high = groups.prefix(4).reduce(0) { $0 << 16 | UInt64($1) }
        low = groups.suffix(4).reduce(0) { $0 << 16 | UInt64($1) }
    }

    /// The sixteen bytes of the address in network byte order.
    public var bytes: [UInt8] {
        [high, low].flatMap { half in stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> $0) }
        }
    }

    /// The canonical text of RFC 5952; mapped IPv4 addresses end in four numbers with dots.
    public var description: String {
        if high == 0, low >> 32 == 0xFFFF { return "::ffff:\(IPv4Address(bits: UInt32(truncatingIfNeeded: low)))" }
        let groups = [high, low].flatMap { half in
            [48, 32, 16, 0].map { UInt16(truncatingIfNeeded: half >> $0) }
        }
        let words = groups.map { String($0, radix: 16) }
        guard let zeros = Self.longestZeros(groups) else { return words.joined(separator: ":") }
        return words[..<zeros.lowerBound].joined(separator: ":") + "::"
            + words[zeros.upperBound...].joined(separator: ":")
    }

    /// The IPv4 address inside an IPv6 address that only wraps it; nil for another one.
    ///
    /// Mapped (`::ffff:0:0/96`), translated (`::ffff:0:0:0/96`) and compatible (`::/96`) addresses, NAT64
    /// (`64:ff9b::/96`) and 6to4 (`2002::/16`); nil for `::` and `::1`, which are no wrappings.
    public var wrappedIPv4: IPv4Address? {
        let last = IPv4Address(bits: UInt32(truncatingIfNeeded: low))
        if high == 0, low >> 32 == 0xFFFF || low >> 32 == 0 { return low > 1 ? last : nil }
        if high == 0, low >> 32 == 0xFFFF_0000 { return last }
        if high == 0x0064_FF9B_0000_0000, low >> 32 == 0 { return last }
        if high >> 48 == 0x2002 { return IPv4Address(bits: UInt32(truncatingIfNeeded: high >> 16)) }
        return nil
    }

    /// Reads the eight groups of 16 bits of an IPv6 address's text.
    private static func groups(_ text: [UInt8]) -> [UInt16]? {
        let colon = UInt8(ascii: ":")
        let gaps = text.indices.dropLast().filter { text[$0] == colon && text[$0 + 1] == colon }
        guard let gap = gaps.first else {
            return words(text[...], isLast: true).flatMap { $0.count == 8 ? $0 : nil }
        }
        guard gaps.count == 1, let head = words(text[..<gap], isLast: false),
            let tail = words(text[(gap + 2)...], isLast: true), head.count + tail.count < 8
        else { return nil }
        return head + [UInt16](repeating: 0, count: 8 - head.count - tail.count) + tail
    }

    /// Reads the groups between single colons; an empty text has none.
    private static func words(_ text: ArraySlice<UInt8>, isLast: Bool) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: UInt8(ascii: ":"), maxSplits: 8, omittingEmptySubsequences: false)
        var words: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if isLast, index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
                guard let end = IPv4Address(parsing: String(decoding: part, as: UTF8.self)) else { return nil }
                words += [UInt16(end.bits >> 16), UInt16(truncatingIfNeeded: end.bits)]
            } else {
                guard let word = word(part) else { return nil }
                words.append(word)
            }
        }
        return words
    }

    private static func word(_ digits: ArraySlice<UInt8>) -> UInt16? {
        guard (1...4).contains(digits.count), digits.allSatisfy(URICharacterClass.isHexDigit) else { return nil }
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    /// Returns the longest run of at least two zero groups, the first of several.
    private static func longestZeros(_ groups: [UInt16]) -> Range<Int>? {
        var best: Range<Int>?
        var start = 0
        for index in 0...groups.count where index == groups.count || groups[index] != 0 {
            if index - start > max(1, best?.count ?? 0) { best = start..<index }
            start = index + 1
        }
        return best
    }
}
