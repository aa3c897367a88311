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

    /// The facts that an error carries beside its code and sentence, such as a position; nil when it has none.
    public let detail: Code.Detail?

    /// Makes an error with its code and a sentence about the cause.
    public init(_ code: Code, _ reason: String, detail: Code.Detail? = nil) {
        self.code = code
        self.reason = reason
        self.detail = detail
    }

    /// The wire code of the error: the one in its detail, else the one that the specification has for the code.
    public var wireCodeText: String? { detail.flatMap(Code.wireCodeText) ?? code.specifiedCode }

    /// The code, the sentence and the place of the error as one log line.
    public var description: String {
        let place = detail.flatMap(Code.place).map { " at \($0)" } ?? ""
        return "\(code.rawValue): \(reason)\(place)"
    }
}
