public import CodedErrors

extension FetchError.Code: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .scheme: ErrorExplanation(
            .dataInvalid, "Nothing is fetched by a WebSocket.",
            nextStep: "Give an address that begins with https."),
        .insecure: ErrorExplanation(
            .permission, "The address has no TLS.",
            nextStep: "Use https; --allow-http allows http, for a network that you trust."),
        .target: ErrorExplanation(
            .dataInvalid, "The address asks for what cannot be asked for.",
            nextStep: "Ask its author for another address."),
        .addressRefused: ErrorExplanation(
            .permission, "The address leads where a stranger must not send this machine.",
            nextStep: "If you run both ends, give --allow-private."),
        .nameNotFound: ErrorExplanation(
            .notFound, "The name of the host does not exist.",
            nextStep: "Check the address, and that this machine has a network."),
        .nameServerFailed: ErrorExplanation(
            .notFound, "The name servers gave no answer.",
            nextStep: "Try again; check this machine's name servers."),
        .nameServerBusy: ErrorExplanation(
            .limit, "Too many names are being resolved.",
            nextStep: "Try again when some have ended."),
        .unreachable: ErrorExplanation(
            .notFound, "No server answers at the address.",
            nextStep: "Check the address, and that the server runs."),
        .certificateExpired: ErrorExplanation(
            .authentication, "The server's certificate is not valid now.",
            nextStep: "Check this machine's clock; else the server's owner must renew it."),
        .certificateName: ErrorExplanation(
            .authentication, "The server's certificate is for another name.",
            nextStep: "Check the address; do not trust this server."),
        .certificateUntrusted: ErrorExplanation(
            .authentication, "No trusted root signed the server's certificate.",
            nextStep: "Do not trust this server; if it is yours, add its authority to this machine's certificates."),
        .handshake: ErrorExplanation(
            .authentication, "No protected connection came about.",
            nextStep: "Check that the server speaks TLS 1.2 or later at that port."),
        .deadline: ErrorExplanation(
            .timeout, "The answer was not whole in the time allowed.",
            nextStep: "Try again later."),
        .bodyTooLarge: ErrorExplanation(
            .limit, "The answer is too large.",
            nextStep: "Check the address; nothing there should be that large."),
        .headerTooLarge: ErrorExplanation(
            .limit, "The header of the answer is too large.",
            nextStep: "Check the address; no honest header is that large."),
        .truncated: ErrorExplanation(
            .linkLost, "The connection ended before the answer was whole.",
            nextStep: "Try again."),
        .malformed: ErrorExplanation(
            .dataInvalid, "The answer does not follow HTTP.",
            nextStep: "Check that the address is that of a web server."),
        .encoded: ErrorExplanation(
            .dataInvalid, "The answer is compressed though none was asked for.",
            nextStep: "Ask the server's owner; it ignores what a request accepts."),
        .status: ErrorExplanation(
            .refused, "The server did not give what was asked for.",
            nextStep: "Check the address; the status above tells more.",
            wireCodeContent: "the status of the answer"),
        .redirectMalformed: ErrorExplanation(
            .dataInvalid, "The address leads on to one that cannot be read.",
            nextStep: "Ask its author for a direct address."),
        .redirectScheme: ErrorExplanation(
            .dataInvalid, "The address leads out of the web.",
            nextStep: "Open it with the application that it is for."),
        .redirectDowngrade: ErrorExplanation(
            .permission, "The address leads on to one without TLS.",
            nextStep: "Ask its author for a direct address with https."),
        .redirectLoop: ErrorExplanation(
            .dataInvalid, "The address leads in a circle.",
            nextStep: "Tell the server's owner; the server is set up wrongly."),
        .redirectLimit: ErrorExplanation(
            .limit, "The address leads on too many times.",
            nextStep: "Ask its author for a direct address."),
        .cancelled: ErrorExplanation(.interrupted, "The fetch was cancelled.", nextStep: "Run the command again."),
        .local: ErrorExplanation(
            .permission, "This machine could not carry out the fetch.",
            nextStep: "Read the cause above; try again when less is going on."),
    ]
}
