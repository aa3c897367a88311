public import CodedErrors

extension RadioError.Code: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .unavailable: ErrorExplanation(
            .permission, "The radio is not available.",
            nextStep: "Check that nothing else holds it; another --air PATH starts a fresh air."),
        .notPermitted: ErrorExplanation(
            .permission, "The radio may not be used.",
            nextStep: "Check who owns the folder of the air; it must be yours."),
        .connectTimeout: ErrorExplanation(
            .timeout, "The device could not be reached.",
            nextStep: "Move closer and try again."),
        .linkLost: ErrorExplanation(
            .linkLost, "The link was lost.",
            nextStep: "Move closer and run the command again."),
        .requestTimeout: ErrorExplanation(
            .timeout, "The other device stopped answering.",
            nextStep: "Run the command again."),
        .attError: ErrorExplanation(
            .refused, "The other device refused a request.",
            nextStep: "Check that it is a verifier and not another kind of device.",
            wireCodeContent: "the ATT error byte"),
        .badAnswer: ErrorExplanation(
            .dataInvalid, "The other device broke the rules of the radio protocol.",
            nextStep: "Report its maker and model."),
        .notFound: ErrorExplanation(
            .notFound, "The other device does not offer the service.",
            nextStep: "Check that it is a verifier, and try the other --profile."),
        .tooLarge: ErrorExplanation(
            .limit, "Something is too long for the radio.",
            nextStep: "Choose a shorter --name or --air PATH."),
        .unsupported: ErrorExplanation(.permission, "The radio cannot do this.", nextStep: "Try another radio."),
        .cancelled: ErrorExplanation(
            .interrupted, "The run was interrupted.",
            nextStep: "Run the command again.", reasonAddsNothing: true),
    ]
}
