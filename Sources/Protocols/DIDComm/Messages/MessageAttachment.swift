import ByteCoding
public import CryptoSuite
public import JSON

/// An attachment of a message, RFC 0017.
///
/// Shape: `{@id?, mime-type?, filename?, description?, data: {base64 | json | links, sha256?, jws?}}`.
public struct MessageAttachment: Hashable, Sendable {
    /// The content of an attachment, or the addresses at which it is.
    public enum Content: Hashable, Sendable {
        /// Data in base 64 as received, in either alphabet, padded or not, because signatures are over this text.
        case base64(String)
        /// Data as JSON inside the message.
        case json(JSONValue)
        /// Links to the data, and its hash; nothing is fetched here.
        case links([String], sha256: String?)
    }

    /// The most attachments that one message may have, unless a protocol allows more.
    public static let maximumCount = 16

    /// The most bytes of an attachment that are decoded: 768 KiB, which fit into a message of 1 MiB.
    public static let maximumBytes = 786_432

    /// The identifier `@id` of the attachment; nil where a message can have only one.
    public var id: String?

    /// The media type of the attachment; it decides nothing, because agents write different ones.
    public var mimeType: String?

    /// A file name that the sender suggests: untrusted text.
    public var filename: String?

    /// The sender's description of the attachment: untrusted text.
    public var summary: String?

    /// The data of the attachment, or links to them.
    public var content: Content

    /// The signature over the content, in the form of a JSON web signature without its payload.
    public var jws: JSONValue?

    /// Makes an attachment of bytes.
    public init(id: String? = nil, mimeType: String? = nil, bytes: [UInt8], jws: JSONValue? = nil) {
        self.init(id: id, mimeType: mimeType, content: .base64(Base64URL.encode(bytes)), jws: jws)
    }

    /// Makes a message attachment from its parts.
    public init(id: String? = nil, mimeType: String? = nil, content: Content, jws: JSONValue? = nil) {
        self.id = id
        self.mimeType = mimeType
        self.content = content
        self.jws = jws
    }

    /// Reads an attachment.
    ///
    /// Throws `didcomm.attachment.malformed`.
    public init(_ reader: JSONValueReader) throws(DIDCommError) {
        do throws(JSONError) {
            try self.init(reading: reader)
        } catch {
            throw DIDCommError(.attachmentMalformed, error.description)
        }
    }

    private init(reading reader: JSONValueReader) throws(JSONError) {
        id = try reader.optionalString("@id")
        mimeType = try reader.optionalString("mime-type")
        filename = try reader.optionalString("filename")
        summary = try reader.optionalString("description")
        let data = try reader.member("data")
        jws = try data.optional("jws")?.value
        if let base64 = try data.optionalString("base64") {
            content = .base64(base64)
        } else if let json = try data.optional("json") {
            content = .json(json.value)
        } else if let links = try data.optional("links") {
            let texts = if let one = links.value.string { [one] } else { try links.strings() }
            content = .links(texts, sha256: try data.optionalString("sha256"))
        } else {
            throw data.error(.missing, "neither base64 nor json nor links is")
        }
    }

    /// Decodes the content of the attachment to bytes.
    ///
    /// Throws `didcomm.attachment.malformed` for what is no base 64 and for links, and `didcomm.attachment.too-large`.
    public func payload() throws(DIDCommError) -> [UInt8] {
        switch content {
        case .json(let value): return value.encoded
        case .links: throw DIDCommError(.attachmentMalformed, "the content is elsewhere")
        case .base64(let text):
            guard text.utf8.count <= Self.maximumBytes / 3 * 4 + 4 else {
                throw DIDCommError(.attachmentTooLarge, "the content has more than \(Self.maximumBytes) bytes")
            }
            guard let bytes = Base64URL.decode(text, acceptsBothAlphabets: true) else {
                throw DIDCommError(.attachmentMalformed, "the content is not base 64")
            }
            return bytes
        }
    }

    /// Reads the content as JSON in any form, also from a JSON text in a JSON string.
    ///
    /// Throws as `payload()` does, and `didcomm.attachment.malformed` for what is no JSON.
    public func json(limits: JSONLimits = Message.limits) throws(DIDCommError) -> JSONValue {
        if case .json(let value) = content {
            guard case .string(let text) = value else { return value }
            return try Self.parsed(Array(text.utf8), limits)
        }
        return try Self.parsed(try payload(), limits)
    }

    private static func parsed(_ bytes: [UInt8], _ limits: JSONLimits) throws(DIDCommError) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue(parsing: bytes, limits: limits)
        } catch {
            throw DIDCommError(.attachmentMalformed, error.description)
        }
    }

    /// The attachment as JSON to write into a message.
    public var value: JSONValue {
        var data = JSONObject()
        switch content {
        case .base64(let text): data["base64"] = .string(text)
        case .json(let value): data["json"] = value
        case .links(let links, let sha256):
            data["links"] = .strings(links)
            data["sha256"] = sha256.map { .string($0) }
        }
        data["jws"] = jws
        return .object(
            JSONObject(present: [
                "@id": id.map { .string($0) }, "mime-type": mimeType.map { .string($0) },
                "filename": filename.map { .string($0) }, "description": summary.map { .string($0) },
                "data": .object(data),
            ]))
    }
}

extension Message {
    /// Reads the attachments, an array or a single one, under the first of `names` that the message has.
    ///
    /// Throws `didcomm.attachment.malformed`, and `didcomm.attachment.too-many` beyond `maximum`.
    public func attachments(
        _ names: String..., maximum: Int = MessageAttachment.maximumCount
    ) throws(DIDCommError) -> [MessageAttachment] {
        for name in names {
            guard let value = object[name], !value.isNull else { continue }
            return try MessageAttachment.all(in: JSONValueReader(value, at: .member(.root, name)), maximum: maximum)
        }
        return []
    }
}

extension MessageAttachment {
    /// Reads an array of attachments, or a single one, like `Message.attachments`.
    public static func all(
        in reader: JSONValueReader, maximum: Int = MessageAttachment.maximumCount
    ) throws(DIDCommError) -> [MessageAttachment] {
        guard let values = reader.value.array else { return [try MessageAttachment(reader)] }
        guard values.count <= maximum else {
            throw DIDCommError(.attachmentTooMany, "the message has more than \(maximum) attachments")
        }
        var attachments: [MessageAttachment] = []
        for (index, value) in values.enumerated() {
            attachments.append(try MessageAttachment(JSONValueReader(value, at: .element(reader.path, index))))
        }
        return attachments
    }
}

/// Signs attachments and verifies their signatures.
extension MessageAttachment {
    /// Makes an attachment of bytes in padded base64url with the agent's signature over them.
    ///
    /// Throws `crypto.invalid-key` when the seed is not 32 bytes.
    public static func signed(
        id: String? = nil, mimeType: String? = nil, bytes: [UInt8], seed: Secret
    ) throws(CryptoError) -> MessageAttachment {
        MessageAttachment(
            id: id, mimeType: mimeType, content: .base64(Base64URL.encode(bytes, isPadded: true)),
            jws: .object(try AttachmentSignature.sign(bytes, seed: seed)))
    }

    /// Verifies all signatures over `payload()` and returns the keys that made them.
    ///
    /// Throws also `didcomm.jws.missing` when there are none, and what `payload()` throws.
    @discardableResult
    public func verifySignatures(by signers: [Verkey]? = nil) throws(DIDCommError) -> [Verkey] {
        guard let jws else { throw DIDCommError(.jwsMissing, "the attachment is not signed") }
        return try AttachmentSignature.verify(
            JSONValueReader(jws, at: ["data", "jws"]), payload: try payload(), by: signers)
    }
}
