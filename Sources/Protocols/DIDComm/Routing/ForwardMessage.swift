import ByteCoding
import JSON

/// A forward message to a mediator: the next recipient, and the envelope for it.
///
/// Source: RFC 0094. A sender wraps an envelope once for each routing key in the order of the list, so that the last
/// key opens the outermost layer; each layer says which key opens the next.
public struct ForwardMessage: Hashable, Sendable {
    /// The message type of forwards; the minor version is ignored when reading.
    static let type = MessageType(MessageProtocol("routing", 1, 0), "forward")

    /// The next recipient: a key in base 58 or as did:key, or a DID.
    public let recipient: String

    /// The envelope to forward, byte for byte.
    public let envelope: [UInt8]

    /// Makes the forward message with `envelope` for the owner of `recipient`.
    public init(to recipient: Verkey, envelope: [UInt8]) {
        self.recipient = recipient.base58
        self.envelope = envelope
    }

    /// The key of the next recipient; nil when the recipient is a DID.
    public var recipientKey: Verkey? { try? Verkey(parsing: recipient) }

    /// Reads a forward message, which a mediator got from an envelope.
    ///
    /// The envelope may be an object, which is kept byte for byte, or as older senders write it a string that holds the
    /// object, plainly or in base 64. Throws `didcomm.forward.malformed` for another message and for missing or wrong
    /// members; the envelope itself is not opened.
    public init(parsing message: [UInt8], limits: EnvelopeLimits = .standard) throws(DIDCommError) {
        let jsonLimits = JSONLimits(
            maximumBytes: limits.maximumBytes, maximumDepth: 8, maximumStringBytes: limits.maximumBytes,
            maximumMembers: 64, maximumElements: 64)
        do {
            let document = try JSONDocument(parsing: message, limits: jsonLimits)
            let type = try MessageType(parsing: try document.reader.string("@type"))
            guard type.isSame(as: Self.type) else {
                throw DIDCommError(.forwardMalformed, "the message is not a forward")
            }
            recipient = try document.reader.string("to")
            let inner = try document.reader.member("msg")
            envelope =
                try inner.value.object == nil
                ? Self.envelope(in: try inner.string()) : Array(try document.bytes(at: inner.path))
        } catch {
            throw DIDCommError(.forwardMalformed, "the message is not a forward that is taken: \(error)")
        }
        guard !recipient.isEmpty, recipient.utf8.count <= Self.maximumRecipientBytes else {
            throw DIDCommError(.forwardMalformed, "the forward names no recipient within the limit")
        }
    }

    private static let maximumRecipientBytes = 2048

    /// Reads the envelope in a string, as plain JSON or in base 64.
    private static func envelope(in text: String) throws(DIDCommError) -> [UInt8] {
        let plain = Array(text.utf8)
        let bytes = begins(plain) ? plain : Base64URL.decode(text, acceptsBothAlphabets: true) ?? []
        guard begins(bytes) else { throw DIDCommError(.forwardMalformed, "the forward holds no envelope") }
        return bytes
    }

    private static func begins(_ bytes: [UInt8]) -> Bool {
        bytes.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D } == UInt8(ascii: "{")
    }

    /// Encodes the forward message as UTF-8; `identifier` is its `@id`.
    public func encoded(identifier: String) -> [UInt8] {
        let head: JSONObject = [
            "@type": .string(Self.type.description), "@id": .string(identifier), "to": .string(recipient),
        ]
        var bytes = head.encoded
        bytes.removeLast()
        bytes.reserveCapacity(bytes.count + envelope.count + 16)
        bytes.append(contentsOf: ",\"msg\":".utf8)
        bytes.append(contentsOf: envelope)
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }
}
