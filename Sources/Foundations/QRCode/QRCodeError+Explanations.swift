public import CodedErrors

extension QRCodeErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .tooLong: ErrorExplanation(
            .limit, "No version of the symbol holds so much at this level.",
            nextStep: "Shorten the text, or lower the error correction."),
        .invalidText: ErrorExplanation(
            .dataInvalid, "The text is empty or holds the character NUL, which the library takes for its end.",
            nextStep: "Leave out the characters that a QR code cannot hold."),
        .internal: ErrorExplanation(
            .dataInvalid, "The library failed for another reason, such as lack of memory.",
            nextStep: "Report this as a defect."),
    ]
}
