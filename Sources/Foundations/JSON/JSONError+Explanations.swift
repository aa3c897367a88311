public import CodedErrors

extension JSONErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .tooLarge: ErrorExplanation(
            .limit, "There are more bytes than the limits allow.",
            nextStep: "Ask the sender for less, or raise the limit if you trust it."),
        .tooDeep: ErrorExplanation(
            .limit, "Objects and arrays lie deeper in one another than the limits allow.",
            nextStep: "Do not trust the sender."),
        .stringTooLong: ErrorExplanation(
            .limit, "A string or a name is longer than the limits allow.",
            nextStep: "Ask the sender for less, or raise the limit if you trust it."),
        .numberTooLong: ErrorExplanation(
            .limit, "A number has more characters than the limits allow.",
            nextStep: "Do not trust the sender."),
        .tooManyMembers: ErrorExplanation(
            .limit, "An object has more members than the limits allow.",
            nextStep: "Ask the sender for less, or raise the limit if you trust it."),
        .tooManyElements: ErrorExplanation(
            .limit, "An array has more elements than the limits allow.",
            nextStep: "Ask the sender for less, or raise the limit if you trust it."),
        .byteOrderMark: ErrorExplanation(
            .dataInvalid, "The bytes begin with a byte order mark.",
            nextStep: "Save the text as UTF-8 without a mark."),
        .notUTF8: ErrorExplanation(
            .dataInvalid, "A string holds bytes that are not UTF-8.",
            nextStep: "Save the text as UTF-8 without a mark."),
        .truncated: ErrorExplanation(
            .dataInvalid, "The bytes end before the value does; nothing at all is that too.",
            nextStep: "Check that all of it was copied or received."),
        .syntax: ErrorExplanation(
            .dataInvalid, "A byte stands where the grammar has no place for it.",
            nextStep: "Look at the place that the message names."),
        .trailingData: ErrorExplanation(
            .dataInvalid, "Something follows the value.",
            nextStep: "Look at the place that the message names."),
        .duplicateName: ErrorExplanation(
            .dataInvalid, "An object has two members of one name.",
            nextStep: "Do not trust the sender: two readers would read two things."),
        .badNumber: ErrorExplanation(
            .dataInvalid, "A number is not written as the grammar asks.",
            nextStep: "Look at the place that the message names."),
        .badEscape: ErrorExplanation(
            .dataInvalid, "A backslash in a string begins nothing that the grammar knows.",
            nextStep: "Look at the place that the message names."),
        .loneSurrogate: ErrorExplanation(
            .dataInvalid, "A string holds half of a surrogate pair.",
            nextStep: "Ask the other side to mend what the message names."),
        .controlCharacter: ErrorExplanation(
            .dataInvalid, "A string holds a control character that is not escaped.",
            nextStep: "Look at the place that the message names."),
        .missing: ErrorExplanation(
            .dataInvalid, "A member or element that is needed is not there.",
            nextStep: "Look at the place that the message names."),
        .wrongKind: ErrorExplanation(
            .dataInvalid, "A value is of another kind than is needed.",
            nextStep: "Look at the place that the message names."),
        .numberOutOfRange: ErrorExplanation(
            .dataInvalid, "A number is not a whole number where one is needed, or no type holds it.",
            nextStep: "Look at the place that the message names."),
    ]
}
