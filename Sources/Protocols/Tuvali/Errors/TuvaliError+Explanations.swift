public import CodedErrors

extension TuvaliErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .uriNotTuvali: ErrorExplanation(
            .dataInvalid, "This is not the code of a Tuvali verifier.",
            nextStep: "Scan the code again, or copy all of it."),
        .uriMalformed: ErrorExplanation(
            .dataInvalid, "The code is too long, not percent-encoded, or has a parameter twice.",
            nextStep: "Scan the code again, or copy all of it."),
        .uriMissingName: ErrorExplanation(
            .dataInvalid, "The code names no verifier.",
            nextStep: "Scan the code again, or copy all of it."),
        .uriBadName: ErrorExplanation(
            .dataInvalid, "The verifier's name is longer than an advertisement holds.",
            nextStep: "Choose a name of at most 14 bytes."),
        .uriMissingKey: ErrorExplanation(
            .dataInvalid, "The code holds no key.",
            nextStep: "Scan the code again, or copy all of it."),
        .uriBadKey: ErrorExplanation(
            .dataInvalid, "The key in the code is not 32 bytes in hexadecimal digits.",
            nextStep: "Scan the code again, or copy all of it."),
        .sessionMisused: ErrorExplanation(
            .usage, "The session cannot do this in its present state, or the payload is empty.",
            nextStep: "Choose a file that is not empty; otherwise report this as a defect."),
        .sessionInternal: ErrorExplanation(
            .dataInvalid, "A library, or a part of this program, failed for a reason that has no code.",
            nextStep: "Report this as a defect."),
        .linkLost: ErrorExplanation(
            .linkLost, "The link was lost before the hand-over was complete.",
            nextStep: "Move closer, and run the command again with a fresh code from the verifier.",
            reasonAddsNothing: true),
        .peerDisconnected: ErrorExplanation(
            .linkLost, "The other device ended the session before the hand-over was complete.",
            nextStep: "Look at its screen, then run the command again with a fresh code."),
        .walletVerifierNotFound: ErrorExplanation(
            .notFound, "No verifier was heard.",
            nextStep: "Check that it is switched on, in range, and using the same --radio; then scan its code again.",
            reasonAddsNothing: true),
        .walletStaleURI: ErrorExplanation(
            .notFound, "The QR code is stale: verifiers are near, but none has the key of this code.",
            nextStep: "Scan the code that the verifier shows now; each code serves one transfer.",
            reasonAddsNothing: true),
        .walletRadioFailed: ErrorExplanation(
            .permission, "The radio failed.",
            nextStep: "Check the radio and run the command again."),
        .walletConnectFailed: ErrorExplanation(
            .timeout, "The verifier was heard but could not be connected to.",
            nextStep: "Move closer and try again.", reasonAddsNothing: true),
        .walletServiceNotFound: ErrorExplanation(
            .notFound, "The device does not offer the whole Tuvali service.",
            nextStep: "Check that it is a verifier, and try the other --profile."),
        .walletMTUNotNegotiated: ErrorExplanation(
            .timeout, "The verifier answered no MTU request.",
            nextStep: "Run the command again."),
        .walletMTUTooSmall: ErrorExplanation(
            .limit, "The verifier's MTU leaves less than 64 bytes for a write.",
            nextStep: "Try another pair of devices; the link must carry at least 64 bytes a write."),
        .walletLowOrderKey: ErrorExplanation(
            .authentication, "The key in the code gives no secrecy.",
            nextStep: "Do not send anything to this verifier.", reasonAddsNothing: true),
        .walletSetupTimeout: ErrorExplanation(
            .timeout, "The verifier stopped answering before the channel was ready.",
            nextStep: "Run the command again, with a fresh code from the verifier.", reasonAddsNothing: true),
        .walletConsentTimeout: ErrorExplanation(
            .timeout, "Nothing was sent in the time allowed after the channel was ready.",
            nextStep: "Run the command again.", reasonAddsNothing: true),
        .walletPayloadTooLarge: ErrorExplanation(
            .limit, "The file is too large for this link.",
            nextStep: "Choose a smaller file: about 16 MB at most, and less on old phones."),
        .walletTransferTimeout: ErrorExplanation(
            .timeout, "The transfer stood still.",
            nextStep: "Move closer, and run the command again with a fresh code from the verifier.",
            reasonAddsNothing: true),
        .walletWriteFailed: ErrorExplanation(
            .refused, "The verifier refused a write.",
            nextStep: "Run the command again, with a fresh code from the verifier."),
        .walletReportRequestFailed: ErrorExplanation(
            .linkLost, "The request for the verifier's transfer report could not be written.",
            nextStep: "Run the command again, with a fresh code from the verifier."),
        .walletReportTimeout: ErrorExplanation(
            .timeout, "The verifier sent no transfer report.",
            nextStep: "Run the command again, with a fresh code from the verifier.", reasonAddsNothing: true),
        .walletReportMalformed: ErrorExplanation(
            .dataInvalid, "The verifier sent a transfer report that cannot be parsed.",
            nextStep: "Report its maker and model.", reasonAddsNothing: true),
        .walletReportOutOfRange: ErrorExplanation(
            .dataInvalid, "The verifier asks for a chunk that does not exist.",
            nextStep: "Report its maker and model.", reasonAddsNothing: true),
        .walletTooManyFailureFrames: ErrorExplanation(
            .limit, "Chunks were still missing after they had been sent again as often as allowed.",
            nextStep: "Move closer, and run the command again with a fresh code from the verifier."),
        .walletStatusTimeout: ErrorExplanation(
            .undecided, "Everything arrived, but the verifier did not say what it decided.",
            nextStep: "Ask at the desk; nothing needs to be sent again if they have it.", reasonAddsNothing: true),
        .walletDecisionUnknown: ErrorExplanation(
            .undecided, "Everything arrived, but the link ended before the verifier said what it decided.",
            nextStep: "Ask at the desk; nothing needs to be sent again if they have it.", reasonAddsNothing: true),
        .walletRequestWithheld: ErrorExplanation(
            .authentication, "The verifier's code says that it holds a request, but none could be read.",
            nextStep: "Run the command again, with a fresh code from the verifier.",
            reasonAddsNothing: true),
        .walletRequestUnanswered: ErrorExplanation(
            .timeout, "The verifier never answered the read of its request's size.",
            nextStep: "Run the command again and answer within half a minute, or try another verifier.",
            reasonAddsNothing: true),
        .walletRequestTimeout: ErrorExplanation(
            .timeout, "The verifier stopped answering while its request was read, or the request took too long.",
            nextStep: "Move closer, and run the command again with a fresh code from the verifier."),
        .walletRequestReadFailed: ErrorExplanation(
            .refused, "The verifier announced a request and refused to hand it out.",
            nextStep: "Run the command again, with a fresh code from the verifier.", reasonAddsNothing: true),
        .walletRequestTooLarge: ErrorExplanation(
            .limit, "The verifier's request is larger than allowed, as announced or when it decompresses.",
            nextStep: "Do not trust the sender."),
        .walletRequestMalformed: ErrorExplanation(
            .dataInvalid, "The verifier's request cannot be parsed.",
            nextStep: "Report its maker and model."),
        .walletRequestNotAuthentic: ErrorExplanation(
            .authentication, "The verifier's request was not sealed for this wallet, or was altered.",
            nextStep: "Nothing was sent; scan a fresh code.", reasonAddsNothing: true),
        .verifierRequestUnread: ErrorExplanation(
            .dataInvalid, "The wallet did not read the verifier's request.",
            nextStep: "Use a wallet that reads requests, or leave --require-answer out and decide about what it sends.",
            reasonAddsNothing: true),
        .verifierTooManyReads: ErrorExplanation(
            .limit, "The wallet read the verifier's request more often than any wallet needs.",
            nextStep: "Let the wallet scan a fresh code.", reasonAddsNothing: true),
        .verifierRadioFailed: ErrorExplanation(
            .permission, "The radio failed.",
            nextStep: "Check the radio and run the command again."),
        .verifierNobodyCame: ErrorExplanation(
            .timeout, "No wallet identified itself in the time allowed.",
            nextStep: "Run the command again and show the new code, with a longer --timeout if need be.",
            reasonAddsNothing: true),
        .verifierMTUTooSmall: ErrorExplanation(
            .limit, "The wallet's MTU leaves less than 64 bytes for a write.",
            nextStep: "Try another pair of devices; the link must carry at least 64 bytes a write."),
        .verifierIdentifyMalformed: ErrorExplanation(
            .dataInvalid, "The wallet's identify request is shorter than 44 bytes.",
            nextStep: "Try another wallet, or report its maker and version."),
        .verifierIdentifyTimeout: ErrorExplanation(
            .timeout, "A device connected and did not identify itself.",
            nextStep: "Let the wallet scan a fresh code."),
        .verifierLowOrderKey: ErrorExplanation(
            .authentication, "The wallet's key gives no secrecy.",
            nextStep: "Do not trust the sender.", reasonAddsNothing: true),
        .verifierOutOfTurn: ErrorExplanation(
            .dataInvalid, "The wallet sent a message that the state of the session does not expect.",
            nextStep: "Let the wallet scan a fresh code."),
        .verifierForeignLink: ErrorExplanation(
            .refused, "Another device wrote into the session.",
            nextStep: "Let the wallet scan a fresh code."),
        .verifierSizeMalformed: ErrorExplanation(
            .dataInvalid, "The wallet announced a payload size in fewer than four bytes.",
            nextStep: "Let the wallet scan a fresh code."),
        .verifierSizeZero: ErrorExplanation(
            .dataInvalid, "The wallet announced a payload size of zero.",
            nextStep: "Let the wallet scan a fresh code.", reasonAddsNothing: true),
        .verifierSizeTooLarge: ErrorExplanation(
            .limit, "The wallet announced a payload larger than allowed.",
            nextStep: "Choose a smaller credential in the wallet."),
        .verifierSizeMissing: ErrorExplanation(
            .dataInvalid, "The wallet sent chunks or a report request, but never a payload size.",
            nextStep: "Let the wallet scan a fresh code.", reasonAddsNothing: true),
        .verifierBadChunk: ErrorExplanation(
            .dataInvalid, "A chunk is corrupt, malformed or contradicts another.",
            nextStep: "Let the wallet scan a fresh code."),
        .verifierTooManyMissingChunks: ErrorExplanation(
            .limit, "More than 70 % of the chunks are missing.",
            nextStep: "Move closer, away from other radios, and let the wallet scan a fresh code."),
        .verifierTooManyReports: ErrorExplanation(
            .limit, "The wallet asked for more transfer reports than any wallet needs.",
            nextStep: "Move closer, away from other radios, and let the wallet scan a fresh code."),
        .verifierNotAuthentic: ErrorExplanation(
            .authentication, "The payload was not sealed for this verifier, or was altered.",
            nextStep: "Nothing was kept; let the wallet scan a fresh code.", reasonAddsNothing: true),
        .verifierNotGzip: ErrorExplanation(
            .dataInvalid, "The payload is authentic but no gzip stream.",
            nextStep: "Nothing was kept; try another wallet.", reasonAddsNothing: true),
        .verifierPayloadTooLarge: ErrorExplanation(
            .limit, "The payload decompresses to more than is allowed.",
            nextStep: "Nothing was kept; choose a smaller credential in the wallet.", reasonAddsNothing: true),
        .verifierTransferTimeout: ErrorExplanation(
            .timeout, "No new chunk arrived in time, or the transfer took too long in all.",
            nextStep: "Move closer, away from other radios, and let the wallet scan a fresh code.",
            reasonAddsNothing: true),
        .verifierDecisionTimeout: ErrorExplanation(
            .timeout, "The credential was neither accepted nor rejected in time.",
            nextStep: "Run the command again, with --accept always or never to answer at once.", reasonAddsNothing: true
        ),
    ]
}
