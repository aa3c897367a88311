public import CodedErrors

/// Why bytes could not be compressed or decompressed.
public struct CompressionError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// The bytes do not begin as a gzip member with the method deflate does.
        case notGzip = "compression.not-gzip"
        /// The bytes begin well and then break the format, or a checksum or length at their end does not fit.
        case corrupt = "compression.corrupt"
        /// The bytes end before the member does; an empty message and a part of the first three bytes are that too.
        case truncated = "compression.truncated"
        /// The output would be longer than the caller allows, or the input is longer than the library counts.
        case tooLarge = "compression.too-large"
        /// The output would be longer than the caller allows for an input of this length.
        case ratio = "compression.ratio"
        /// Bytes follow the end of the member, such as another member; in a file, bytes that are not a member.
        case trailingData = "compression.trailing-data"
        /// The library failed for another reason, such as lack of memory.
        case `internal` = "compression.internal"
    }

    /// The stable code of the cause.
    public let code: Code

    /// One sentence for a log line; not for comparison.
    public let reason: String

    /// Makes an error with its code and a sentence about the cause.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}

extension CompressionError {
    /// Returns the library's result; throws the code `internal` when there is none.
    static func require<Value>(_ value: Value?, _ reason: String) throws(CompressionError) -> Value {
        guard let value else { throw CompressionError(.internal, reason) }
        return value
    }
}
