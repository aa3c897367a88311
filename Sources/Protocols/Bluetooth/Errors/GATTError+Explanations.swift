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
            nextStep: "The peer does not follow ATT; keep a capture and report it there."),
        .unexpectedPDU: ErrorExplanation(
            .dataInvalid, "The peer sent a PDU that was not requested or cannot be read; it was ignored.",
            nextStep: "Nothing: the PDU was ignored; a peer that repeats it is at fault."),
        .transactionTimeout: ErrorExplanation(
            .timeout,
            "A request or an indication went unanswered for the transaction time-out; the link must "
                + "be closed.",
            nextStep: "Restart the peer's application and try again."),
        .linkLost: ErrorExplanation(
            .linkLost, "The link is gone, before or during the operation.",
            nextStep: "Bring the devices closer and start a new session."),
        .tooLarge: ErrorExplanation(
            .limit, "A value is longer than the MTU, the attribute or a limit allows.",
            nextStep: "Send at most what the MTU or the attribute takes."),
        .notFound: ErrorExplanation(
            .notFound, "The database has no such characteristic.",
            nextStep: "Publish the characteristic before it is used."),
        .queueFull: ErrorExplanation(
            .limit, "Too many operations wait already.",
            nextStep: "Wait until operations under way have ended."),
    ]
}
