public import CodedErrors

extension CodeReaderErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .library: ErrorExplanation(
            .notFound, "A library that reads codes or JPEG is not installed; it is opened only for pictures.",
            nextStep:
                "Install the packages: `apt install libzxing3 libturbojpeg0`; on Debian 12 `libzxing2` instead of "
                + "`libzxing3`."),
        .format: ErrorExplanation(
            .dataInvalid, "The file is not a PNG or JPEG that is read here.",
            nextStep: "Make a PNG of it as the message says, or take a screenshot."),
        .tooLarge: ErrorExplanation(
            .limit, "The picture has more bytes or pixels than are read: 16 MiB, 40 million pixels, 16,384 on a side.",
            nextStep: "Cut out the part with the code, or save the picture smaller."),
        .broken: ErrorExplanation(
            .dataInvalid, "The picture does not follow its format, or ends too early.",
            nextStep: "Copy or save the picture again; part of it may be missing."),
        .noCode: ErrorExplanation(
            .notFound, "No code was found in the picture.",
            nextStep: "Take the picture straight on, with the whole code and its white edge, in good light.",
            reasonAddsNothing: true),
    ]
}
