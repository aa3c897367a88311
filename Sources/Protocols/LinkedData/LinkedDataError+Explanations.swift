public import CodedErrors

extension LinkedDataError.Code: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .badQuads: ErrorExplanation(
            .dataInvalid, "A line of N-Quads does not follow the grammar.",
            nextStep: "Look at the line that the message names."),
        .tooManyQuads: ErrorExplanation(
            .limit, "There are more statements than the limits allow.",
            nextStep: "Ask the sender for less, or raise the limit if the sender is trusted."),
        .blankNodesTooComplex: ErrorExplanation(
            .limit, "Telling blank nodes apart takes more work than the limits allow.",
            nextStep: "Do not trust this sender: no real document has blank nodes of that kind."),
    ]
}
