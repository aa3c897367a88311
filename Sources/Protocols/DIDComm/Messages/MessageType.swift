import ByteCoding

/// A protocol family at a version, such as `https://didcomm.org/connections/1.0`.
///
/// Shape: `PREFIX/FAMILY/MAJOR.MINOR`. The prefixes `https://didcomm.org` and `did:sov:BzCbsNYhMrjHiqZDTUASHg;spec`
/// mean the same and are both read; the first is written. Source: RFC 0003, RFC 0348.
public struct MessageProtocol: Hashable, Sendable, CustomStringConvertible {
    /// The organisation that defines a protocol family.
    public enum Namespace: Hashable, Sendable {
        /// The DIDComm community, under any of its prefixes.
        case community
        /// Another publisher, given by its prefix without the slash after it.
        case other(String)
    }

    /// The prefix that is used for sending, without the slash after it.
    public static let prefix = "https://didcomm.org"

    /// The prefixes of the DIDComm community, without the slash after them.
    public static let communityPrefixes = [prefix, "http://didcomm.org", "did:sov:BzCbsNYhMrjHiqZDTUASHg;spec"]

    /// The longest message type that is read, in bytes.
    public static let maximumBytes = 256

    /// The organisation that defines the protocol family.
    public let namespace: Namespace

    /// The name of the protocol family, such as `out-of-band`.
    public let family: String

    /// The major version; versions of one major number understand each other.
    public let major: Int

    /// The minor version; later minor versions only add to earlier ones.
    public let minor: Int

    /// Makes a protocol of the DIDComm community.
    public init(_ family: String, _ major: Int, _ minor: Int) {
        namespace = .community
        self.family = family
        self.major = major
        self.minor = minor
    }

    /// Reads a protocol's URI, with or without a slash at its end.
    ///
    /// Throws `didcomm.message.type-malformed`.
    public init(parsing text: String) throws(DIDCommError) {
        let trimmed = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard let found = Self.read(trimmed.parts(at: "/", omittingEmptySubsequences: false), text) else {
            throw DIDCommError(.typeMalformed, "the text is not a protocol of the form PREFIX/FAMILY/MAJOR.MINOR")
        }
        self = found
    }

    /// Returns true when both protocols can read each other's messages: same family, same major version.
    public func isCompatible(with other: MessageProtocol) -> Bool {
        namespace == other.namespace && family == other.family && major == other.major
    }

    /// The protocol's URI with the prefix that is used for sending.
    public var description: String {
        let prefix =
            switch namespace {
            case .community: Self.prefix
            case .other(let prefix): prefix
            }
        return "\(prefix)/\(family)/\(major).\(minor)"
    }

    private init(_ namespace: Namespace, _ family: String, _ major: Int, _ minor: Int) {
        self.namespace = namespace
        self.family = family
        self.major = major
        self.minor = minor
    }

    /// Reads a protocol from the parts of its URI between slashes; nil when they name none.
    static func read(_ parts: [Substring], _ text: String) -> MessageProtocol? {
        guard text.utf8.count <= maximumBytes, parts.count >= 3, let version = parts.last else { return nil }
        let numbers = version.parts(at: ".", omittingEmptySubsequences: false)
        let family = parts[parts.count - 2]
        guard numbers.count == 2, let major = number(numbers[0]), let minor = number(numbers[1]), isName(family)
        else { return nil }
        let prefix = parts.dropLast(2).joined(separator: "/")
        guard !prefix.isEmpty else { return nil }
        let namespace: Namespace = communityPrefixes.contains(prefix) ? .community : .other(prefix)
        return MessageProtocol(namespace, String(family), major, minor)
    }

    private static func number(_ text: Substring) -> Int? {
        guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    static func isName(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
                default: false
                }
            }
    }
}

/// The type of a message: protocol and name, such as `https://didcomm.org/connections/1.0/request`.
public struct MessageType: Hashable, Sendable, CustomStringConvertible {
    /// The protocol with its version.
    public let `protocol`: MessageProtocol

    /// The name of the message in the protocol.
    public let name: String

    /// Makes the type of the message `name` of a protocol.
    public init(_ protocol: MessageProtocol, _ name: String) {
        self.protocol = `protocol`
        self.name = name
    }

    /// Reads the URI of a message type.
    ///
    /// Throws `didcomm.message.type-malformed`.
    public init(parsing text: String) throws(DIDCommError) {
        let parts = text.parts(at: "/", omittingEmptySubsequences: false)
        guard let name = parts.last, MessageProtocol.isName(name),
            let found = MessageProtocol.read(parts.dropLast(), text)
        else { throw DIDCommError(.typeMalformed, "the text is not a type of the form PREFIX/FAMILY/MAJOR.MINOR/NAME") }
        `protocol` = found
        self.name = String(name)
    }

    /// Returns true for the same message name of the same protocol family and major version; the minor one may differ.
    public func isSame(as other: MessageType) -> Bool {
        name == other.name && `protocol`.isCompatible(with: other.protocol)
    }

    /// True for a problem report, spelt with a hyphen in some families and an underscore in others.
    public var isProblemReport: Bool { name == "problem-report" || name == "problem_report" }

    /// The message type's URI with the prefix that is used for sending.
    public var description: String { "\(`protocol`)/\(name)" }
}
