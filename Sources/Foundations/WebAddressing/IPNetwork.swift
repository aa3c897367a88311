/// An IP network: the addresses that share a prefix, written `10.0.0.0/8` (RFC 4632; RFC 4291, section 2.3).
public struct IPNetwork: Hashable, Sendable, CustomStringConvertible {
    /// The first address of the network; its bits behind the prefix are 0.
    public let address: IPAddress

    /// The number of bits that the addresses share: 0 to 32 of version 4, 0 to 128 of version 6.
    public let prefixLength: Int

    /// Reads `address/length`, or one address, which means a network of only it; nil for everything else.
    ///
    /// Bits behind the prefix must be 0, because a network written with others is a mistake more often than not.
    public init?(parsing text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String($0) }
        guard (1...2).contains(parts.count), let first = parts.first?.flatMap({ $0 }),
            let address = IPAddress(parsing: first)
        else { return nil }
        let longest = Self.bitCount(of: address)
        var length = longest
        if parts.count == 2 {
            guard let digits = parts[1], (1...3).contains(digits.utf8.count),
                digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(digits), number <= longest
            else { return nil }
            length = number
        }
        self.init(address, prefixLength: length)
        guard self.address == address else { return nil }
    }

    /// Makes the network of an address with a prefix length.
    ///
    /// - Parameter prefixLength: at most 32 or 128 bits, by the version.
    public init(_ address: IPAddress, prefixLength: Int) {
        precondition((0...Self.bitCount(of: address)).contains(prefixLength), "a prefix is no longer than its address")
        self.prefixLength = prefixLength
        switch address {
        case .v4(let v4): self.address = .v4(IPv4Address(bits: v4.bits & Self.mask32(prefixLength)))
        case .v6(let v6):
            self.address = .v6(
                IPv6Address(
                    high: v6.high & Self.mask64(min(prefixLength, 64)),
                    low: v6.low & Self.mask64(max(prefixLength - 64, 0))))
        }
    }

    /// Returns true for an address in the network; an IPv4 address may also come as `::ffff:192.0.2.1`.
    public func contains(_ other: IPAddress) -> Bool {
        for candidate in [other, Self.unmapped(other)] {
            switch (address, candidate) {
            case (.v4, .v4), (.v6, .v6):
                if IPNetwork(candidate, prefixLength: prefixLength).address == address { return true }
            case (.v4, .v6), (.v6, .v4): break
            }
        }
        return false
    }

    /// Returns the IPv4 address in an IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2); others unchanged.
    private static func unmapped(_ address: IPAddress) -> IPAddress {
        guard case .v6(let v6) = address, v6.high == 0, v6.low >> 32 == 0xFFFF else { return address }
        return .v4(IPv4Address(bits: UInt32(truncatingIfNeeded: v6.low)))
    }

    /// The network as `address/length`.
    public var description: String { "\(address)/\(prefixLength)" }

    private static func bitCount(of address: IPAddress) -> Int {
        switch address {
        case .v4: 32
        case .v6: 128
        }
    }

    private static func mask32(_ length: Int) -> UInt32 { length == 0 ? 0 : .max << (32 - UInt32(length)) }

    private static func mask64(_ length: Int) -> UInt64 { length == 0 ? 0 : .max << (64 - UInt64(length)) }
}
