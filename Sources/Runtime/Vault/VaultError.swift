public import CodedErrors

/// Why a vault could not do what was asked.
///
/// The reason never holds key material, identifiers or contents of records.
public struct VaultError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// There is no vault at the path.
        case notFound = "vault.not-found"
        /// The folder in which the vault or the file is to be made is not there.
        case folderMissing = "vault.folder-missing"
        /// There is a file or folder at the path already.
        case exists = "vault.exists"
        /// The vault was closed.
        case closed = "vault.closed"
        /// Other processes or other transactions held the vault for longer than the deadline.
        case busy = "vault.busy"
        /// The path, or a part of the vault, is a symbolic link, or no folder or file where one should be.
        case pathRefused = "vault.path.refused"
        /// The vault's folder, one of its files or the key file is another user's, or open to others.
        case pathPermissions = "vault.path.permissions"
        /// The key does not open this vault, or the wrapped key was altered.
        case keyWrong = "vault.key.wrong"
        /// The vault opens with the other kind of key: a passphrase instead of a key file, or the reverse.
        case keyKind = "vault.key.kind"
        /// Another process has given the vault another data key since it was opened here.
        case keyChanged = "vault.key.changed"
        /// The key file does not follow its format.
        case keyFileMalformed = "vault.key-file.malformed"
        /// The passphrase is empty or too long.
        case passphraseLength = "vault.passphrase.length"
        /// No passphrase was given. The variable is not set, there is no terminal, or no line came in time.
        case passphraseMissing = "vault.passphrase.missing"
        /// The header of the vault does not follow its format, or asks for more than the limits allow.
        case headerMalformed = "vault.header.malformed"
        /// A newer version of this program made the vault.
        case schemaNewer = "vault.schema.newer"
        /// The tables of the database are not those of a vault.
        case schemaAltered = "vault.schema.altered"
        /// A record, the header or a hash of the vault was altered or moved.
        case altered = "vault.integrity.altered"
        /// A record is older than its latest entry in the hash tree, or was restored after its removal.
        case stale = "vault.integrity.stale"
        /// The whole vault is older than a state that was seen before.
        case rolledBack = "vault.integrity.rolled-back"
        /// A record, a tag or a hash of the vault is missing.
        case missing = "vault.integrity.missing"
        /// The database of the vault is damaged. SQLite reports the damage.
        case damaged = "vault.storage.damaged"
        /// The disk is full.
        case full = "vault.storage.full"
        /// The file system failed.
        case storageFailed = "vault.storage.failed"
        /// A record with this identifier is there already.
        case recordExists = "vault.record.exists"
        /// There is no record with this identifier.
        case recordNotFound = "vault.record.not-found"
        /// The record has another version than the caller expected: another writer changed it.
        case recordVersion = "vault.record.version"
        /// An identifier, a tag, a value or a list is empty or longer than the limits allow.
        case limit = "vault.limit"
        /// A transaction was used after its end.
        case stepOver = "vault.step.over"
        /// The file is not an export of a vault, or was altered.
        case exportMalformed = "vault.export.malformed"
        /// The export is cut off.
        case exportTruncated = "vault.export.truncated"
        /// The passphrase does not open this export, or its first bytes were altered.
        case exportWrongPassphrase = "vault.export.wrong-passphrase"
        /// A library failed for another reason, such as lack of memory.
        case `internal` = "vault.internal"
    }

    /// The stable code of the cause.
    public let code: Code

    /// One sentence about this case; not for comparison.
    public let reason: String

    /// Makes an error with its code and a sentence about the cause.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}
