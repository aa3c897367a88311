public import CodedErrors

extension CompressionErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .notGzip: ErrorExplanation(
            .dataInvalid, "The bytes do not begin as a gzip member with the method deflate does.",
            nextStep: "The sender did not compress with gzip; check its profile."),
        .corrupt: ErrorExplanation(
            .dataInvalid,
            "The bytes begin well and then break the format, or a checksum or length at their end "
                + "does not fit.",
            nextStep: "Start a new session; if it happens again, the sender is at fault."),
        .truncated: ErrorExplanation(
            .dataInvalid,
            "The bytes end before the member does; an empty message and a part of the first three "
                + "bytes are that too.",
            nextStep: "Start a new session; if it happens again, the sender is at fault."),
        .tooLarge: ErrorExplanation(
            .limit,
            "The output would be longer than the caller allows, or the input is longer than the "
                + "library counts.",
            nextStep: "Raise the limit if the payload is really that large and the sender is trusted."),
        .ratio: ErrorExplanation(
            .limit, "The output would be longer than the caller allows for an input of this length.",
            nextStep: "Do not trust this sender: no real payload shrinks that much."),
        .trailingData: ErrorExplanation(
            .dataInvalid,
            "Bytes follow the end of the member, such as another member; in a file, bytes that are not a member.",
            nextStep: "The sender appends something; check its version."),
        .internal: ErrorExplanation(
            .dataInvalid, "The library failed for another reason, such as lack of memory.",
            nextStep: "Check that memory is not exhausted, then report a defect."),
    ]
}
