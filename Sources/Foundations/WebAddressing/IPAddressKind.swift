/// The purpose of an IP address, which decides if a link from a stranger may lead there.
public enum IPAddressKind: String, CaseIterable, Sendable {
    /// An address on the public internet.
    case `public` = "public"
    /// The address of this machine itself.
    case loopback = "loopback"
    /// A network behind a router (RFC 1918), or the old site-local addresses.
    case `private` = "private"
    /// An address of machines on the same cable or radio network.
    case linkLocal = "link-local"
    /// The private networks of IPv6 (unique local addresses).
    case uniqueLocal = "unique-local"
    /// A network behind a carrier's address translation (RFC 6598).
    case carrier = "carrier"
    /// The address from which virtual machines in a cloud fetch their own secrets.
    case metadata = "metadata"
    /// A multicast address: a group of many machines at once.
    case multicast = "multicast"
    /// The broadcast address: all machines of a network at once.
    case broadcast = "broadcast"
    /// An address for examples in documents; no host answers there.
    case documentation = "documentation"
    /// The unspecified address (`0.0.0.0`, `::`), which many systems treat as this machine.
    case unspecified = "unspecified"
    /// Any other address that is not on the public internet.
    case reserved = "reserved"
}

extension IPAddress {
    /// The purpose of the address; a wrapped IPv4 address counts as the address that it wraps.
    ///
    /// Source: IANA's registries of special-purpose addresses, and the addresses where clouds hand out secrets.
    public var kind: IPAddressKind {
        switch unwrapped {
        case .v4(let address): SpecialNetworkTable.kind(of: address)
        case .v6(let address): SpecialNetworkTable.kind(of: address)
        }
    }
}

/// The table of special networks, narrow ones before the wider ones around them.
private enum SpecialNetworkTable {
    static func kind(of address: IPv4Address) -> IPAddressKind {
        for row in version4 where address.bits >> (32 - row.length) == row.network.bits >> (32 - row.length) {
            return row.kind
        }
        return .public
    }

    static func kind(of address: IPv6Address) -> IPAddressKind {
        for row in version6 where shared(address, row.network) >= row.length { return row.kind }
        return address.high >> 61 == 1 ? .public : .reserved
    }

    /// Returns the number of leading bits that two addresses have in common.
    private static func shared(_ left: IPv6Address, _ right: IPv6Address) -> Int {
        let high = (left.high ^ right.high).leadingZeroBitCount
        return high < 64 ? high : 64 + (left.low ^ right.low).leadingZeroBitCount
    }

    private typealias Row4 = (network: IPv4Address, length: UInt32, kind: IPAddressKind)
    private typealias Row6 = (network: IPv6Address, length: Int, kind: IPAddressKind)

    private static let version4: [Row4] = [
        (IPv4Address(0, 0, 0, 0), 32, .unspecified),
        (IPv4Address(0, 0, 0, 0), 8, .reserved),
        (IPv4Address(10, 0, 0, 0), 8, .private),
        (IPv4Address(100, 100, 100, 200), 32, .metadata),
        (IPv4Address(100, 64, 0, 0), 10, .carrier),
        (IPv4Address(127, 0, 0, 0), 8, .loopback),
        (IPv4Address(168, 63, 129, 16), 32, .metadata),
        (IPv4Address(169, 254, 169, 253), 32, .metadata),
        (IPv4Address(169, 254, 169, 254), 32, .metadata),
        (IPv4Address(169, 254, 170, 2), 32, .metadata),
        (IPv4Address(169, 254, 170, 23), 32, .metadata),
        (IPv4Address(169, 254, 0, 0), 16, .linkLocal),
        (IPv4Address(172, 16, 0, 0), 12, .private),
        (IPv4Address(192, 0, 0, 192), 32, .metadata),
        (IPv4Address(192, 0, 0, 0), 24, .reserved),
        (IPv4Address(192, 0, 2, 0), 24, .documentation),
        (IPv4Address(192, 88, 99, 0), 24, .reserved),
        (IPv4Address(192, 168, 0, 0), 16, .private),
        (IPv4Address(198, 18, 0, 0), 15, .reserved),
        (IPv4Address(198, 51, 100, 0), 24, .documentation),
        (IPv4Address(203, 0, 113, 0), 24, .documentation),
        (IPv4Address(224, 0, 0, 0), 4, .multicast),
        (IPv4Address(255, 255, 255, 255), 32, .broadcast),
        (IPv4Address(240, 0, 0, 0), 4, .reserved),
    ]

    private static let version6: [Row6] = [
        (IPv6Address(high: 0, low: 0), 128, .unspecified),
        (IPv6Address(high: 0, low: 1), 128, .loopback),
        (IPv6Address(high: 0x0064_FF9B_0001_0000, low: 0), 48, .private),
        (IPv6Address(high: 0x2001_0000_0000_0000, low: 0), 23, .reserved),
        (IPv6Address(high: 0x2001_0DB8_0000_0000, low: 0), 32, .documentation),
        (IPv6Address(high: 0x3FFF_0000_0000_0000, low: 0), 20, .documentation),
        (IPv6Address(high: 0xFD00_0EC2_0000_0000, low: 0x254), 128, .metadata),
        (IPv6Address(high: 0xFD00_0EC2_0000_0000, low: 0x23), 128, .metadata),
        (IPv6Address(high: 0xFD20_00CE_0000_0000, low: 0x254), 128, .metadata),
        (IPv6Address(high: 0xFC00_0000_0000_0000, low: 0), 7, .uniqueLocal),
        (IPv6Address(high: 0xFE80_0000_0000_0000, low: 0), 10, .linkLocal),
        (IPv6Address(high: 0xFEC0_0000_0000_0000, low: 0), 10, .private),
        (IPv6Address(high: 0xFF00_0000_0000_0000, low: 0), 8, .multicast),
    ]
}
