public import CodedErrors

/// Why bytes are not CBOR that is taken.
public struct CBORError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// There are more bytes than the limits allow.
        case tooLarge = "cbor.too-large"
        /// Arrays, maps and tags lie deeper in one another than the limits allow.
        case tooDeep = "cbor.too-deep"
        /// There are more data items than the limits allow.
        case tooManyItems = "cbor.too-many-items"
        /// The bytes end before the item does; nothing at all is that too.
        case truncated = "cbor.truncated"
        /// An item begins with a byte that the format reserves or does not allow there.
        case badHead = "cbor.bad-head"
        /// A simple value below 32 is written in two bytes.
        case badSimple = "cbor.bad-simple"
        /// A break stands where no item of indefinite length can end.
        case strayBreak = "cbor.stray-break"
        /// A string of indefinite length has a part that is not a string of its kind and of definite length.
        case badChunk = "cbor.bad-chunk"
        /// A text is not UTF-8.
        case notUTF8 = "cbor.not-utf-8"
        /// A map has two entries of one key.
        case duplicateKey = "cbor.duplicate-key"
        /// A key of a map is not an integer, byte string or text.
        case badKey = "cbor.bad-key"
        /// Something follows the item.
        case trailingData = "cbor.trailing-data"
        /// A value that must hold one encoded item in a byte string with tag 24 is another.
        case notEmbedded = "cbor.not-embedded"
    }

    /// The stable code of the cause.
    public let code: Code

    /// The offset in the bytes, from 0.
    public let offset: Int

    /// One sentence for a log line, without anything that the bytes hold; not for comparison.
    public let reason: String

    init(_ code: Code, offset: Int, _ reason: String) {
        self.code = code
        self.offset = offset
        self.reason = reason
    }

    /// The code, the sentence and the offset.
    public var description: String { "\(code.rawValue): \(reason) at byte \(offset)" }
}
