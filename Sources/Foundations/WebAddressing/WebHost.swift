/// The host of a web address: an ASCII name or an IP address.
public enum WebHost: Hashable, Sendable, CustomStringConvertible {
    /// A name in lower case, 1 to 253 characters in labels of 1 to 63 with dots between them.
    ///
    /// Labels have letters, digits, hyphens and underscores, and no hyphen at either end; international names stand in
    /// their ASCII form (`xn--…`).
    case name(String)
    /// The host is an IP address.
    case address(IPAddress)

    /// The most characters of a host name.
    public static let maximumNameCharacters = 253

    /// The most characters of a label of a host name.
    public static let maximumLabelCharacters = 63

    /// Reads a host as written in a web address: IPv6 in brackets.
    ///
    /// A name whose last label is a number must be an IPv4 address in its usual spelling. A dot at the end, per cent
    /// signs and zones are refused.
    ///
    /// - Throws: `host`, `hostNumber`.
    public init(parsing text: some StringProtocol) throws(WebAddressError) {
        let bytes = Array(text.utf8)
        if bytes.first == UInt8(ascii: "[") {
            let inner = String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
            guard bytes.last == UInt8(ascii: "]"), let address = IPv6Address(parsing: inner) else {
                throw WebAddressError(.host, "brackets must hold an IPv6 address without a zone")
            }
            self = .address(.v6(address))
        } else if Self.endsInNumber(bytes) {
            guard let address = IPv4Address(parsing: text) else {
                throw WebAddressError(.hostNumber, "a host that is a number must be four decimal numbers with dots")
            }
            self = .address(.v4(address))
        } else {
            guard Self.isName(bytes) else {
                throw WebAddressError(.host, "the host is not a name in ASCII letters, digits and hyphens")
            }
            self = .name(String(decoding: bytes.map(URICharacterClass.lowercased), as: UTF8.self))
        }
    }

    /// The host as written in a web address: IPv6 in brackets.
    public var description: String {
        switch self {
        case .name(let name): name
        case .address(.v4(let address)): address.description
        case .address(.v6(let address)): "[\(address)]"
        }
    }

    private static func labels(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
        text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    }

    private static func isName(_ text: [UInt8]) -> Bool {
        guard (1...maximumNameCharacters).contains(text.count) else { return false }
        return labels(text).allSatisfy { label in
            let hyphen = UInt8(ascii: "-")
            return (1...maximumLabelCharacters).contains(label.count) && label.first != hyphen && label.last != hyphen
                && label.allSatisfy {
                    URICharacterClass.isLetter($0) || URICharacterClass.isDigit($0) || $0 == hyphen
                        || $0 == UInt8(ascii: "_")
                }
        }
    }

    /// Returns true when some library would read the host as a number: its last label is decimal or hexadecimal.
    private static func endsInNumber(_ text: [UInt8]) -> Bool {
        var parts = labels(text)
        if parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
        guard let last = parts.last, !last.isEmpty else { return false }
        if last.allSatisfy(URICharacterClass.isDigit) { return true }
        let isHex = last.first == UInt8(ascii: "0") && last.dropFirst().first.map { $0 | 0x20 } == UInt8(ascii: "x")
        return isHex && last.dropFirst(2).allSatisfy(URICharacterClass.isHexDigit)
    }
}
