@_exported public import CodedErrors

/// Why no code was read from a picture.
public typealias CodeReaderError = CodedFailure<CodeReaderErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum CodeReaderErrorCode: String, CaseIterable, Sendable {
    case library = "picture.library"
    case format = "picture.format"
    case tooLarge = "picture.too-large"
    case broken = "picture.broken"
    case noCode = "picture.no-code"
}
