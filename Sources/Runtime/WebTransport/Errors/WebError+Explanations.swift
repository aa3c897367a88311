public import CodedErrors

extension WebErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .addressMalformed: ErrorExplanation(
            .dataInvalid, "A target, an address or a host name cannot be used as one.",
            nextStep: "Check the address for blanks, missing slashes and wrong percent signs."),
        .messageMalformed: ErrorExplanation(
            .dataInvalid, "A request or a response of this program holds what HTTP cannot carry.",
            nextStep: "Report this as a defect."),
        .listenFailed: ErrorExplanation(
            .permission, "The server cannot listen at the address: it is taken, not this machine's, or not allowed.",
            nextStep: "Choose another port, or an address of this machine."),
        .tlsConfiguration: ErrorExplanation(
            .permission,
            "A certificate, a key or a file of roots cannot be read, or certificate and key do not match.",
            nextStep: "Check that the files exist, are PEM and belong together."),
        .tlsUntrusted: ErrorExplanation(
            .authentication, "The peer's certificate is not trusted for that name.",
            nextStep:
                "Check the name and the clock; for a private authority set SSL_CERT_FILE to the file of its roots in PEM.",
            wireCodeContent: "what OpenSSL found wrong with the certificate (X509_V_ERR_…)"),
        .tlsFailed: ErrorExplanation(
            .authentication, "The TLS handshake failed.",
            nextStep: "Check that the server speaks TLS 1.2 or later at that port."),
        .connectFailed: ErrorExplanation(
            .notFound, "No server answers at the address, or it cannot be reached.",
            nextStep: "Check the address, and that the server runs."),
        .deadline: ErrorExplanation(
            .timeout, "The work was not done when its deadline came.",
            nextStep: "Run the command again."),
        .connectionLost: ErrorExplanation(
            .linkLost, "The connection ended before the answer was whole.",
            nextStep: "Run the command again."),
        .responseMalformed: ErrorExplanation(
            .dataInvalid, "The answer does not follow HTTP.",
            nextStep: "Check the address, and that the server runs."),
        .responseTooLarge: ErrorExplanation(
            .limit, "The response, or its header, is larger than allowed.",
            nextStep: "Check the address; nothing there should be that large."),
        .headerTooLarge: ErrorExplanation(
            .limit, "The header of the response is larger than allowed.",
            nextStep: "Check the address; nothing there should be that large."),
        .upgradeRefused: ErrorExplanation(
            .refused, "The server answered the request for a WebSocket with something else.",
            nextStep: "Check the address, and that the server runs.",
            wireCodeContent: "the status of the answer"),
        .socketClosed: ErrorExplanation(
            .linkLost, "The WebSocket is closed.", nextStep: "Check the address, and that the server runs.",
            wireCodeContent: "the status of the close frame"),
        .messageTooLarge: ErrorExplanation(
            .limit, "The peer sent a message larger than allowed.",
            nextStep: "Ask the sender for less, or raise the limit if you trust it."),
        .socketViolation: ErrorExplanation(
            .dataInvalid, "The peer broke a rule of the WebSocket protocol.",
            nextStep: "Try again; if it happens again, the other side or an attacker in between is at fault."),
        .socketSilent: ErrorExplanation(
            .timeout, "The peer answered no ping in the time allowed.",
            nextStep: "Check the address, and that the server runs."),
        .sendTooLarge: ErrorExplanation(
            .limit, "What should be sent is larger than the connection's limit.",
            nextStep: "Make it shorter."),
        .serviceStopped: ErrorExplanation(
            .permission, "The service was stopped, or could not start.",
            nextStep: "Start it again; see the log for why it stopped."),
        .tooManyConnections: ErrorExplanation(
            .limit, "As many connections are open as are allowed.",
            nextStep: "Wait until some have ended, and try again."),
    ]
}
