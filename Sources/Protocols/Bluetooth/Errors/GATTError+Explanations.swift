public import CodedErrors

extension GATTErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .attError: ErrorExplanation(
            .refused, "The peer answered with an Error Response.",
            nextStep: "See the byte in the message; the peer does not allow what was asked.",
            wireCodeContent: "the ATT error byte"),
        .badAnswer: ErrorExplanation(
            .dataInvalid, "The peer's answer does not follow the protocol.",
            nextStep: "Try again; if it happens again, the other side or an attacker in between is at fault."),
        .unexpectedPDU: ErrorExplanation(
            .dataInvalid, "The peer sent a PDU that was not requested or cannot be read; it was ignored.",
            nextStep: "Nothing: the PDU was ignored; a peer that repeats it is at fault."),
        .transactionTimeout: ErrorExplanation(
            .timeout,
            "A request or an indication went unanswered for the transaction time-out; the link must "
                + "be closed.",
            nextStep: "Run the command again."),
        .linkLost: ErrorExplanation(
            .linkLost, "The link is gone, before or during the operation.",
            nextStep: "Move closer, and run the command again with a fresh code from the verifier."),
        .tooLarge: ErrorExplanation(
            .limit, "A value is longer than the MTU, the attribute or a limit allows.",
            nextStep: "Make it shorter."),
        .notFound: ErrorExplanation(
            .notFound, "The database has no such characteristic.",
            nextStep: "Publish the characteristic before it is used."),
        .queueFull: ErrorExplanation(
            .limit, "Too many operations wait already.",
            nextStep: "Wait until some have ended, and try again."),
    ]
}
