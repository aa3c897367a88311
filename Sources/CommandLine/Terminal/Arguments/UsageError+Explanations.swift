public import CodedErrors

extension UsageErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .missingCommand: ErrorExplanation(
            .usage, "No command was given where one is needed.",
            nextStep: "Name a command; symbolon --help lists them."),
        .unknownCommand: ErrorExplanation(
            .usage, "The command does not exist.",
            nextStep: "See symbolon --help; the message suggests the nearest."),
        .unknownOption: ErrorExplanation(
            .usage, "The option does not exist for this command.",
            nextStep: "See symbolon --help; the message suggests the nearest."),
        .missingValue: ErrorExplanation(
            .usage, "An option that takes a value was given none.",
            nextStep: "Give the option its value, --name VALUE or --name=VALUE."),
        .unexpectedValue: ErrorExplanation(
            .usage, "An option that takes no value was given one.",
            nextStep: "Leave the value out: the option is a switch."),
        .badValue: ErrorExplanation(
            .usage, "A value is not of its kind or out of range.",
            nextStep: "Give a value of the kind and range in the message."),
        .repeatedOption: ErrorExplanation(
            .usage, "An option that counts once was given more often.",
            nextStep: "Give the option once."),
        .missingOption: ErrorExplanation(
            .usage, "An option that is required is not there.",
            nextStep: "Give what the message names."),
        .missingOperand: ErrorExplanation(
            .usage, "An argument that is required is not there.",
            nextStep: "Give what the message names."),
        .unexpectedOperand: ErrorExplanation(
            .usage, "There are more arguments than the command takes.",
            nextStep: "Leave the extra argument out, or quote one with blanks in it."),
        .conflict: ErrorExplanation(
            .usage, "Two options, or an option and where the command runs, exclude each other.",
            nextStep: "Choose one of the two that the message names."),
    ]
}
