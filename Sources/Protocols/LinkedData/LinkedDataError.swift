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
        /// A context is named that is not at hand.
        case contextUnknown = "linked-data.context-unknown"
        /// A context does not follow the rules of JSON-LD.
        case contextMalformed = "linked-data.bad-context"
        /// Contexts are more, larger or deeper in one another than the limits allow.
        case contextLimit = "linked-data.too-many-contexts"
        /// A context gives a protected term another meaning.
        case protectedTerm = "linked-data.protected-term"
        /// A context or document has a feature of JSON-LD that is not supported.
        case unsupportedFeature = "linked-data.unsupported-feature"
        /// A document does not follow the rules of JSON-LD.
        case documentMalformed = "linked-data.bad-document"
    }

    /// The stable code of the cause.
    public let code: Code

    /// One sentence for a log line; not for comparison.
    ///
    /// For a context or a document it begins with the name that JSON-LD 1.1 has for the fault.
    public let reason: String

    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}
