/// The causes that a module knows, each with a stable name and an explanation.
///
/// The raw value is the name, like `tuvali.transfer.size-zero`: never renamed, never reused.
public protocol ErrorCode: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    /// The explanation of each code; a test holds that every case has one.
    static var explanations: [Self: ErrorExplanation] { get }

    /// The code that the protocol's specification has for this cause; nil where it has none.
    var specifiedCode: String? { get }
}

extension ErrorCode {
    /// Nil: most causes have no code in a specification.
    public var specifiedCode: String? { nil }

    /// The explanation of this code for users.
    public var explanation: ErrorExplanation {
        guard let explanation = Self.explanations[self] else {
            preconditionFailure("\(rawValue) has no explanation.")
        }
        return explanation
    }
}
