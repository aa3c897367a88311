import ByteCoding

/// One layer of a code, as it was taken off: its kind and the bytes that were inside.
public struct CodeLayer: Hashable, Sendable {
    /// The kinds of layers around the credential of a code.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// A text that comes before the encoded bytes, such as `HC1:`.
        case prefix
        /// Base 45 (RFC 9285).
        case base45
        /// Base 64 or base64url (RFC 4648).
        case base64
        /// Hexadecimal digits.
        case hexadecimal
        /// A number in decimal digits, or pairs of digits for characters.
        case digits
        /// The zlib format (RFC 1950).
        case zlib
        /// The gzip format (RFC 1952).
        case gzip
        /// Compressed data without a frame (RFC 1951).
        case deflate
        /// A ZIP archive with `certificate.json`.
        case zip
        /// Bytes of UTF-8 that a scanner read as Latin-1.
        case latin1 = "latin-1"
        /// JSON that is written as CBOR (PixelPass).
        case jsonAsCBOR = "json-as-cbor"
        /// An encrypted COSE object (COSE_Encrypt0, RFC 9052, section 5.2).
        case encryption
    }

    /// The kind of the layer.
    public let kind: Kind
    /// The text of a prefix, or the algorithm of an encryption; nil for other layers.
    public let detail: String?
    /// The number of bytes inside the layer.
    public let count: Int

    /// The layer in words, such as `zlib, 562 bytes inside`.
    public var text: String {
        let name = kind.rawValue.parts(at: "-").joined(separator: " ")
        return "\(name)\(detail.map { " \($0)" } ?? ""), \(count) bytes inside"
    }

    /// Makes the description of a layer.
    init(_ kind: Kind, _ detail: String? = nil, count: Int) {
        self.kind = kind
        self.detail = detail
        self.count = count
    }
}
