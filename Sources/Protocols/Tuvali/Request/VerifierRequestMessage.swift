/// A verifier's request: bytes of any content with their media type.
///
/// Shape on the wire, before compression and encryption: length of the media type (1 byte), media type (ASCII),
/// content. Source: the profile `Documentation/Profiles/request.md`, "Message".
public struct VerifierRequestMessage: Hashable, Sendable {
    /// The media type of a signed request object (RFC 9101).
    public static let signedRequestType = "application/oauth-authz-req+jwt"

    /// The media type of a request object without signature.
    public static let plainRequestType = "application/json"

    /// The most bytes of a media type.
    public static let maximumTypeBytes = 127

    /// The most bytes of the content: 64 KiB.
    public static let maximumContentBytes = 65_536

    /// The media type: 1 to 127 printable ASCII characters without blanks.
    public let mediaType: String

    /// The content: 1 to 65,536 bytes.
    public let content: [UInt8]

    /// Makes a request from its media type and content.
    ///
    /// - Throws: `tuvali.session.misused` for a media type or a content that the profile does not carry.
    public init(mediaType: String, content: [UInt8]) throws(TuvaliError) {
        guard Self.isMediaType(Array(mediaType.utf8)) else {
            throw TuvaliError(.sessionMisused, "A media type has 1 to 127 printable ASCII characters.")
        }
        guard (1...Self.maximumContentBytes).contains(content.count) else {
            throw TuvaliError(
                .sessionMisused, "A request has 1 to \(Self.maximumContentBytes) bytes, this one \(content.count).")
        }
        self.mediaType = mediaType
        self.content = content
    }

    /// Reads a request from decompressed bytes; nil when they are malformed.
    init?(parsing bytes: [UInt8]) {
        guard let count = bytes.first.map(Int.init), count > 0, bytes.count > count + 1,
            bytes.count - count - 1 <= Self.maximumContentBytes
        else { return nil }
        let type = bytes[1...count]
        guard Self.isMediaType(Array(type)) else { return nil }
        mediaType = String(decoding: type, as: UTF8.self)
        content = Array(bytes[(count + 1)...])
    }

    /// The request as the bytes that are compressed and sealed.
    var bytes: [UInt8] { [UInt8(mediaType.utf8.count)] + mediaType.utf8 + content }

    private static func isMediaType(_ bytes: [UInt8]) -> Bool {
        (1...maximumTypeBytes).contains(bytes.count) && bytes.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
