public import CodedErrors

extension CryptoErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .authenticationFailed: ErrorExplanation(
            .authentication, "The tag does not belong to these bytes under this key and nonce; nothing was decrypted.",
            nextStep: "Try again; if it happens again, the other side or an attacker in between is at fault."),
        .invalidKey: ErrorExplanation(
            .dataInvalid, "The key has a length or a value that the operation does not take.",
            nextStep: "Give values of the length and form that the operation documents."),
        .lowOrderPoint: ErrorExplanation(
            .authentication, "The peer's public key is one of those that give the same shared secret with every key.",
            nextStep: "Do not trust the sender."),
        .invalidPoint: ErrorExplanation(
            .dataInvalid,
            "A public key is not a point of the curve's large group, or not in an encoding that the curve has.",
            nextStep: "Do not trust the sender."),
        .invalidLength: ErrorExplanation(
            .dataInvalid, "A nonce, message or output has a length outside what the operation allows.",
            nextStep: "Give values of the length and form that the operation documents."),
        .malformedCertificate: ErrorExplanation(
            .dataInvalid, "A certificate, public key or revocation list is not the DER encoding of one.",
            nextStep: "Look at the byte that the message names; a file in PEM has to be decoded first."),
        .certificateTooLarge: ErrorExplanation(
            .limit, "A certificate, public key or revocation list has more bytes than are read.",
            nextStep: "Do not trust the sender."),
        .internal: ErrorExplanation(
            .dataInvalid, "The library failed for another reason, such as lack of memory.",
            nextStep: "Report this as a defect."),
    ]
}
