@_exported public import CodedErrors

/// Why bytes are not CBOR that is taken.
public typealias CBORError = CodedFailure<CBORErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum CBORErrorCode: String, CaseIterable, Sendable {
    /// The offset in the bytes, from 0.
    public typealias Detail = Int

    case tooLarge = "cbor.too-large"
    case tooDeep = "cbor.too-deep"
    case tooManyItems = "cbor.too-many-items"
    case truncated = "cbor.truncated"
    case badHead = "cbor.bad-head"
    case badSimple = "cbor.bad-simple"
    case strayBreak = "cbor.stray-break"
    case badChunk = "cbor.bad-chunk"
    case notUTF8 = "cbor.not-utf-8"
    case duplicateKey = "cbor.duplicate-key"
    case trailingData = "cbor.trailing-data"
    case notEmbedded = "cbor.not-embedded"
}

extension CBORErrorCode {
    /// The place of the error.
    public static func place(of detail: Int) -> String? { "byte \(detail)" }
}

extension CBORError {
    /// The offset in the bytes, from 0.
    public var offset: Int { detail ?? 0 }

    init(_ code: Code, offset: Int, _ reason: String) { self.init(code, reason, detail: offset) }
}
