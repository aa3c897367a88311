public import CodedErrors

extension TuvaliError.Code: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .uriNotTuvali: ErrorExplanation(
            .dataInvalid, "This is not the code of a Tuvali verifier.",
            nextStep: "Scan the code again, or copy all of it."),
        .uriMalformed: ErrorExplanation(
            .dataInvalid, "The code cannot be read.",
            nextStep: "Scan the code again, or copy all of it."),
        .uriMissingName: ErrorExplanation(
            .dataInvalid, "The code names no verifier.",
            nextStep: "Scan the code again, or copy all of it."),
        .uriBadName: ErrorExplanation(
            .dataInvalid, "The verifier's name does not fit.",
            nextStep: "Choose a name of at most 14 bytes."),
        .uriMissingKey: ErrorExplanation(
            .dataInvalid, "The code holds no key.",
            nextStep: "Scan the code again, or copy all of it."),
        .uriBadKey: ErrorExplanation(
            .dataInvalid, "The key in the code is not a key.",
            nextStep: "Scan the code again, or copy all of it."),
        .sessionMisused: ErrorExplanation(
            .usage, "This cannot be sent.",
            nextStep: "Choose a file that is not empty; otherwise report this as a defect."),
        .sessionInternal: ErrorExplanation(
            .dataInvalid, "This program made a mistake.",
            nextStep: "Report the code below as a defect."),
        .linkLost: ErrorExplanation(
            .linkLost, "The link was lost before the credential was across.",
            nextStep: "Move closer and run the command again, with a fresh code from the verifier.",
            reasonAddsNothing: true),
        .peerDisconnected: ErrorExplanation(
            .linkLost, "The other device ended the session.",
            nextStep: "Look at its screen, then run the command again with a fresh code."),
        .walletVerifierNotFound: ErrorExplanation(
            .notFound, "No verifier was heard.",
            nextStep: "Check that it is switched on, near, and on the same air; then scan its code again.",
            reasonAddsNothing: true),
        .walletStaleURI: ErrorExplanation(
            .notFound, "The QR code is stale: verifiers are near, but none has the key of this code.",
            nextStep: "Scan the code that the verifier shows now; each code serves one transfer.",
            reasonAddsNothing: true),
        .walletRadioFailed: ErrorExplanation(
            .permission, "The radio failed.",
            nextStep: "Check the radio and run the command again."),
        .walletConnectFailed: ErrorExplanation(
            .timeout, "The verifier was heard but could not be reached.",
            nextStep: "Move closer and try again.", reasonAddsNothing: true),
        .walletServiceNotFound: ErrorExplanation(
            .notFound, "The device does not offer the service of a verifier.",
            nextStep: "Check that it is a verifier, and try the other --profile."),
        .walletMTUNotNegotiated: ErrorExplanation(
            .timeout, "The verifier answered no request for a packet size.",
            nextStep: "Run the command again; if it happens again, restart the verifier's application."),
        .walletMTUTooSmall: ErrorExplanation(
            .limit, "The link carries too little in one write.",
            nextStep: "Try another pair of devices; the link must carry at least 64 bytes a write."),
        .walletLowOrderKey: ErrorExplanation(
            .authentication, "The key in the code gives no secrecy.",
            nextStep: "Do not send anything to this verifier.", reasonAddsNothing: true),
        .walletSetupTimeout: ErrorExplanation(
            .timeout, "The verifier stopped answering before anything was sent.",
            nextStep: "Run the command again, with a fresh code from the verifier.", reasonAddsNothing: true),
        .walletConsentTimeout: ErrorExplanation(
            .timeout, "The question was not answered in time.",
            nextStep: "Run the command again.", reasonAddsNothing: true),
        .walletPayloadTooLarge: ErrorExplanation(
            .limit, "The file is too large for this link.",
            nextStep: "Choose a smaller file: about 16 MB at most, and less on old phones."),
        .walletTransferTimeout: ErrorExplanation(
            .timeout, "The transfer stood still.",
            nextStep: "Move closer and run the command again, with a fresh code.", reasonAddsNothing: true),
        .walletWriteFailed: ErrorExplanation(
            .refused, "The verifier refused a part of the transfer.",
            nextStep: "Run the command again, with a fresh code."),
        .walletReportRequestFailed: ErrorExplanation(
            .linkLost, "The verifier could not be asked what arrived.",
            nextStep: "Run the command again, with a fresh code."),
        .walletReportTimeout: ErrorExplanation(
            .timeout, "The verifier did not say what arrived.",
            nextStep: "Run the command again, with a fresh code.", reasonAddsNothing: true),
        .walletReportMalformed: ErrorExplanation(
            .dataInvalid, "The verifier's report cannot be read.",
            nextStep: "Report its maker and model.", reasonAddsNothing: true),
        .walletReportOutOfRange: ErrorExplanation(
            .dataInvalid, "The verifier asks for parts that do not exist.",
            nextStep: "Report its maker and model.", reasonAddsNothing: true),
        .walletTooManyFailureFrames: ErrorExplanation(
            .limit, "Too much was lost, again and again.",
            nextStep: "Move closer, away from other radios, and run the command again with a fresh code."),
        .walletStatusTimeout: ErrorExplanation(
            .undecided, "Everything arrived, but the verifier did not say what it decided.",
            nextStep: "Ask at the desk; nothing needs to be sent again if they have it.", reasonAddsNothing: true),
        .walletDecisionUnknown: ErrorExplanation(
            .undecided, "Everything arrived, but the link ended before the verifier said what it decided.",
            nextStep: "Ask at the desk; nothing needs to be sent again if they have it.", reasonAddsNothing: true),
        .verifierRadioFailed: ErrorExplanation(
            .permission, "The radio failed.",
            nextStep: "Check the radio and run the command again."),
        .verifierNobodyCame: ErrorExplanation(
            .timeout, "No wallet came in the time allowed.",
            nextStep: "Run the command again and show the new code, with a longer --timeout if need be.",
            reasonAddsNothing: true),
        .verifierMTUTooSmall: ErrorExplanation(
            .limit, "The wallet's link carries too little in one write.",
            nextStep: "Try another pair of devices; the link must carry at least 64 bytes a write."),
        .verifierIdentifyMalformed: ErrorExplanation(
            .dataInvalid, "The wallet's first message is too short.",
            nextStep: "Try another wallet, or report its maker and version."),
        .verifierIdentifyTimeout: ErrorExplanation(
            .timeout, "A wallet connected and said nothing.",
            nextStep: "Let the wallet scan the code again."),
        .verifierLowOrderKey: ErrorExplanation(
            .authentication, "The wallet's key gives no secrecy.",
            nextStep: "Do not trust this wallet.", reasonAddsNothing: true),
        .verifierOutOfTurn: ErrorExplanation(
            .dataInvalid, "The wallet sent something at the wrong time.",
            nextStep: "Let the wallet scan a fresh code."),
        .verifierForeignLink: ErrorExplanation(
            .refused, "Another device interfered with the session.",
            nextStep: "Let the wallet scan a fresh code."),
        .verifierSizeMalformed: ErrorExplanation(
            .dataInvalid, "The wallet announced a size that cannot be read.",
            nextStep: "Let the wallet scan a fresh code."),
        .verifierSizeZero: ErrorExplanation(
            .dataInvalid, "The wallet announced nothing to send.",
            nextStep: "Choose a credential in the wallet and scan a fresh code.", reasonAddsNothing: true),
        .verifierSizeTooLarge: ErrorExplanation(
            .limit, "The wallet wants to send more than is allowed.",
            nextStep: "Choose a smaller credential in the wallet."),
        .verifierSizeMissing: ErrorExplanation(
            .dataInvalid, "The wallet sent parts without saying how many.",
            nextStep: "Let the wallet scan a fresh code.", reasonAddsNothing: true),
        .verifierBadChunk: ErrorExplanation(
            .dataInvalid, "A part of the transfer is not as it should be.",
            nextStep: "Let the wallet scan a fresh code."),
        .verifierTooManyMissingChunks: ErrorExplanation(
            .limit, "More than 70 % of the parts were lost.",
            nextStep: "Move closer, away from other radios, and let the wallet scan a fresh code."),
        .verifierTooManyReports: ErrorExplanation(
            .limit, "Too much was lost, again and again.",
            nextStep: "Move closer, away from other radios, and let the wallet scan a fresh code."),
        .verifierNotAuthentic: ErrorExplanation(
            .authentication, "What arrived was not sealed for this verifier, or was altered.",
            nextStep: "Nothing was kept; let the wallet scan a fresh code.", reasonAddsNothing: true),
        .verifierNotGzip: ErrorExplanation(
            .dataInvalid, "What arrived cannot be unpacked.",
            nextStep: "Nothing was kept; try another wallet.", reasonAddsNothing: true),
        .verifierPayloadTooLarge: ErrorExplanation(
            .limit, "What arrived grows too large when unpacked.",
            nextStep: "Nothing was kept; choose a smaller credential in the wallet.", reasonAddsNothing: true),
        .verifierTransferTimeout: ErrorExplanation(
            .timeout, "The transfer stood still.",
            nextStep: "Move closer and let the wallet scan a fresh code.", reasonAddsNothing: true),
        .verifierDecisionTimeout: ErrorExplanation(
            .timeout, "The credential was neither accepted nor rejected in time.",
            nextStep: "Run the command again, with --accept always or never to answer at once.", reasonAddsNothing: true
        ),
    ]
}
