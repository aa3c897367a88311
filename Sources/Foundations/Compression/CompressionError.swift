@_exported public import CodedErrors

/// Why bytes could not be compressed or decompressed.
public typealias CompressionError = CodedFailure<CompressionErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum CompressionErrorCode: String, CaseIterable, Sendable {
    case notGzip = "compression.not-gzip"
    case corrupt = "compression.corrupt"
    case truncated = "compression.truncated"
    case tooLarge = "compression.too-large"
    case ratio = "compression.ratio"
    case trailingData = "compression.trailing-data"
    case `internal` = "compression.internal"
}

extension CompressionError {
    /// Returns the library's result; throws the code `internal` when there is none.
    static func require<Value>(_ value: Value?, _ reason: String) throws(CompressionError) -> Value {
        guard let value else { throw CompressionError(.internal, reason) }
        return value
    }
}
