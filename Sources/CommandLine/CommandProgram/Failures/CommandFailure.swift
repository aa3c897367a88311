public import CodedErrors
package import Radio
package import Terminal

/// Any error as the user sees it: a sentence, the cause, the next step, and a code that never changes.
public struct CommandFailure: Error, Hashable, Sendable {
    /// The stable name of the cause, from the enumeration of the module that found it.
    public let code: String

    /// The code of the protocol's documentation, where it has one.
    public let wireCode: String?

    /// The meaning of the failure: one sentence.
    public let sentence: String

    /// The cause of this case: one sentence, or nothing.
    public let cause: String?

    /// The next step for the user: one sentence.
    public let nextStep: String

    /// The command of the next step, printed on a line of its own that is never broken, so that it can be pasted; nil
    /// for none.
    public private(set) var command: String?

    /// The next step with its command in one line.
    package var wholeStep: String { command.map { "\(nextStep) \($0)" } ?? nextStep }

    /// The class that decides the exit status.
    public let exitClass: ExitClass

    /// Makes the failure that the user sees of an error of any module.
    ///
    /// An error without a code is a defect of this program and is shown as one.
    public init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as UsageError: self.init(usage: error)
        case let error as any CodedError: self.init(coded: error)
        case is CancellationError: self.init(coded: CommandError(.interrupted, "The run was cancelled."))
        default:
            self.init(coded: CommandError(.internalFailure, TerminalText.sanitised("\(type(of: error))")))
        }
    }

    /// Makes the failure of an error of a real adapter, whose next step differs from that of simulated airs.
    package init(ofAdapter error: RadioError) {
        let failure = CommandFailure(error)
        code = failure.code
        wireCode = failure.wireCode
        sentence = failure.sentence
        cause = failure.cause
        let isAboutMachine = error.code == .unavailable || error.code == .notPermitted
        nextStep = isAboutMachine ? "Run symbolon doctor; it shows what to change." : failure.nextStep
        exitClass = failure.exitClass
    }

    /// The most characters of a cause, unless an error has many on purpose.
    private static let causeCharacters = 400

    /// Makes the failure of an error with a next step that names more than that of its code, and a command to paste.
    ///
    /// - Parameter causeCharacters: the most characters of the cause; nil for as many as usual.
    package init(
        _ error: some CodedError, nextStep: String, command: String? = nil, causeCharacters: Int? = nil
    ) {
        let failure = CommandFailure(coded: error, causeCharacters: causeCharacters ?? Self.causeCharacters)
        code = failure.code
        wireCode = failure.wireCode
        sentence = failure.sentence
        cause = failure.cause
        self.nextStep = TerminalText.sanitised(nextStep, limit: 600)
        self.command = command.map { TerminalText.sanitised($0, limit: 600) }
        exitClass = failure.exitClass
    }

    private init(usage error: UsageError) {
        code = error.code.rawValue
        wireCode = nil
        sentence = error.reason
        cause = nil
        nextStep = error.nextStep
        exitClass = .usage
    }

    private init(coded error: some CodedError, causeCharacters: Int = Self.causeCharacters) {
        let explanation = error.code.explanation
        code = error.code.rawValue
        // Untrusted text of the other side, like the reason.
        wireCode = error.wireCodeText.map { TerminalText.sanitised($0, limit: 80) }
        sentence = explanation.meaning
        let isStatedAlready =
            error.reason.isEmpty || error.reason == explanation.meaning || explanation.reasonAddsNothing
        cause = isStatedAlready ? nil : TerminalText.sanitised(error.reason, limit: causeCharacters)
        nextStep = explanation.nextStep
        exitClass = explanation.exitClass
    }

    /// The lines that are printed: the sentence, then cause, next step and code, wrapped to `width` columns.
    package func lines(width: Int, palette: TerminalPalette = .plain) -> [String] {
        var lines = Self.wrapped("error: ", sentence, width).enumerated().map { index, line in
            index == 0 ? palette("error:", .red) + palette(String(line.dropFirst(6)), .bold) : palette(line, .bold)
        }
        if let cause { lines += Self.wrapped("cause: ", cause, width) }
        lines += Self.wrapped("next:  ", nextStep, width)
        if let command { lines.append("       " + command) }
        lines.append(palette("code:  \(code)" + (wireCode.map { " (\($0))" } ?? ""), .dim))
        return lines
    }

    private static func wrapped(_ label: String, _ text: String, _ width: Int) -> [String] {
        let gap = String(repeating: " ", count: label.count)
        return TerminalText.wrapped(text, width: max(20, width - label.count)).enumerated().map { index, line in
            (index == 0 ? label : gap) + line
        }
    }
}
