public import CodedErrors

extension RadioErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .unavailable: ErrorExplanation(
            .permission, "There is no Bluetooth adapter, or it is off.",
            nextStep: "Check that nothing else holds it; another --air PATH starts a fresh air."),
        .notPermitted: ErrorExplanation(
            .permission, "The operating system does not allow this program to use the radio.",
            nextStep: "Check who owns the folder of the air; it must be yours."),
        .connectTimeout: ErrorExplanation(
            .timeout, "The device could not be connected to in the time allowed.",
            nextStep: "Move closer and try again."),
        .linkLost: ErrorExplanation(
            .linkLost, "The link was lost.",
            nextStep: "Move closer and try again."),
        .requestTimeout: ErrorExplanation(
            .timeout, "The other device did not answer a request in time.",
            nextStep: "Run the command again."),
        .attError: ErrorExplanation(
            .refused, "The other device answered with an ATT error.",
            nextStep: "Check that it is a verifier, and try the other --profile.",
            wireCodeContent: "the ATT error byte"),
        .badAnswer: ErrorExplanation(
            .dataInvalid, "The other device's answer does not follow the protocol.",
            nextStep: "Report its maker and model."),
        .notFound: ErrorExplanation(
            .notFound, "The other device does not offer the service, characteristic or descriptor.",
            nextStep: "Check that it is a verifier, and try the other --profile."),
        .tooLarge: ErrorExplanation(
            .limit, "A value or list is longer than the link, the peer or a limit allows.",
            nextStep: "Make it shorter."),
        .unsupported: ErrorExplanation(
            .permission, "The radio cannot do this, or not in its present state.", nextStep: "Try another radio."),
        .cancelled: ErrorExplanation(
            .interrupted, "The caller cancelled the operation.",
            nextStep: "Run the command again.", reasonAddsNothing: true),
    ]
}
