import ByteCoding
import CryptoSuite

/// A decentralised identifier, read from its text only.
///
/// Its method, the keys and hashes in it, and its equality with others.
///
/// Shape: `did:METHOD:ID` without path, query or fragment, or the base 58 of 16 bytes as older agents write it. The
/// text is kept unchanged. Hashes of its own content in the text have been checked. Source: DID Core 1.0, section 3.1;
/// did:key; did:peer; RFC 0160 for the unqualified form.
public struct DID: Hashable, Sendable, CustomStringConvertible {
    /// The DID method and the content of the method-specific identifier.
    public enum Method: Hashable, Sendable {
        /// A did:key, whose document follows from the key.
        case key(Curve25519PublicKey)
        /// A did:peer in one of its five forms.
        case peer(PeerDID)
        /// A did:sov, or its identifier without a method: `identifier` is the base 58 of 16 bytes.
        case sov(identifier: String)
        /// A DID of another method, given by name, which only a resolver can read.
        case other(String)
    }

    /// The longest DID that is read, in characters: a did:peer:4 with a document of `PeerDID.maximumDocumentBytes`.
    public static let maximumCharacters = 12_000

    /// The DID as it was read.
    public let text: String

    /// The DID method with the content of the method-specific identifier.
    public let method: Method

    /// The text by which two DIDs are compared; see `isSame(as:)`.
    public let identity: String

    /// Reads a DID.
    ///
    /// Throws `didcomm.did.too-long`, `didcomm.did.malformed`, the codes of its keys (`didcomm.key.…`), and
    /// `didcomm.did.hash-mismatch` when a long did:peer:4 does not have the hash that it names. An unknown method is no
    /// error here.
    public init(parsing text: String) throws(DIDCommError) {
        guard text.utf8.count <= Self.maximumCharacters else {
            throw DIDCommError(.didTooLong, "the DID is longer than \(Self.maximumCharacters) characters")
        }
        method = try Self.method(of: text)
        identity = Self.identity(of: method, text: text)
        self.text = text
    }

    init(text: String, method: Method) {
        self.text = text
        self.method = method
        identity = Self.identity(of: method, text: text)
    }

    /// Returns true when both DIDs name the same subject.
    ///
    /// A did:sov with and without its method is the same, and so is a did:peer in its long and short form.
    public func isSame(as other: DID) -> Bool { identity == other.identity }

    /// The short form of the DID, for use once the other side knows the long one.
    ///
    /// did:peer:3 for a did:peer:2, the short did:peer:4 for a long one, and the DID itself for all others.
    public var shortForm: DID {
        guard case .peer(let peer) = method, let short = peer.shortForm(of: text) else { return self }
        return DID(text: identity, method: .peer(short))
    }

    /// The DID as it was read.
    public var description: String { text }

    private static func method(of text: String) throws(DIDCommError) -> Method {
        guard text.hasPrefix("did:") else {
            return .sov(identifier: try identifier(text))
        }
        let parts = text.parts(at: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[1].isEmpty, parts[1].utf8.allSatisfy(isMethodCharacter), !parts[2].isEmpty,
            parts[2].utf8.allSatisfy(isIdentifierCharacter), parts[2].last != ":"
        else { throw DIDCommError(.didMalformed, "the text does not have the form did:METHOD:ID") }
        switch parts[1] {
        case "key": return .key(try Curve25519PublicKey(didKey: text))
        case "peer": return .peer(try PeerDID(parsing: String(parts[2])))
        case "sov": return .sov(identifier: try identifier(String(parts[2])))
        default: return .other(String(parts[1]))
        }
    }

    private static func identifier(_ text: String) throws(DIDCommError) -> String {
        guard text.utf8.count <= 22, Base58.decode(text)?.count == 16 else {
            throw DIDCommError(.didMalformed, "the text is not a DID: neither did:METHOD:ID nor 16 bytes in base 58")
        }
        return text
    }

    private static func identity(of method: Method, text: String) -> String {
        switch method {
        case .sov(let identifier): "did:sov:" + identifier
        case .peer(let peer): peer.shortText(of: text) ?? text
        case .key, .other: text
        }
    }

    private static func isMethodCharacter(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
    }

    private static func isIdentifierCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x3A, 0x41...0x5A, 0x61...0x7A, 0x25, 0x2D, 0x2E, 0x5F: true
        // Padded base 64 in an old did:peer:2.
        case 0x3D: true
        default: false
        }
    }
}

extension DID {
    /// Returns the unqualified DID that older agents derive from a key: base 58 of its first 16 bytes.
    public static func unqualified(of key: Verkey) -> DID {
        DID(text: key.unqualifiedDID, method: .sov(identifier: key.unqualifiedDID))
    }

    /// Returns the did:key of a key.
    public static func key(_ key: Curve25519PublicKey) -> DID { DID(text: key.didKey, method: .key(key)) }

    /// Makes the did:peer:2 of keys and services.
    ///
    /// The keys are numbered `#key-1` and so on in their order; each service is one JSON object, abbreviated or not.
    /// Throws `didcomm.did.too-long`, and `didcomm.did.malformed` without a key or with too many parts.
    public static func peer2(
        keys: [(purpose: PeerDID.Purpose, key: Curve25519PublicKey)], services: [[UInt8]]
    ) throws(DIDCommError) -> DID {
        let parts =
            keys.map { String($0.purpose.rawValue) + $0.key.multibase } + services.map { "S" + Base64URL.encode($0) }
        return try DID(parsing: PeerDID.prefix + "2" + parts.map { "." + $0 }.joined())
    }

    /// Makes the long did:peer:4 of a document, which is a JSON object without `id`.
    ///
    /// Throws `didcomm.did.too-long` when it is longer than `PeerDID.maximumDocumentBytes`. The caller ensures that the
    /// bytes are such a document.
    public static func peer4(document: [UInt8]) throws(DIDCommError) -> DID {
        guard document.count <= PeerDID.maximumDocumentBytes else {
            throw DIDCommError(.didTooLong, "the document is longer than \(PeerDID.maximumDocumentBytes) bytes")
        }
        let encoded = Multibase.encode(
            Multicodec.varint(Multicodec.json) + document, maximumBytes: PeerDID.maximumDocumentBytes + 2)
        let digest = SHA256.hash(Array(encoded.utf8))
        return DID(
            text: PeerDID.prefix + "4" + Multihash.text(ofDigest: digest) + ":" + encoded,
            method: .peer(.long(digest: digest, document: document)))
    }
}
