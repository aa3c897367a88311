public import CodedErrors

extension WebAddressErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .tooLong: ErrorExplanation(
            .limit, "The address is too long.",
            nextStep: "Make it shorter."),
        .controlCharacter: ErrorExplanation(
            .dataInvalid, "The address holds a control character.",
            nextStep: "Check the address for blanks, missing slashes and wrong percent signs."),
        .character: ErrorExplanation(
            .dataInvalid, "The address holds a character that must be encoded.",
            nextStep: "Check the address for blanks, missing slashes and wrong percent signs."),
        .percentEncoding: ErrorExplanation(
            .dataInvalid, "A per cent sign in the address is not followed by two hexadecimal digits.",
            nextStep: "Check the address for blanks, missing slashes and wrong percent signs."),
        .scheme: ErrorExplanation(
            .dataInvalid, "The address does not begin with http, https, ws or wss and a colon.",
            nextStep: "Give one that begins with https, http, wss or ws."),
        .credentials: ErrorExplanation(
            .dataInvalid, "A user name or password stands before the host of the address.",
            nextStep: "Leave it out: it would be sent wherever the address leads."),
        .host: ErrorExplanation(
            .dataInvalid,
            "The address has no host, or one that is neither a name in ASCII nor an IP address in its usual form.",
            nextStep: "Check the address for blanks, missing slashes and wrong percent signs."),
        .hostNumber: ErrorExplanation(
            .dataInvalid, "The host is a number in an unusual spelling.",
            nextStep: "Write an IPv4 address as four decimal numbers with dots."),
        .port: ErrorExplanation(
            .dataInvalid, "The port is not a decimal number from 1 to 65535 without leading zeros.",
            nextStep: "Check the address for blanks, missing slashes and wrong percent signs."),
    ]
}
