/// An absolute web address (`http`, `https`, `ws` or `wss`), read strictly.
///
/// It is so strict that no two readers disagree about where it leads.
///
/// The text has at most `maximumBytes` ASCII characters of RFC 3986, no credentials, a host in its usual spelling, and
/// a path without dot segments. What other software mends (blanks, backslashes, missing slashes) is refused. Two
/// addresses are equal when their canonical texts are.
public struct WebAddress: Hashable, Sendable, CustomStringConvertible {
    /// The most bytes of an address's text.
    public static let maximumBytes = 8192

    /// The scheme of the address: the protocol to use with the host, with TLS or without.
    public let scheme: WebScheme

    /// The host that the address names.
    public let host: WebHost

    /// The port, that of the scheme when the text gives none; never 0.
    public let port: UInt16

    /// The path, percent-encoded as received, with a slash at its beginning and without dot segments.
    public let path: String

    /// The query after the question mark, percent-encoded as received; nil without one.
    public let query: String?

    /// The fragment after the number sign, percent-encoded as received; nil without one.
    ///
    /// It is never sent.
    public let fragment: String?

    /// Reads an absolute address.
    ///
    /// - Throws: any code of `WebAddressError`.
    public init(parsing text: some StringProtocol) throws(WebAddressError) {
        guard text.utf8.count <= Self.maximumBytes else {
            throw WebAddressError(.tooLong, "the address has more than \(Self.maximumBytes) bytes")
        }
        let bytes = Array(text.utf8)
        try URICharacterClass.check(bytes)
        let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        let name = String(decoding: bytes[..<colon].map(URICharacterClass.lowercased), as: UTF8.self)
        guard colon < bytes.endIndex, let scheme = WebScheme(rawValue: name) else {
            throw WebAddressError(.scheme, "the address does not begin with http:, https:, ws: or wss:")
        }
        let rest = bytes[(colon + 1)...]
        guard rest.starts(with: "//".utf8) else {
            throw WebAddressError(.host, "two slashes and a host must follow the scheme")
        }
        let authority = rest.dropFirst(2).prefix { !"/?#".utf8.contains($0) }
        let tail = PathQueryFragment(rest[authority.endIndex...])
        try tail.check()
        self.scheme = scheme
        (host, port) = try Self.hostAndPort(authority, defaultPort: scheme.defaultPort)
        path = PathQueryFragment.withoutDotSegments(tail.path)
        query = tail.query
        fragment = tail.fragment
    }

    /// The canonical text: scheme and host in lower case, no port where it is the scheme's own.
    public var description: String {
        origin + requestTarget + (fragment.map { "#" + $0 } ?? "")
    }

    /// The origin of the address: scheme, host and port, which distinguish one site from another.
    public var origin: String { "\(scheme.rawValue)://\(authority)" }

    /// The host and port as in the header field `Host`: no port where it is the scheme's default.
    public var authority: String { port == scheme.defaultPort ? "\(host)" : "\(host):\(port)" }

    /// The path and query as in the first line of an HTTP request.
    public var requestTarget: String { path + (query.map { "?" + $0 } ?? "") }

    /// The address without its fragment, as requests use it.
    public var withoutFragment: WebAddress {
        WebAddress(scheme: scheme, host: host, port: port, path: path, query: query, fragment: nil)
    }

    /// Returns the address that a reference found at this one means, such as a redirect (RFC 3986, section 5.2).
    ///
    /// - Throws: any code of `WebAddressError`; `scheme` also for references to other schemes.
    public func resolving(_ reference: some StringProtocol) throws(WebAddressError) -> WebAddress {
        let bytes = Array(reference.utf8.prefix(Self.maximumBytes + 1))
        if Self.hasScheme(bytes) { return try WebAddress(parsing: reference) }
        if bytes.starts(with: "//".utf8) { return try WebAddress(parsing: "\(scheme.rawValue):\(reference)") }
        switch bytes.first {
        case UInt8(ascii: "/"): return try WebAddress(parsing: "\(origin)\(reference)")
        case UInt8(ascii: "?"): return try WebAddress(parsing: "\(origin)\(path)\(reference)")
        case UInt8(ascii: "#"), nil: return try WebAddress(parsing: "\(origin)\(requestTarget)\(reference)")
        default:
            let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? "/"
            return try WebAddress(parsing: "\(origin)\(folder)\(reference)")
        }
    }

    private init(
        scheme: WebScheme, host: WebHost, port: UInt16, path: String, query: String? = nil, fragment: String? = nil
    ) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
        self.query = query
        self.fragment = fragment
    }

    /// Returns true when a reference begins with a scheme, a known one or not.
    private static func hasScheme(_ reference: [UInt8]) -> Bool {
        let name = reference.prefix { !":/?#".utf8.contains($0) }
        return name.endIndex < reference.endIndex && reference[name.endIndex] == UInt8(ascii: ":")
    }

    private static func hostAndPort(
        _ authority: ArraySlice<UInt8>, defaultPort: UInt16
    ) throws(WebAddressError) -> (WebHost, UInt16) {
        guard !authority.contains(UInt8(ascii: "@")) else {
            throw WebAddressError(.credentials, "a user name or password stands before the host")
        }
        let bracket = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
        let colon = authority[bracket...].firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        let host = try WebHost(parsing: String(decoding: authority[..<colon], as: UTF8.self))
        guard colon < authority.endIndex else { return (host, defaultPort) }
        return (host, try port(authority[(colon + 1)...]))
    }

    private static func port(_ digits: ArraySlice<UInt8>) throws(WebAddressError) -> UInt16 {
        let isPlain = (1...5).contains(digits.count) && digits.allSatisfy(URICharacterClass.isDigit)
        guard isPlain, digits.first != UInt8(ascii: "0"),
            let port = UInt16(String(decoding: digits, as: UTF8.self))
        else { throw WebAddressError(.port, "the port is not a number from 1 to 65535") }
        return port
    }
}

/// The schemes that an address may have.
public enum WebScheme: String, CaseIterable, Sendable {
    /// The scheme of HTTP without TLS.
    case http
    /// The scheme of HTTP over TLS.
    case https
    /// The scheme of WebSocket without TLS.
    case ws
    /// The scheme of WebSocket over TLS.
    case wss

    /// True when TLS protects what is sent.
    public var isSecure: Bool { self == .https || self == .wss }

    /// True when the scheme opens a WebSocket.
    public var isWebSocket: Bool { self == .ws || self == .wss }

    /// The scheme's default port: 80, or 443 with TLS.
    public var defaultPort: UInt16 { isSecure ? 443 : 80 }
}
