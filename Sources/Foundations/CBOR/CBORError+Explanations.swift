public import CodedErrors

extension CBORErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .tooLarge: ErrorExplanation(
            .limit, "There are more bytes than the limits allow.",
            nextStep: "Ask the sender for less, or raise the limit if you trust it."),
        .tooDeep: ErrorExplanation(
            .limit, "Arrays, maps and tags lie deeper in one another than the limits allow.",
            nextStep: "Do not trust the sender."),
        .tooManyItems: ErrorExplanation(
            .limit, "There are more data items than the limits allow.",
            nextStep: "Ask the sender for less, or raise the limit if you trust it."),
        .truncated: ErrorExplanation(
            .dataInvalid, "The bytes end before the item does; nothing at all is that too.",
            nextStep: "Check that all of it was copied or received."),
        .badHead: ErrorExplanation(
            .dataInvalid, "An item begins with a byte that the format reserves or does not allow there.",
            nextStep: "Look at the place that the message names."),
        .badSimple: ErrorExplanation(
            .dataInvalid, "A simple value below 32 is written in two bytes.",
            nextStep: "Look at the place that the message names."),
        .strayBreak: ErrorExplanation(
            .dataInvalid, "A break stands where no item of indefinite length can end.",
            nextStep: "Look at the place that the message names."),
        .badChunk: ErrorExplanation(
            .dataInvalid,
            "A string of indefinite length has a part that is not a string of its kind and of definite length.",
            nextStep: "Look at the place that the message names."),
        .notUTF8: ErrorExplanation(
            .dataInvalid, "A text is not UTF-8.", nextStep: "Look at the place that the message names."),
        .duplicateKey: ErrorExplanation(
            .dataInvalid, "A map has two entries of one key.",
            nextStep: "Do not trust the sender: two readers would read two things."),
        .trailingData: ErrorExplanation(
            .dataInvalid, "Something follows the item.", nextStep: "Look at the place that the message names."),
        .notEmbedded: ErrorExplanation(
            .dataInvalid, "A value that must hold one encoded item in a byte string with tag 24 is another.",
            nextStep: "Look at the place that the message names."),
    ]
}
