/// The target of a request on its server: path and query.
///
/// Origin form of RFC 9112, `/path?name=value`. A path is kept decoded, with `/` between its segments: what came as
/// `%2F` is a slash like any other.
public struct RequestTarget: Hashable, Sendable, CustomStringConvertible {
    /// One part of a query.
    public struct QueryItem: Hashable, Sendable {
        /// The name of a query item, decoded.
        public let name: String
        /// The value of a query item, decoded; empty where there is no equals sign.
        public let value: String

        /// Makes a query item from its parts.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The longest target, in bytes as written.
    public static let maximumBytes = 8192
    /// The most parts of a query.
    public static let maximumQueryItems = 64

    /// The target as the request line has it: begins with a slash, visible ASCII.
    public let text: String

    /// The decoded path: begins with a slash, has no control character and no segment `.` or `..`.
    public let path: String

    /// The decoded items of the query, in their order.
    public let query: [QueryItem]

    /// Reads the text of a target, without a fragment.
    ///
    /// - Throws: `web.address.malformed` for a text that begins without a slash, is longer than `maximumBytes`, holds
    ///   anything but visible ASCII, is wrongly percent-encoded, is not UTF-8 when decoded, or has control characters,
    ///   dot segments or more than `maximumQueryItems` parts when decoded.
    public init(parsing text: String) throws(WebError) {
        guard text.utf8.count <= Self.maximumBytes else { throw Self.error("is longer than 8192 bytes") }
        guard text.utf8.first == UInt8(ascii: "/") else { throw Self.error("does not begin with a slash") }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
            throw Self.error("holds a character that must be encoded")
        }
        let parts = text.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        let items = parts.count < 2 || parts[1].isEmpty ? [] : parts[1].split(separator: UInt8(ascii: "&"))
        guard items.count <= Self.maximumQueryItems else { throw Self.error("has too many parts in its query") }
        path = try Self.checkedPath(Self.decoded(Array(parts[0]), plusIsBlank: false))
        var query: [QueryItem] = []
        for item in items { query.append(try Self.item(Self.decoded(Array(item), plusIsBlank: true))) }
        self.query = query
        self.text = text
    }

    /// The target `/`.
    static let root = RequestTarget()

    private init() { (text, path, query) = ("/", "/", []) }

    /// The path between its slashes; the root has none, and a slash at the end makes a last, empty one.
    public var segments: [String] {
        path == "/" ? [] : Self.segments(of: path)
    }

    /// The first value of a name in the query, or nil.
    public func value(of name: String) -> String? { query.first { $0.name == name }?.value }

    /// The target as the request line has it.
    public var description: String { text }

    private static func item(_ bytes: [UInt8]) throws(WebError) -> QueryItem {
        let halves = bytes.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        let name = try checkedText(halves.first.map(Array.init) ?? [])
        return QueryItem(name, halves.count < 2 ? "" : try checkedText(Array(halves[1])))
    }

    private static func checkedPath(_ bytes: [UInt8]) throws(WebError) -> String {
        guard bytes.count <= maximumBytes else { throw error("is longer than 8192 bytes") }
        guard bytes.first == UInt8(ascii: "/") else { throw error("does not begin with a slash") }
        let path = try checkedText(bytes)
        guard !segments(of: path).contains(where: { $0 == "." || $0 == ".." }) else {
            throw error("has a dot for a segment")
        }
        return path
    }

    /// Splits a path at the bytes of slashes, also at a slash that a combining mark makes part of one character.
    private static func segments(of path: String) -> [String] {
        path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
    }

    private static func checkedText(_ bytes: [UInt8]) throws(WebError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw error("is not UTF-8") }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw error("holds a control character") }
        return text
    }

    private static func decoded(_ bytes: [UInt8], plusIsBlank: Bool) throws(WebError) -> [UInt8] {
        guard let decoded = PercentCoding.decode(bytes, plusIsBlank: plusIsBlank) else {
            throw error("is wrongly percent-encoded")
        }
        return decoded
    }

    private static func error(_ what: String) -> WebError { WebError(.addressMalformed, "The target \(what).") }
}
