/// An IP address of version 4 or 6.
public enum IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// An IPv4 address.
    case v4(IPv4Address)
    /// An IPv6 address.
    case v6(IPv6Address)

    /// Reads the usual spelling of either version; nil for everything else.
    public init?(parsing text: some StringProtocol) {
        if let address = IPv4Address(parsing: text) {
            self = .v4(address)
        } else if let address = IPv6Address(parsing: text) {
            self = .v6(address)
        } else {
            return nil
        }
    }

    /// The canonical text, without brackets.
    public var description: String {
        switch self {
        case .v4(let address): address.description
        case .v6(let address): address.description
        }
    }

    /// The address with every wrapping of IPv4 in IPv6 removed: the one that packets reach in the end.
    public var unwrapped: IPAddress {
        if case .v6(let address) = self, let inner = address.wrappedIPv4 { return .v4(inner) }
        return self
    }

    /// The part of the address that its holder cannot choose freely: the first 64 bits of IPv6, all of IPv4.
    ///
    /// Counts and limits by source use this address.
    public var source: IPAddress {
        guard case .v6(let address) = unwrapped else { return unwrapped }
        return isOwnMachine ? self : .v6(IPv6Address(high: address.high, low: 0))
    }

    /// True for an address by which a machine reaches itself: `127.0.0.0/8` and `::1`.
    public var isOwnMachine: Bool {
        switch unwrapped {
        case .v4(let address): address.bits >> 24 == 127
        case .v6(let address): address.high == 0 && address.low == 1
        }
    }
}
