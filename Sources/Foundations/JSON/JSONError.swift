public import CodedErrors

/// Why bytes are not JSON that is taken, or why a value is not what its reader needs.
public struct JSONError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// There are more bytes than the limits allow.
        case tooLarge = "json.too-large"
        /// Objects and arrays lie deeper in one another than the limits allow.
        case tooDeep = "json.too-deep"
        /// A string or a name is longer than the limits allow.
        case stringTooLong = "json.string-too-long"
        /// A number has more characters than the limits allow.
        case numberTooLong = "json.number-too-long"
        /// An object has more members than the limits allow.
        case tooManyMembers = "json.too-many-members"
        /// An array has more elements than the limits allow.
        case tooManyElements = "json.too-many-elements"
        /// The bytes begin with a byte order mark.
        case byteOrderMark = "json.byte-order-mark"
        /// A string holds bytes that are not UTF-8.
        case notUTF8 = "json.not-utf-8"
        /// The bytes end before the value does; nothing at all is that too.
        case truncated = "json.truncated"
        /// A byte stands where the grammar has no place for it.
        case syntax = "json.syntax"
        /// Something follows the value.
        case trailingData = "json.trailing-data"
        /// An object has two members of one name.
        case duplicateName = "json.duplicate-name"
        /// A number is not written as the grammar asks.
        case badNumber = "json.bad-number"
        /// A backslash in a string begins nothing that the grammar knows.
        case badEscape = "json.bad-escape"
        /// A string holds half of a surrogate pair.
        case loneSurrogate = "json.lone-surrogate"
        /// A string holds a control character that is not escaped.
        case controlCharacter = "json.control-character"
        /// A member or element that is needed is not there.
        case missing = "json.missing"
        /// A value is of another kind than is needed.
        case wrongKind = "json.wrong-kind"
        /// A number is not a whole number where one is needed, or no type holds it.
        case numberOutOfRange = "json.number-out-of-range"
    }

    /// The stable code of the cause.
    public let code: Code

    /// The offset in the bytes, from 0; nil when the value was not read from bytes.
    public let offset: Int?

    /// The path in the value; nil when the bytes were no value.
    public let path: JSONPath?

    /// One sentence for a log line, without anything that the bytes hold; not for comparison.
    public let reason: String

    /// Makes an error of an offset in bytes.
    init(_ code: Code, offset: Int, _ reason: String) {
        self.code = code
        self.offset = offset
        path = nil
        self.reason = reason
    }

    /// Makes an error of a path in a value; for readers that check more than the kind, too.
    public init(_ code: Code, at path: JSONPath, _ reason: String) {
        self.code = code
        offset = nil
        self.path = path
        self.reason = reason
    }

    /// The code, the sentence and the path or the offset.
    public var description: String {
        let location = path.map { " at \($0)" } ?? offset.map { " at byte \($0)" } ?? ""
        return "\(code.rawValue): \(reason)\(location)"
    }
}
