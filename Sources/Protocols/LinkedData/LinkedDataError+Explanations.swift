public import CodedErrors

extension LinkedDataErrorCode: ErrorCode {
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
        .contextUnknown: ErrorExplanation(
            .dataInvalid, "A context is named that is not at hand.",
            nextStep: "Look at the context, and add it to the trust file if it is right."),
        .contextMalformed: ErrorExplanation(
            .dataInvalid, "A context does not follow the rules of JSON-LD.",
            nextStep: "Ask the context's author to mend it."),
        .contextLimit: ErrorExplanation(
            .limit, "Contexts are more, larger or deeper in one another than the limits allow.",
            nextStep: "Ask the issuer for a document with fewer contexts."),
        .protectedTerm: ErrorExplanation(
            .dataInvalid, "A context gives a protected term another meaning.",
            nextStep: "Do not trust this document: its names do not mean what they say."),
        .unsupportedFeature: ErrorExplanation(
            .dataInvalid, "A context or document has a feature of JSON-LD that is not supported.",
            nextStep: "Ask the issuer for a document without this feature."),
        .documentMalformed: ErrorExplanation(
            .dataInvalid, "A document does not follow the rules of JSON-LD.",
            nextStep: "Ask the issuer to mend the document."),
    ]
}
