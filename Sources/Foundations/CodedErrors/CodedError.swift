/// An error with a stable code, as every module has one.
public protocol CodedError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The causes that the module knows.
    associatedtype Code: ErrorCode

    /// The stable code of the cause.
    var code: Code { get }

    /// One sentence for people; not for comparison.
    ///
    /// Holds no key and nothing of a payload.
    var reason: String { get }

    /// The code of a specification or of the other side, as text for people; nil where there is none.
    var wireCodeText: String? { get }
}

extension CodedError {
    /// Errors are equal when their codes are.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// Hashes the code alone, as equality asks.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
