import ByteCoding
import CryptoSuite

/// The five forms of did:peer.
///
/// Source: Peer DID Method Specification, methods 0 to 4. Digests are SHA-256, 32 bytes.
public enum PeerDID: Hashable, Sendable {
    /// A did:peer:0: one key, from which its document follows.
    case key(Curve25519PublicKey)
    /// A did:peer:1: the hash of a document that the peer has to send ("numeric basis").
    case genesis(digest: [UInt8])
    /// A did:peer:2: its keys and services, one after the other.
    case parts([PeerDIDElement])
    /// A did:peer:3: the hash of a did:peer:2 that must be known.
    case partsHash(digest: [UInt8])
    /// A did:peer:4 in its long form, with the bytes of its document.
    case long(digest: [UInt8], document: [UInt8])
    /// A did:peer:4 in its short form: the hash of a long form that must be known.
    case short(digest: [UInt8])

    /// The purpose of a key in a did:peer:2.
    public enum Purpose: Character, Hashable, Sendable, CaseIterable {
        /// The key makes assertions (assertionMethod).
        case assertion = "A"
        /// The key delegates capabilities (capabilityDelegation).
        case delegation = "D"
        /// The key agrees on secrets (keyAgreement).
        case agreement = "E"
        /// The key invokes capabilities (capabilityInvocation).
        case invocation = "I"
        /// The key authenticates as the subject (authentication).
        case authentication = "V"
    }

    /// One part of a did:peer:2: a key or a service.
    public enum PeerDIDElement: Hashable, Sendable {
        /// A key with its purpose; nil, though counted, when it is of an unsupported kind.
        case key(Purpose, Curve25519PublicKey?)
        /// A service, as the bytes of its JSON.
        case service([UInt8])
    }

    /// The most parts that a did:peer:2 may have.
    public static let maximumParts = 32

    /// The longest document in a did:peer:4, in bytes.
    public static let maximumDocumentBytes = 8192

    static let prefix = "did:peer:"

    /// Reads the part of the DID after `did:peer:`.
    init(parsing text: String) throws(DIDCommError) {
        let value = String(text.dropFirst())
        switch text.first {
        case "0": self = .key(try Curve25519PublicKey(multibase: value))
        case "1": self = .genesis(digest: try Self.digest(value))
        case "2": self = .parts(try Self.parts(value))
        case "3": self = .partsHash(digest: try Self.digest(value))
        case "4": self = try Self.documentForm(value)
        default: throw DIDCommError(.didMalformed, "a did:peer begins with one of the numbers 0 to 4")
        }
    }

    /// Returns the short form of a long did:peer:4 with this text; nil for the other forms.
    func shortForm(of text: String) -> PeerDID? {
        switch self {
        case .parts: .partsHash(digest: Self.partsDigest(of: text))
        case .long(let digest, _): .short(digest: digest)
        case .key, .genesis, .partsHash, .short: nil
        }
    }

    /// Returns the text of the short form of a long did:peer:4; nil for the other forms.
    func shortText(of text: String) -> String? {
        switch shortForm(of: text) {
        case .partsHash(let digest): Self.prefix + "3" + Multihash.text(ofDigest: digest)
        case .short(let digest): Self.prefix + "4" + Multihash.text(ofDigest: digest)
        case .key, .genesis, .parts, .long, nil: nil
        }
    }

    private static func digest(_ text: String) throws(DIDCommError) -> [UInt8] {
        guard let digest = Multihash.digest(in: text) else {
            throw DIDCommError(.didMalformed, "the did:peer holds no SHA-256 hash in base 58")
        }
        return digest
    }

    /// Returns the digest of the text after `did:peer:2`, the first full stop included.
    private static func partsDigest(of text: String) -> [UInt8] {
        SHA256.hash(Array(text.utf8.dropFirst(prefix.utf8.count + 1)))
    }

    private static func parts(_ text: String) throws(DIDCommError) -> [PeerDIDElement] {
        let texts = text.parts(at: ".", maxSplits: maximumParts + 1, omittingEmptySubsequences: false)
        guard texts.count > 1, texts[0].isEmpty else {
            throw DIDCommError(.didMalformed, "a did:peer:2 consists of parts, each begun by a full stop")
        }
        guard texts.count <= maximumParts + 1 else {
            throw DIDCommError(.didTooLong, "a did:peer:2 has at most \(maximumParts) parts")
        }
        var parts: [PeerDIDElement] = []
        for text in texts.dropFirst() { parts.append(try part(text)) }
        guard parts.contains(where: { if case .key = $0 { true } else { false } }) else {
            throw DIDCommError(.didMalformed, "a did:peer:2 has at least one key")
        }
        return parts
    }

    private static func part(_ text: Substring) throws(DIDCommError) -> PeerDIDElement {
        guard let letter = text.first else { throw DIDCommError(.didMalformed, "a part of the did:peer:2 is empty") }
        let value = text.dropFirst()
        if letter == "S" {
            guard let bytes = Base64URL.decode(value), !bytes.isEmpty else {
                throw DIDCommError(.didMalformed, "a service of the did:peer:2 is not in base64url")
            }
            return .service(bytes)
        }
        guard let purpose = Purpose(rawValue: letter) else {
            throw DIDCommError(
                .didMalformed, "a part of the did:peer:2 begins with none of the letters A, D, E, I, S, V")
        }
        do {
            return .key(purpose, try Curve25519PublicKey(multibase: value))
        } catch  where error.code == .keyUnsupported {
            return .key(purpose, nil)
        }
    }

    private static func documentForm(_ text: String) throws(DIDCommError) -> PeerDID {
        let parts = text.parts(at: ":", omittingEmptySubsequences: false)
        let digest = try digest(String(parts.first ?? ""))
        guard parts.count > 1 else { return .short(digest: digest) }
        guard parts.count == 2, let bytes = Multibase.decode(parts[1], maximumCharacters: DID.maximumCharacters),
            let (code, document) = Multicodec.split(bytes), code == Multicodec.json
        else { throw DIDCommError(.didMalformed, "the long part of the did:peer:4 is not a JSON document in base 58") }
        guard document.count <= maximumDocumentBytes else {
            throw DIDCommError(.didTooLong, "the document is longer than \(maximumDocumentBytes) bytes")
        }
        guard SHA256.hash(Array(parts[1].utf8)) == digest else {
            throw DIDCommError(.didHashMismatch, "the did:peer:4 does not have the hash that it names")
        }
        return .long(digest: digest, document: Array(document))
    }
}
