@_exported public import CodedErrors

/// Why a command failed, where no other module has the error.
public typealias CommandError = CodedFailure<CommandErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum CommandErrorCode: String, CaseIterable, Sendable {
    case inputNotFound = "input.not-found"
    case inputNotReadable = "input.not-readable"
    case inputTooLarge = "input.too-large"
    case inputEmpty = "input.empty"
    case inputNotRecognised = "input.not-recognised"
    case advertisementMalformed = "inspect.advertisement-malformed"
    case captureMalformed = "inspect.capture-malformed"
    case outputNotWritable = "output.not-writable"
    case copyDiffers = "demo.copy-differs"
    case credentialRejected = "send.rejected"
    case arrivalRejected = "receive.rejected"
    case bluetoothUnusable = "doctor.unusable"
    case sendDeclined = "send.declined"
    case measurementMalformed = "prox.measurement-malformed"
    case measurementInsufficient = "prox.measurement-insufficient"
    case sensorKeysMalformed = "prox.keys-malformed"
    case proximityLogMalformed = "prox.log-malformed"
    case proximityLogTooLarge = "prox.log-too-large"
    case proximityLogExists = "prox.log-exists"
    case scenarioMalformed = "prox.scenario-malformed"
    case scenarioTooLarge = "prox.scenario-too-large"
    case settingsNotFound = "config.not-found"
    case settingsMalformed = "config.malformed"
    case settingUnknown = "config.unknown-setting"
    case settingUnusable = "config.bad-value"
    case credentialRefused = "verify.refused"
    case credentialNotChecked = "verify.not-checked"
    case interrupted = "run.interrupted"
    /// A part of it failed without a code of its own.
    case internalFailure = "run.internal"
}
