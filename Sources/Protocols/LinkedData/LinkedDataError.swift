public import CodedErrors

/// Why statements were not read or not brought into canonical form.
public struct LinkedDataError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// A line of N-Quads does not follow the grammar.
        case badQuads = "linked-data.bad-n-quads"
        /// There are more statements than the limits allow.
        case tooManyQuads = "linked-data.too-many-quads"
        /// Telling blank nodes apart takes more work than the limits allow.
        case blankNodesTooComplex = "linked-data.blank-nodes-too-complex"
    }

    /// The stable code of the cause.
    public let code: Code

    /// One sentence for a log line, without anything that the input holds; not for comparison.
    public let reason: String

    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}
