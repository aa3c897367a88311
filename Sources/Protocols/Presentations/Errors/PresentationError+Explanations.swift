public import CodedErrors

extension PresentationErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .requestMediaType: ErrorExplanation(
            .dataInvalid, "The verifier's request has a media type that is not understood.",
            nextStep: "Nothing was sent; tell the verifier."),
        .requestMalformed: ErrorExplanation(
            .dataInvalid, "The verifier's request is not a request object.",
            nextStep: "Nothing was sent; tell the verifier."),
        .requestClaims: ErrorExplanation(
            .dataInvalid, "The request lacks a claim that it must have, or has one that it must not have.",
            nextStep: "Nothing was sent; tell the verifier."),
        .requestUnsupported: ErrorExplanation(
            .dataInvalid, "The request asks in a way that is not supported.",
            nextStep: "Nothing was sent; tell the verifier."),
        .requestWrongChannel: ErrorExplanation(
            .authentication, "The request was written for another session than this one.",
            nextStep: "Do not trust it: another device may be relaying or imitating it."),
        .requestUnbound: ErrorExplanation(
            .authentication, "The request is bound to no session, so that another device may be relaying it.",
            nextStep: "Scan the code of a verifier that binds its requests, or accept it with --accept-unbound."),
        .requestSignature: ErrorExplanation(
            .authentication, "The signature of the request does not fit, or its algorithm or key is not accepted.",
            nextStep: "Do not answer it."),
        .requestExpired: ErrorExplanation(
            .authentication, "The request is not valid at this time.",
            nextStep: "Check the clocks, and scan a fresh code."),
        .requestMissing: ErrorExplanation(
            .notFound, "The verifier holds no request, and there is nothing else to send.",
            nextStep: "Name a file to send, or scan the code of a verifier that asks."),
        .requestPreset: ErrorExplanation(
            .usage, "A preset of a request does not exist.",
            nextStep: "Name one of those that symbolon receive --help lists."),
        .answerMalformed: ErrorExplanation(
            .dataInvalid, "The wallet's answer holds neither presentations nor a refusal.",
            nextStep: "Use a wallet that answers requests."),
        .answerRefused: ErrorExplanation(
            .refused, "The wallet refused the request.", nextStep: "Ask its user; the reason stands above."),
        .answerWrongNonce: ErrorExplanation(
            .authentication, "The answer was made for another request or another session.",
            nextStep: "Do not trust it: another device may be relaying or imitating it."),
        .answerPresentation: ErrorExplanation(
            .credentialRefused, "A presentation in the answer is refused, or could not be checked.",
            nextStep: "Do not accept it, or add its issuer to the trust file."),
        .answerCredentialMissing: ErrorExplanation(
            .dataInvalid, "A credential that the request asks for is not in the answer.",
            nextStep: "Ask the wallet's user for the credential that is named above."),
        .answerClaimMissing: ErrorExplanation(
            .dataInvalid, "A claim that the request asks for is not in the credential.",
            nextStep: "Ask the wallet's user for a credential with the claim that is named above."),
        .walletNothingFits: ErrorExplanation(
            .notFound, "No credential of the wallet fits the request.",
            nextStep: "Put a credential with the claims that are named above into the folder."),
        .walletHolderKey: ErrorExplanation(
            .dataInvalid, "A key of the holder or for requests is not a private Ed25519 or P-256 key in a JWK.",
            nextStep:
                "Write the JWK with its d (kty OKP, crv Ed25519; kty EC, crv P-256), or remove holder.jwk."
        ),
    ]
}
