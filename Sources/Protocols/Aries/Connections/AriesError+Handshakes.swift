public import DIDComm

extension AriesError {
    static func unexpected(_ message: Message) -> AriesError {
        AriesError(.unexpected, "A message of \(message.type) came out of turn.")
    }

    static func wrongSender(_ message: Message) -> AriesError {
        AriesError(.wrongSender, "A message of \(message.type) came from another key than the other side's.")
    }

    /// The error for the waiting caller that a problem report of the other side stands for; its code becomes the wire
    /// code, untrusted text.
    public static func rejected(_ report: ProblemReport) -> AriesError {
        let text = report.explanation.map { ": \($0)" } ?? "."
        return AriesError(.rejected, "The other side answered with a problem\(text)", wireCode: report.code)
    }
}
