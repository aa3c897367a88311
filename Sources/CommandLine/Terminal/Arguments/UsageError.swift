@_exported public import CodedErrors

/// An error in a command line.
public typealias UsageError = CodedFailure<UsageErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum UsageErrorCode: String, CaseIterable, Sendable {
    /// The next step for one command line: a sentence with a full stop.
    public typealias Detail = String

    case missingCommand = "usage.missing-command"
    case unknownCommand = "usage.unknown-command"
    case unknownOption = "usage.unknown-option"
    case missingValue = "usage.missing-value"
    case unexpectedValue = "usage.unexpected-value"
    case badValue = "usage.bad-value"
    case repeatedOption = "usage.repeated-option"
    case missingOption = "usage.missing-option"
    case missingOperand = "usage.missing-operand"
    case unexpectedOperand = "usage.unexpected-operand"
    case conflict = "usage.conflict"
}

extension UsageError {
    /// The next step: one sentence with a full stop.
    public var nextStep: String { detail ?? code.explanation.nextStep }

    /// Makes an error with its code, what is wrong, and what to do instead.
    public init(_ code: Code, _ reason: String, nextStep: String) { self.init(code, reason, detail: nextStep) }
}
