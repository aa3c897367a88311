@_exported public import CodedErrors

/// Why a vault could not do what was asked.
///
/// The reason never holds key material, identifiers or contents of records.
public typealias VaultError = CodedFailure<VaultErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum VaultErrorCode: String, CaseIterable, Sendable {
    case notFound = "vault.not-found"
    case folderMissing = "vault.folder-missing"
    case exists = "vault.exists"
    case closed = "vault.closed"
    case busy = "vault.busy"
    case pathRefused = "vault.path.refused"
    case pathPermissions = "vault.path.permissions"
    case keyWrong = "vault.key.wrong"
    case keyKind = "vault.key.kind"
    case keyChanged = "vault.key.changed"
    case keyFileMalformed = "vault.key-file.malformed"
    case passphraseLength = "vault.passphrase.length"
    /// The variable is not set, there is no terminal, or no line came in time.
    case passphraseMissing = "vault.passphrase.missing"
    case headerMalformed = "vault.header.malformed"
    case schemaNewer = "vault.schema.newer"
    case schemaAltered = "vault.schema.altered"
    case altered = "vault.integrity.altered"
    case stale = "vault.integrity.stale"
    case rolledBack = "vault.integrity.rolled-back"
    case missing = "vault.integrity.missing"
    /// SQLite reports the damage.
    case damaged = "vault.storage.damaged"
    case full = "vault.storage.full"
    case storageFailed = "vault.storage.failed"
    case recordExists = "vault.record.exists"
    case recordNotFound = "vault.record.not-found"
    case recordVersion = "vault.record.version"
    case limit = "vault.limit"
    case stepOver = "vault.step.over"
    case exportMalformed = "vault.export.malformed"
    case exportTruncated = "vault.export.truncated"
    case exportWrongPassphrase = "vault.export.wrong-passphrase"
    case `internal` = "vault.internal"
}
