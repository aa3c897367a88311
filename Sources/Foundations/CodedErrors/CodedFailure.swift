/// The error of a module: one of its causes, and a sentence about this case.
///
/// Each module names its own: `public typealias JSONError = CodedFailure<JSONErrorCode>`. Equality is by code.
public struct CodedFailure<Code: ErrorCode>: CodedError {
    /// The stable code of the cause.
    public let code: Code

    /// One sentence for people or a log line; not for comparison.
    ///
    /// Holds no key and nothing of a payload. Texts of the other side in it are not sanitised.
    public let reason: String

    /// The facts that the error carries beside code and sentence, such as a place; nil without.
    public let detail: Code.Detail?

    /// Makes an error with its code and a sentence about the cause.
    public init(_ code: Code, _ reason: String, detail: Code.Detail? = nil) {
        self.code = code
        self.reason = reason
        self.detail = detail
    }

    /// The code of the specification for the cause, or that of the other side in the detail.
    public var wireCodeText: String? { detail.flatMap(Code.wireCodeText) ?? code.specifiedCode }

    /// The code, the sentence and the place.
    public var description: String {
        let place = detail.flatMap(Code.place).map { " at \($0)" } ?? ""
        return "\(code.rawValue): \(reason)\(place)"
    }
}
