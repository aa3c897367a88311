// The lines of the failure table for what the Tuvali cores find out.
extension FailureTable {
    private static let scanAgain = "Scan the code again, or copy all of it."

    static let codes = [
        Entry("tuvali.uri.not-tuvali", .dataInvalid, "This is not the code of a Tuvali verifier.", scanAgain),
        Entry("tuvali.uri.malformed", .dataInvalid, "The code cannot be read.", scanAgain),
        Entry("tuvali.uri.missing-name", .dataInvalid, "The code names no verifier.", scanAgain),
        Entry(
            "tuvali.uri.bad-name", .dataInvalid, "The verifier's name does not fit.",
            "Choose a name of at most 14 bytes."),
        Entry("tuvali.uri.missing-key", .dataInvalid, "The code holds no key.", scanAgain),
        Entry("tuvali.uri.bad-key", .dataInvalid, "The key in the code is not a key.", scanAgain),
    ]

    static let sessions = [
        Entry(
            "tuvali.session.misused", .usage, "This cannot be sent.",
            "Choose a file that is not empty; otherwise report this as a defect."),
        Entry(
            "tuvali.session.internal", .dataInvalid, "This program made a mistake.",
            "Report the code below as a defect."),
        Entry(
            "tuvali.session.link-lost", .linkLost, "The link was lost before the credential was across.",
            "Move closer and run the command again, with a fresh code from the verifier."),
        Entry(
            "tuvali.session.peer-disconnected", .linkLost, "The other device ended the session.",
            "Look at its screen, then run the command again with a fresh code."),
    ]

    static let wallets = [
        Entry(
            "tuvali.wallet.verifier-not-found", .notFound, "No verifier was heard.",
            "Check that it is switched on, near, and on the same air; then scan its code again."),
        Entry(
            "tuvali.wallet.stale-uri", .notFound,
            "The QR code is stale: verifiers are near, but none has the key of this code.",
            "Scan the code that the verifier shows now; each code serves one transfer."),
        Entry(
            "tuvali.wallet.radio-failed", .permission, "The radio failed.", "Check the radio and run the command again."
        ),
        Entry(
            "tuvali.wallet.connect-failed", .timeout, "The verifier was heard but could not be reached.",
            "Move closer and try again."),
        Entry(
            "tuvali.wallet.service-not-found", .notFound, "The device does not offer the service of a verifier.",
            "Check that it is a verifier, and try the other --profile."),
        Entry(
            "tuvali.wallet.mtu-not-negotiated", .timeout, "The verifier answered no request for a packet size.",
            "Run the command again; if it happens again, restart the verifier's application."),
        Entry(
            "tuvali.wallet.mtu-too-small", .limit, "The link carries too little in one write.",
            "Try another pair of devices; the link must carry at least 64 bytes a write."),
        Entry(
            "tuvali.wallet.low-order-key", .authentication, "The key in the code gives no secrecy.",
            "Do not send anything to this verifier."),
        Entry(
            "tuvali.wallet.setup-timeout", .timeout, "The verifier stopped answering before anything was sent.",
            "Run the command again, with a fresh code from the verifier."),
        Entry(
            "tuvali.wallet.consent-timeout", .timeout, "The question was not answered in time.",
            "Run the command again."),
        Entry(
            "tuvali.wallet.payload-too-large", .limit, "The file is too large for this link.",
            "Choose a smaller file: about 16 MB at most, and less on old phones."),
        Entry(
            "tuvali.wallet.transfer-timeout", .timeout, "The transfer stood still.",
            "Move closer and run the command again, with a fresh code."),
        Entry(
            "tuvali.wallet.write-failed", .refused, "The verifier refused a part of the transfer.",
            "Run the command again, with a fresh code."),
        Entry(
            "tuvali.wallet.report-request-failed", .linkLost, "The verifier could not be asked what arrived.",
            "Run the command again, with a fresh code."),
        Entry(
            "tuvali.wallet.report-timeout", .timeout, "The verifier did not say what arrived.",
            "Run the command again, with a fresh code."),
        Entry(
            "tuvali.wallet.report-malformed", .dataInvalid, "The verifier's report cannot be read.",
            "Report its maker and model."),
        Entry(
            "tuvali.wallet.report-out-of-range", .dataInvalid, "The verifier asks for parts that do not exist.",
            "Report its maker and model."),
        Entry(
            "tuvali.wallet.too-many-failure-frames", .limit, "Too much was lost, again and again.",
            "Move closer, away from other radios, and run the command again with a fresh code."),
        Entry(
            "tuvali.wallet.status-timeout", .undecided,
            "Everything arrived, but the verifier did not say what it decided.",
            "Ask at the desk; nothing needs to be sent again if they have it."),
        Entry(
            "tuvali.wallet.decision-unknown", .undecided,
            "Everything arrived, but the link ended before the verifier said what it decided.",
            "Ask at the desk; nothing needs to be sent again if they have it."),
    ]

    static let verifiers = [
        Entry(
            "tuvali.verifier.radio-failed", .permission, "The radio failed.",
            "Check the radio and run the command again."),
        Entry(
            "tuvali.verifier.nobody-came", .timeout, "No wallet came in the time allowed.",
            "Run the command again and show the new code, with a longer --timeout if need be."),
        Entry(
            "tuvali.verifier.mtu-too-small", .limit, "The wallet's link carries too little in one write.",
            "Try another pair of devices; the link must carry at least 64 bytes a write."),
        Entry(
            "tuvali.verifier.identify-malformed", .dataInvalid, "The wallet's first message is too short.",
            "Try another wallet, or report its maker and version."),
        Entry(
            "tuvali.verifier.identify-timeout", .timeout, "A wallet connected and said nothing.",
            "Let the wallet scan the code again."),
        Entry(
            "tuvali.verifier.low-order-key", .authentication, "The wallet's key gives no secrecy.",
            "Do not trust this wallet."),
        Entry(
            "tuvali.verifier.out-of-turn", .dataInvalid, "The wallet sent something at the wrong time.",
            "Let the wallet scan a fresh code."),
        Entry(
            "tuvali.verifier.foreign-link", .refused, "Another device interfered with the session.",
            "Let the wallet scan a fresh code."),
        Entry(
            "tuvali.verifier.size-malformed", .dataInvalid, "The wallet announced a size that cannot be read.",
            "Let the wallet scan a fresh code."),
        Entry(
            "tuvali.verifier.size-zero", .dataInvalid, "The wallet announced nothing to send.",
            "Choose a credential in the wallet and scan a fresh code."),
        Entry(
            "tuvali.verifier.size-too-large", .limit, "The wallet wants to send more than is allowed.",
            "Choose a smaller credential in the wallet."),
        Entry(
            "tuvali.verifier.size-missing", .dataInvalid, "The wallet sent parts without saying how many.",
            "Let the wallet scan a fresh code."),
        Entry(
            "tuvali.verifier.bad-chunk", .dataInvalid, "A part of the transfer is not as it should be.",
            "Let the wallet scan a fresh code."),
        Entry(
            "tuvali.verifier.too-many-missing-chunks", .limit, "More than 70 % of the parts were lost.",
            "Move closer, away from other radios, and let the wallet scan a fresh code."),
        Entry(
            "tuvali.verifier.too-many-reports", .limit, "Too much was lost, again and again.",
            "Move closer, away from other radios, and let the wallet scan a fresh code."),
        Entry(
            "tuvali.verifier.not-authentic", .authentication,
            "What arrived was not sealed for this verifier, or was altered.",
            "Nothing was kept; let the wallet scan a fresh code."),
        Entry(
            "tuvali.verifier.not-gzip", .dataInvalid, "What arrived cannot be unpacked.",
            "Nothing was kept; try another wallet."),
        Entry(
            "tuvali.verifier.payload-too-large", .limit, "What arrived grows too large when unpacked.",
            "Nothing was kept; choose a smaller credential in the wallet."),
        Entry(
            "tuvali.verifier.transfer-timeout", .timeout, "The transfer stood still.",
            "Move closer and let the wallet scan a fresh code."),
        Entry(
            "tuvali.verifier.decision-timeout", .timeout, "Nobody accepted or rejected the credential in time.",
            "Run the command again, with --accept always or never to answer at once."),
    ]
}
