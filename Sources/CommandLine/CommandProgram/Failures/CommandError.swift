public import CodedErrors

/// Why a command failed, where no other module has the error.
public struct CommandError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// A file to be read is missing.
        case inputNotFound = "input.not-found"
        /// A file cannot be read.
        case inputNotReadable = "input.not-readable"
        /// A file is larger than the command takes.
        case inputTooLarge = "input.too-large"
        /// The input is empty.
        case inputEmpty = "input.empty"
        /// The input has no form that the command knows.
        case inputNotRecognised = "input.not-recognised"
        /// An advertisement does not follow the format.
        case advertisementMalformed = "inspect.advertisement-malformed"
        /// A capture does not follow the format, or is cut off.
        case captureMalformed = "inspect.capture-malformed"
        /// A file cannot be written.
        case outputNotWritable = "output.not-writable"
        /// The other side's bytes differ from those sent.
        case copyDiffers = "demo.copy-differs"
        /// The verifier rejected the credential.
        case credentialRejected = "send.rejected"
        /// The user declined to send.
        case sendDeclined = "send.declined"
        /// A file of measured distances does not follow its format.
        case measurementMalformed = "prox.measurement-malformed"
        /// Too few measurements are left to fit a model on.
        case measurementInsufficient = "prox.measurement-insufficient"
        /// A file does not hold the keys of a sensor.
        case sensorKeysMalformed = "prox.keys-malformed"
        /// The log of a proximity run does not follow its format.
        case proximityLogMalformed = "prox.log-malformed"
        /// The log of a proximity run is larger than a report can hold.
        case proximityLogTooLarge = "prox.log-too-large"
        /// A scenario does not follow its format.
        case scenarioMalformed = "prox.scenario-malformed"
        /// A scenario has more devices, or more of them near each other, than there may be.
        case scenarioTooLarge = "prox.scenario-too-large"
        /// A file that settings name is missing.
        case settingsNotFound = "config.not-found"
        /// A file of settings does not follow its format.
        case settingsMalformed = "config.malformed"
        /// A file or the environment sets a setting that does not exist.
        case settingUnknown = "config.unknown-setting"
        /// A setting has a value that is not valid.
        case settingUnusable = "config.bad-value"
        /// The user ended the run.
        case interrupted = "run.interrupted"
        /// A part of this program failed without a code of its own.
        case internalFailure = "run.internal"
    }

    /// Which cause.
    public let code: Code

    /// One sentence about this case; not for comparison.
    ///
    /// Texts of others in it have been sanitised.
    public let reason: String

    /// Makes an error.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}
