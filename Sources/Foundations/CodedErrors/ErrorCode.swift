/// The causes that a module knows, each with a stable name and an explanation.
///
/// The raw value is the name, like `tuvali.transfer.size-zero`: never renamed, never reused.
public protocol ErrorCode: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    /// The facts that an error of the module carries beside its code and sentence, such as a place; `Never` for none.
    associatedtype Detail: Sendable = Never

    /// The explanation of each error code; a test checks that every case has one.
    static var explanations: [Self: ErrorExplanation] { get }

    /// The code that the protocol's specification has for this cause; nil where it has none.
    var specifiedCode: String? { get }

    /// Returns the place that a detail names, as the end of a log line; nil for a detail that names none.
    static func place(of detail: Detail) -> String?

    /// Returns the wire code that a detail holds, of the other side or of a specification; nil when it holds none.
    static func wireCodeText(of detail: Detail) -> String?
}

extension ErrorCode {
    /// Returns nil as the default: most error codes have no code in a specification.
    public var specifiedCode: String? { nil }

    /// Returns nil as the default: most details name no place.
    public static func place(of detail: Detail) -> String? { nil }

    /// Returns nil as the default: most details hold no wire code.
    public static func wireCodeText(of detail: Detail) -> String? { nil }

    /// The explanation of this error code for users.
    public var explanation: ErrorExplanation {
        guard let explanation = Self.explanations[self] else {
            preconditionFailure("\(rawValue) has no explanation.")
        }
        return explanation
    }
}
