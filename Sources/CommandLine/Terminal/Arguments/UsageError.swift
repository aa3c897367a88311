public import CodedErrors

/// An error in a command line.
public struct UsageError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// No command was given where one is needed.
        case missingCommand = "usage.missing-command"
        /// The command does not exist.
        case unknownCommand = "usage.unknown-command"
        /// The option does not exist for this command.
        case unknownOption = "usage.unknown-option"
        /// An option that takes a value was given none.
        case missingValue = "usage.missing-value"
        /// An option that takes no value was given one.
        case unexpectedValue = "usage.unexpected-value"
        /// A value is not of its kind or out of range.
        case badValue = "usage.bad-value"
        /// An option that counts once was given more often.
        case repeatedOption = "usage.repeated-option"
        /// An option that is required is not there.
        case missingOption = "usage.missing-option"
        /// An argument that is required is not there.
        case missingOperand = "usage.missing-operand"
        /// There are more arguments than the command takes.
        case unexpectedOperand = "usage.unexpected-operand"
        /// Two options, or an option and where the command runs, exclude each other.
        case conflict = "usage.conflict"
    }

    /// The stable code of the cause.
    public let code: Code

    /// One sentence with a full stop: what is wrong.
    public let reason: String

    /// One sentence with a full stop: what to do instead.
    public let nextStep: String

    /// Makes an error with its code and a sentence about the cause.
    public init(_ code: Code, _ reason: String, nextStep: String) {
        self.code = code
        self.reason = reason
        self.nextStep = nextStep
    }
}
