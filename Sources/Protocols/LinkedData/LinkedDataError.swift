@_exported public import CodedErrors

/// Why statements were not read or not brought into canonical form.
public typealias LinkedDataError = CodedFailure<LinkedDataErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum LinkedDataErrorCode: String, CaseIterable, Sendable {
    case badQuads = "linked-data.bad-n-quads"
    case tooManyQuads = "linked-data.too-many-quads"
    case blankNodesTooComplex = "linked-data.blank-nodes-too-complex"
    case contextUnknown = "linked-data.context-unknown"
    case contextMalformed = "linked-data.bad-context"
    case contextLimit = "linked-data.too-many-contexts"
    case protectedTerm = "linked-data.protected-term"
    case unsupportedFeature = "linked-data.unsupported-feature"
    case documentMalformed = "linked-data.bad-document"
}
