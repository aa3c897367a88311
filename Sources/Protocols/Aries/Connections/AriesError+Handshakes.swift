public import DIDComm

extension AriesError {
    static func unexpected(_ message: Message) -> AriesError {
        AriesError(.unexpected, "A message of \(message.type) came out of turn.")
    }

    static func wrongSender(_ message: Message) -> AriesError {
        AriesError(.wrongSender, "A message of \(message.type) came from another key than the other side's.")
    }

    /// Makes the error for a problem report of the other side; its code, untrusted text, becomes the wire code.
    public static func rejected(_ report: ProblemReport) -> AriesError {
        let text = report.explanation.map { ": \($0)" } ?? "."
        return AriesError(.rejected, "The other side answered with a problem\(text)", wireCode: report.code)
    }
}
