public import CodedErrors

extension MobileSessionErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .engagementMalformed: ErrorExplanation(
            .dataInvalid, "The text is not the code that a phone shows for a mobile document.",
            nextStep: "Scan the code again; if it stays, report the wallet and its version."),
        .engagementVersion: ErrorExplanation(
            .dataInvalid, "The phone's code is of a version that is not understood.",
            nextStep: "Look for a newer version of symbolon."),
        .engagementSuite: ErrorExplanation(
            .dataInvalid, "The phone's code asks for encryption that is not understood.",
            nextStep: "Look for a newer version of symbolon."),
        .engagementCurve: ErrorExplanation(
            .dataInvalid, "The key in the phone's code is on no known curve, or not a point of its curve.",
            nextStep: "Scan the code again; if it stays, report the wallet and its version."),
        .noCommonMethod: ErrorExplanation(
            .dataInvalid, "The phone's code offers no way over Bluetooth that is allowed here.",
            nextStep: "Leave out --mode, or ask the person to switch Bluetooth on and to show the code again."),
        .notFound: ErrorExplanation(
            .timeout, "The other side did not come in the time allowed.",
            nextStep: "Keep the wallet open and near the reader, and show a new code."),
        .connectTimeout: ErrorExplanation(
            .timeout, "The other side was found, and no connection to it came up.",
            nextStep: "Move closer, and show a new code."),
        .serviceMissing: ErrorExplanation(
            .refused, "The phone does not offer what its code promises.",
            nextStep: "Ask the person to show the code again; if it stays, report the wallet and its version."),
        .identMismatch: ErrorExplanation(
            .authentication, "The reader that was found is not the one that read the code.",
            nextStep: "Show the code again."),
        .partMalformed: ErrorExplanation(
            .dataInvalid, "A part of a message does not follow the protocol.",
            nextStep: "Report the wallet and its version."),
        .protocolBroken: ErrorExplanation(
            .dataInvalid, "The other side did something that the protocol does not allow at that point.",
            nextStep: "Report the wallet and its version."),
        .messageTooLarge: ErrorExplanation(
            .limit, "A message is larger than the limit.", nextStep: "Ask for less, for instance without the portrait."),
        .brokenOff: ErrorExplanation(
            .linkLost, "The connection ended before the whole answer was here.",
            nextStep: "Move closer, and show a new code."),
        .sessionDecrypt: ErrorExplanation(
            .authentication, "A message of the session cannot be decrypted.",
            nextStep: "Show a new code."),
        .sessionMalformed: ErrorExplanation(
            .dataInvalid, "A message of the session is not what the protocol says.",
            nextStep: "Report the wallet and its version."),
        .peerStatus: ErrorExplanation(
            .refused, "The other side ended the session with a status.",
            nextStep: "Show a new code, and scan it.", wireCodeContent: "the status: 10, 11 or 20"),
        .idleTimeout: ErrorExplanation(
            .timeout, "The person or the reader did not answer in the time allowed.",
            nextStep: "Show a new code."),
        .requestMalformed: ErrorExplanation(
            .dataInvalid, "The reader's request does not follow its format.", nextStep: "Report the reader."),
        .readerIdentity: ErrorExplanation(
            .dataInvalid, "The key or the certificate of the reader cannot be used to sign requests.",
            nextStep: "Make them with symbolon mdoc reader, and have the request signed by your authority of readers."),
        .responseMalformed: ErrorExplanation(
            .dataInvalid, "The phone's answer does not follow its format.",
            nextStep: "Report the wallet and its version."),
        .responseStatus: ErrorExplanation(
            .refused, "The phone answered that it could not handle the request.",
            nextStep: "Ask for less, or for another document.", wireCodeContent: "the status: 10, 11 or 12"),
        .nothingReturned: ErrorExplanation(
            .refused, "The phone returned nothing: the person declined, or has nothing of what was asked for.",
            nextStep: "Ask the person, check the names in the request, and scan a new code."),
        .radioFailed: ErrorExplanation(
            .permission, "Bluetooth stopped working during the session.",
            nextStep: "Run symbolon doctor."),
        .sessionInternal: ErrorExplanation(
            .dataInvalid, "The session failed for a reason of its own.", nextStep: "Report this as a defect."),
    ]
}
