/// The explanation of an error code for users, once for the program and for `Documentation/ErrorCodes.md`.
public struct ErrorExplanation: Hashable, Sendable {
    /// The class that the exit status of a command shows when this code ends it.
    public let exitClass: ExitClass

    /// The meaning of the error: one sentence.
    public let meaning: String

    /// The next step for the user: one sentence.
    public let nextStep: String

    /// The contents of the wire code of an error with this code, where they differ from case to case; nil otherwise.
    public let wireCodeContent: String?

    /// True when the reason of every error with this code repeats `meaning`, so that only one is shown.
    public let reasonAddsNothing: Bool

    /// Makes an error explanation from its parts.
    public init(
        _ exitClass: ExitClass, _ meaning: String, nextStep: String, wireCodeContent: String? = nil,
        reasonAddsNothing: Bool = false
    ) {
        self.exitClass = exitClass
        self.meaning = meaning
        self.nextStep = nextStep
        self.wireCodeContent = wireCodeContent
        self.reasonAddsNothing = reasonAddsNothing
    }
}
