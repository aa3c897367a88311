public import CodedErrors

extension FetchErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .scheme: ErrorExplanation(
            .dataInvalid, "The scheme is ws or wss, which is not used to fetch.",
            nextStep: "Use https; --allow-http allows http, for a network that you trust."),
        .insecure: ErrorExplanation(
            .permission, "The address has no TLS.",
            nextStep: "Use https; --allow-http allows http, for a network that you trust."),
        .target: ErrorExplanation(
            .dataInvalid,
            "Path or query hold control characters, bytes that are not text when decoded, or too many parts.",
            nextStep: "Ask its author for a direct address with https."),
        .addressRefused: ErrorExplanation(
            .permission, "The host is, or resolves to, an address that is not allowed for addresses from outside.",
            nextStep: "If you run both ends, give --allow-private."),
        .nameNotFound: ErrorExplanation(
            .notFound, "The name of the host does not exist, or has no address.",
            nextStep: "Check the address, and that this machine has a network."),
        .nameServerFailed: ErrorExplanation(
            .notFound, "The name servers gave no answer, or one that cannot be used.",
            nextStep: "Check the address, and that this machine has a network."),
        .nameServerBusy: ErrorExplanation(
            .limit, "Too many names are being resolved.",
            nextStep: "Wait until some have ended, and try again."),
        .unreachable: ErrorExplanation(
            .notFound, "No server answers at any address of the host.",
            nextStep: "Check the address, and that the server runs."),
        .certificateExpired: ErrorExplanation(
            .authentication, "The server's certificate is not valid yet, or has expired.",
            nextStep: "Check this machine's clock; else the server's owner must renew it."),
        .certificateName: ErrorExplanation(
            .authentication, "The server's certificate is for another name.",
            nextStep: "Check the address; do not trust this server."),
        .certificateUntrusted: ErrorExplanation(
            .authentication, "No trusted root signed the server's certificate.",
            nextStep: "Do not trust this server; if it is yours, add its authority to this machine's certificates."),
        .handshake: ErrorExplanation(
            .authentication, "The TLS handshake failed for another reason.",
            nextStep: "Check that the server speaks TLS 1.2 or later at that port."),
        .deadline: ErrorExplanation(
            .timeout, "The answer was not whole in the time allowed.",
            nextStep: "Run the command again."),
        .bodyTooLarge: ErrorExplanation(
            .limit, "The body of the response is larger than allowed.",
            nextStep: "Check the address; nothing there should be that large."),
        .headerTooLarge: ErrorExplanation(
            .limit, "The header of the response is larger than allowed.",
            nextStep: "Check the address; nothing there should be that large."),
        .truncated: ErrorExplanation(
            .linkLost, "The connection ended before the answer was whole.",
            nextStep: "Run the command again."),
        .malformed: ErrorExplanation(
            .dataInvalid, "The answer does not follow HTTP.",
            nextStep: "Check the address, and that the server runs."),
        .encoded: ErrorExplanation(
            .dataInvalid, "The response is compressed though no compression was accepted.",
            nextStep: "Ask its author for a direct address with https."),
        .status: ErrorExplanation(
            .refused, "The server answered with a status that is neither success nor a redirect.",
            nextStep:
                "Check the address; a short link that was taken back or is over has the status 404: ask for a new one.",
            wireCodeContent: "the status of the answer"),
        .redirectMalformed: ErrorExplanation(
            .dataInvalid, "A redirect names no target, or one that cannot be parsed.",
            nextStep: "Ask its author for a direct address with https."),
        .redirectScheme: ErrorExplanation(
            .dataInvalid, "A redirect leads to a scheme that is not used to fetch.",
            nextStep: "Open it with the application that it is for."),
        .redirectDowngrade: ErrorExplanation(
            .permission, "A redirect leads from https to http.",
            nextStep: "Ask its author for a direct address with https."),
        .redirectLoop: ErrorExplanation(
            .dataInvalid, "A redirect leads to an address that was fetched already.",
            nextStep: "Ask its author for a direct address with https."),
        .redirectLimit: ErrorExplanation(
            .limit, "There are more redirects than allowed.",
            nextStep: "Ask its author for a direct address with https."),
        .cancelled: ErrorExplanation(.interrupted, "The fetch was cancelled.", nextStep: "Run the command again."),
        .local: ErrorExplanation(
            .permission, "This machine could not carry out the fetch.",
            nextStep: "Read the cause above; try again when less is going on."),
    ]
}
