public import CodedErrors

/// Why a command failed, where no other module has the error.
public struct CommandError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// The file does not exist.
        case inputNotFound = "input.not-found"
        /// The file cannot be read.
        case inputNotReadable = "input.not-readable"
        /// The file is larger than the command takes.
        case inputTooLarge = "input.too-large"
        /// The input is empty.
        case inputEmpty = "input.empty"
        /// The input is not in a format that inspect knows.
        case inputNotRecognised = "input.not-recognised"
        /// The advertisement does not follow the format.
        case advertisementMalformed = "inspect.advertisement-malformed"
        /// The capture does not follow the format, or is cut off.
        case captureMalformed = "inspect.capture-malformed"
        /// The file cannot be written.
        case outputNotWritable = "output.not-writable"
        /// The copy that arrived differs from the original.
        case copyDiffers = "demo.copy-differs"
        /// The verifier received the credential and rejected it.
        case credentialRejected = "send.rejected"
        /// What arrived was rejected here, and nothing was kept.
        case arrivalRejected = "receive.rejected"
        /// No Bluetooth of this machine can be used.
        case bluetoothUnusable = "doctor.unusable"
        /// Nothing was sent: the question was not answered.
        case sendDeclined = "send.declined"
        /// The file of measured distances does not follow its format.
        case measurementMalformed = "prox.measurement-malformed"
        /// Too few measurements are left to fit a model on.
        case measurementInsufficient = "prox.measurement-insufficient"
        /// The file holds no keys of a sensor.
        case sensorKeysMalformed = "prox.keys-malformed"
        /// The log of a proximity run does not follow its format.
        case proximityLogMalformed = "prox.log-malformed"
        /// The log of a proximity run is larger than a report can hold.
        case proximityLogTooLarge = "prox.log-too-large"
        /// The folder for the log of a proximity run holds a log already.
        case proximityLogExists = "prox.log-exists"
        /// The scenario does not follow the format.
        case scenarioMalformed = "prox.scenario-malformed"
        /// The scenario has more devices, or more of them near each other, than there may be.
        case scenarioTooLarge = "prox.scenario-too-large"
        /// A file that the settings name is missing.
        case settingsNotFound = "config.not-found"
        /// The file of settings does not follow its format.
        case settingsMalformed = "config.malformed"
        /// A file or the environment sets a setting that does not exist.
        case settingUnknown = "config.unknown-setting"
        /// A setting has a value that is not valid.
        case settingUnusable = "config.bad-value"
        /// A credential is refused, because a check of it failed.
        case credentialRefused = "verify.refused"
        /// A credential is not checked, because a check of it could not be done.
        case credentialNotChecked = "verify.not-checked"
        /// The run was interrupted.
        case interrupted = "run.interrupted"
        /// This program made a mistake. A part of it failed without a code of its own.
        case internalFailure = "run.internal"
    }

    /// The stable code of the cause.
    public let code: Code

    /// One sentence about this case; not for comparison.
    ///
    /// Texts of others in it have been sanitised.
    public let reason: String

    /// Makes an error with its code and a sentence about the cause.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}
