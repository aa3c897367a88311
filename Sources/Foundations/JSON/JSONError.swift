@_exported public import CodedErrors

/// Why bytes are not JSON that is taken, or why a value is not what its reader needs.
public typealias JSONError = CodedFailure<JSONErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum JSONErrorCode: String, CaseIterable, Sendable {
    /// The place of an error: in the bytes, or in a value that was read from them.
    public typealias Detail = Location

    /// The offset in the bytes, or the path in a value that was read from them.
    public enum Location: Sendable {
        /// The offset in the bytes, from 0.
        case offset(Int)
        /// The path in the value.
        case path(JSONPath)
    }

    case tooLarge = "json.too-large"
    case tooDeep = "json.too-deep"
    case stringTooLong = "json.string-too-long"
    case numberTooLong = "json.number-too-long"
    case tooManyMembers = "json.too-many-members"
    case tooManyElements = "json.too-many-elements"
    case byteOrderMark = "json.byte-order-mark"
    case notUTF8 = "json.not-utf-8"
    case truncated = "json.truncated"
    case syntax = "json.syntax"
    case trailingData = "json.trailing-data"
    case duplicateName = "json.duplicate-name"
    case badNumber = "json.bad-number"
    case badEscape = "json.bad-escape"
    case loneSurrogate = "json.lone-surrogate"
    case controlCharacter = "json.control-character"
    case missing = "json.missing"
    case wrongKind = "json.wrong-kind"
    case numberOutOfRange = "json.number-out-of-range"
}

extension JSONErrorCode {
    /// The place of the error.
    public static func place(of detail: Detail) -> String? {
        switch detail {
        case .offset(let offset): "byte \(offset)"
        case .path(let path): "\(path)"
        }
    }
}

extension JSONError {
    /// The offset in the bytes, from 0; nil when the value was not read from bytes.
    public var offset: Int? { if case .offset(let offset) = detail { offset } else { nil } }

    /// The path in the value; nil when the bytes were no value.
    public var path: JSONPath? { if case .path(let path) = detail { path } else { nil } }

    /// Makes an error of an offset in bytes.
    init(_ code: Code, offset: Int, _ reason: String) { self.init(code, reason, detail: .offset(offset)) }

    /// Makes an error of a path in a value; for readers that check more than the kind, too.
    public init(_ code: Code, at path: JSONPath, _ reason: String) { self.init(code, reason, detail: .path(path)) }
}
