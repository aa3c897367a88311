public import CodedErrors

extension LinkedDataErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .badQuads: ErrorExplanation(
            .dataInvalid, "A line of N-Quads does not follow the grammar.",
            nextStep: "Look at the place that the message names."),
        .tooManyQuads: ErrorExplanation(
            .limit, "There are more statements than the limits allow.",
            nextStep: "Ask the sender for less, or raise the limit if you trust it."),
        .blankNodesTooComplex: ErrorExplanation(
            .limit, "Telling blank nodes apart takes more work than the limits allow.",
            nextStep: "Do not trust the sender."),
        .contextUnknown: ErrorExplanation(
            .dataInvalid, "A context is named that is not at hand.",
            nextStep: "Read the context and pin it in the trust file with its digest."),
        .contextMalformed: ErrorExplanation(
            .dataInvalid, "A context does not follow the rules of JSON-LD.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        .contextLimit: ErrorExplanation(
            .limit, "Contexts are more, larger or deeper in one another than the limits allow.",
            nextStep: "Ask the sender for less, or raise the limit if you trust it."),
        .protectedTerm: ErrorExplanation(
            .dataInvalid, "A context gives a protected term another meaning.",
            nextStep: "Do not trust the sender."),
        .unsupportedFeature: ErrorExplanation(
            .dataInvalid, "A context or document has a feature of JSON-LD that is not supported.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        .documentMalformed: ErrorExplanation(
            .dataInvalid, "A document does not follow the rules of JSON-LD.",
            nextStep: "Ask the issuer for a credential that follows its format."),
    ]
}
