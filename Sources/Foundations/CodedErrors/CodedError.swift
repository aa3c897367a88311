/// An error with a stable code, as every module has one.
public protocol CodedError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The stable names of the causes: never renamed, never reused.
    associatedtype Code: RawRepresentable<String>, CaseIterable, Hashable, Sendable

    /// Which cause.
    var code: Code { get }

    /// One sentence for people; not for comparison.
    ///
    /// Holds no key and nothing of a payload.
    var reason: String { get }
}

extension CodedError {
    /// Errors are equal when their codes are.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// Hashes the code alone, as equality asks.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// The code and the sentence.
    public var description: String { "\(code.rawValue): \(reason)" }
}
