public import CodedErrors

extension CompressionErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .notGzip: ErrorExplanation(
            .dataInvalid, "The bytes do not begin as a gzip member with the method deflate does.",
            nextStep: "Try again; if it happens again, the other side or an attacker in between is at fault."),
        .corrupt: ErrorExplanation(
            .dataInvalid,
            "The bytes begin well and then break the format, or a checksum or length at their end "
                + "does not fit.",
            nextStep: "Try again; if it happens again, the other side or an attacker in between is at fault."),
        .truncated: ErrorExplanation(
            .dataInvalid,
            "The bytes end before the member does; an empty message and a part of the first three "
                + "bytes are that too.",
            nextStep: "Try again; if it happens again, the other side or an attacker in between is at fault."),
        .tooLarge: ErrorExplanation(
            .limit,
            "The output would be longer than the caller allows, or the input is longer than the "
                + "library counts.",
            nextStep: "Ask the sender for less, or raise the limit if you trust it."),
        .ratio: ErrorExplanation(
            .limit, "The output would be longer than the caller allows for an input of this length.",
            nextStep: "Do not trust the sender."),
        .trailingData: ErrorExplanation(
            .dataInvalid,
            "Bytes follow the end of the member, such as another member; in a file, bytes that are not a member.",
            nextStep: "Try again; if it happens again, the other side or an attacker in between is at fault."),
        .internal: ErrorExplanation(
            .dataInvalid, "The library failed for another reason, such as lack of memory.",
            nextStep: "Report this as a defect."),
    ]
}
