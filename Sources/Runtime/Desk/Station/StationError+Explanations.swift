public import CodedErrors
public import Radio
public import Tuvali
public import Vault

extension StationErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .noRadio: ErrorExplanation(
            .notFound, "The desk has no radio that it can use.",
            nextStep:
                "Switch Bluetooth on or plug the adapter in; symbolon doctor shows what is missing. The desk tries again."
        ),
        .noPermission: ErrorExplanation(
            .permission, "The system does not let the desk use its radio.",
            nextStep: "Do what symbolon doctor says about permissions; the desk tries again."),
        .simulatedRadio: ErrorExplanation(
            .notFound, "The desk uses a simulated radio, which reaches no phone.",
            nextStep: "To serve phones, do what symbolon doctor says and start the desk with --radio bluez."),
        .phoneCode: ErrorExplanation(
            .dataInvalid, "The phone's code cannot be used over Bluetooth.",
            nextStep: "Ask the person to show a new code for Bluetooth, and scan it again."),
        .phoneNotFound: ErrorExplanation(
            .timeout, "The phone whose code was scanned was not found.",
            nextStep: "Ask the person to keep the wallet open and near, and to show a new code."),
        .phoneBroken: ErrorExplanation(
            .linkLost, "The connection to the phone broke before its whole answer was here.",
            nextStep: "Bring the phone closer, and scan a new code."),
        .phoneDeclined: ErrorExplanation(
            .refused, "The phone returned nothing: the person declined, or has no such document.",
            nextStep: "Ask the person, and scan a new code if they agree."),
        .phoneFaulty: ErrorExplanation(
            .dataInvalid, "The phone's wallet does not follow the standard.",
            nextStep: "Scan a new code; if it happens again, ask for a card or another wallet."),
        .walletLeft: ErrorExplanation(
            .linkLost, "The wallet left before the hand-over was complete.",
            nextStep: "Ask the holder to scan the new code, and to keep the wallet open until it shows the receipt."),
        .linkWeak: ErrorExplanation(
            .linkLost, "The link to the wallet is weak.",
            nextStep: "Bring the phone closer, within an arm's length, and scan the code again if it does not go on."),
        .wrongCode: ErrorExplanation(
            .authentication, "The wallet used another code than the one that the desk shows.",
            nextStep: "Let the holder scan the code on this screen; compare the check words if it happens again."),
        .tooManyRetries: ErrorExplanation(
            .linkLost, "The wallet sent the same parts again and again, and the hand-over was given up.",
            nextStep: "Move away from other radios, bring the phone closer, and scan the new code."),
        .severalWallets: ErrorExplanation(
            .refused, "Several wallets came at once.",
            nextStep: "Serve the first one; the others scan the next code."),
        .diskFull: ErrorExplanation(
            .limit, "The disk is full, so the day's list cannot be kept.",
            nextStep: "Make room on the disk; decisions go on and are counted, and are not in the list."),
        .listFailed: ErrorExplanation(
            .permission, "The day's list cannot be kept.",
            nextStep: "Check the vault with symbolon vault check; decisions go on and are not in the list."),
        .clockNotSet: ErrorExplanation(
            .dataInvalid, "The clock of this machine is not set, so dates cannot be checked.",
            nextStep: "Set date and time; until then nothing is accepted without a person."),
        .trustOutdated: ErrorExplanation(
            .dataInvalid, "The trust file is older than allowed.",
            nextStep: "Put a current trust file in its place and start the desk again."),
        .payloadUnreadable: ErrorExplanation(
            .dataInvalid, "The wallet sent something that cannot be read.",
            nextStep: "Ask the holder to send a credential again, from a current wallet."),
        .answerUnusable: ErrorExplanation(
            .dataInvalid, "The wallet did not answer what the desk asked for.",
            nextStep: "Ask the holder to choose a credential with what is asked for, or ask for anything."),
        .requestUnread: ErrorExplanation(
            .refused, "The wallet did not read what the desk asked for, and the desk takes only answers.",
            nextStep:
                "Let the holder use a wallet that reads requests, ask for anything, or start the desk without --require-answer."
        ),
        .declined: ErrorExplanation(
            .refused, "The wallet's user refused what the desk asked for.",
            nextStep: "Ask the holder, or ask for less."),
        .decisionLate: ErrorExplanation(
            .timeout, "The credential was neither accepted nor rejected in time.",
            nextStep: "Ask the holder to scan the new code, and decide within two minutes."),
        .policyMalformed: ErrorExplanation(
            .usage, "The file of the desk's policy does not follow its format.",
            nextStep: "Correct what the cause names; man 5 symbolon-policy shows the format."),
        .internal: ErrorExplanation(
            .dataInvalid, "A part of the desk failed for a reason that has no code.",
            nextStep: "Start the desk again, and report what it said as a defect."),
    ]
}

extension StationError {
    /// Makes the desk's error of one of a session; nil where no wallet came, so that the code expired.
    public init?(_ error: TuvaliError) {
        let code: Code
        switch error.code {
        case .verifierNobodyCame: return nil
        case .peerDisconnected: code = .walletLeft
        case .linkLost, .verifierTransferTimeout, .verifierMTUTooSmall: code = .linkWeak
        case .verifierNotAuthentic, .verifierIdentifyMalformed, .verifierLowOrderKey: code = .wrongCode
        case .verifierTooManyMissingChunks, .verifierTooManyReports, .verifierTooManyReads: code = .tooManyRetries
        case .verifierForeignLink: code = .severalWallets
        case .verifierRadioFailed: code = .noRadio
        case .verifierDecisionTimeout: code = .decisionLate
        case .verifierRequestUnread: code = .requestUnread
        case .verifierIdentifyTimeout, .verifierOutOfTurn, .verifierSizeMalformed, .verifierSizeZero,
            .verifierSizeTooLarge, .verifierSizeMissing, .verifierBadChunk, .verifierNotGzip, .verifierPayloadTooLarge:
            code = .payloadUnreadable
        // Errors of a wallet, of the code's text and of a misused session reach no verifier's session.
        case .sessionMisused, .sessionInternal, .uriNotTuvali, .uriMalformed, .uriMissingName, .uriBadName,
            .uriMissingKey, .uriBadKey, .walletVerifierNotFound, .walletStaleURI, .walletRadioFailed,
            .walletConnectFailed, .walletServiceNotFound, .walletMTUNotNegotiated, .walletMTUTooSmall,
            .walletLowOrderKey, .walletSetupTimeout, .walletConsentTimeout, .walletPayloadTooLarge,
            .walletTransferTimeout, .walletWriteFailed, .walletReportRequestFailed, .walletReportTimeout,
            .walletReportMalformed, .walletReportOutOfRange, .walletTooManyFailureFrames, .walletStatusTimeout,
            .walletDecisionUnknown, .walletRequestWithheld, .walletRequestUnanswered, .walletRequestTimeout,
            .walletRequestReadFailed, .walletRequestTooLarge, .walletRequestMalformed, .walletRequestNotAuthentic:
            code = .internal
        }
        self.init(code, error.reason)
    }

    /// Makes the desk's error of one of a radio.
    public init(_ error: RadioError) {
        self.init(error.code == .notPermitted ? .noPermission : .noRadio, error.reason)
    }

    /// Makes the desk's error of one of the vault.
    public init(_ error: VaultError) {
        self.init(error.code == .full ? .diskFull : .listFailed, error.reason)
    }
}
