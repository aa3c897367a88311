public import CodedErrors

extension VaultErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .notFound: ErrorExplanation(
            .notFound, "There is no vault at the path.",
            nextStep: "Check the path, or make one with symbolon vault create."),
        .folderMissing: ErrorExplanation(
            .notFound, "The folder in which the vault or the file is to be made is not there.",
            nextStep: "Make that folder first, or choose another path."),
        .exists: ErrorExplanation(
            .permission, "There is a file or folder at the path already.", nextStep: "Choose another path."),
        .closed: ErrorExplanation(.dataInvalid, "The vault was closed.", nextStep: "Report this as a defect."),
        .busy: ErrorExplanation(
            .timeout, "Other processes or other transactions held the vault for longer than the deadline.",
            nextStep: "Wait until some have ended, and try again."),
        .pathRefused: ErrorExplanation(
            .permission,
            "The path, or a part of the vault, is a symbolic link, or no folder or file where one should be.",
            nextStep: "Give the real folder of the vault, not a link to it."),
        .pathPermissions: ErrorExplanation(
            .permission, "The vault's folder, one of its files or the key file is another user's, or open to others.",
            nextStep: "Check its owner, and close it to others: chmod 700 for a folder, chmod 600 for a file."),
        .keyWrong: ErrorExplanation(
            .authentication, "The key does not open this vault, or the wrapped key was altered.",
            nextStep: "Check the passphrase or the key file."),
        .keyKind: ErrorExplanation(
            .usage, "The vault opens with the other kind of key: a passphrase instead of a key file, or the reverse.",
            nextStep: "Give --key-file for a vault with a key file, --passphrase for one with a passphrase."),
        .keyChanged: ErrorExplanation(
            .authentication, "Another process has given the vault another data key since it was opened here.",
            nextStep: "Run the command again with the new key."),
        .keyFileMalformed: ErrorExplanation(
            .dataInvalid, "The key file does not follow its format.",
            nextStep: "Check the path; symbolon vault create --new-key-file makes one."),
        .passphraseLength: ErrorExplanation(
            .usage, "The passphrase is empty or too long.",
            nextStep: "Choose one of 1 to 1,024 bytes."),
        .passphraseMissing: ErrorExplanation(
            .usage, "No passphrase was given.",
            nextStep: "Give --passphrase, or --new-passphrase for a new one, as file:PATH, fd:NUMBER, env:NAME, or "
                + "prompt at a terminal."),
        .headerMalformed: ErrorExplanation(
            .dataInvalid,
            "The header of the vault does not follow its format, or asks for more than the limits allow.",
            nextStep: "Restore a copy of the whole folder, or import an export into a new vault."),
        .schemaNewer: ErrorExplanation(
            .dataInvalid, "A newer version of this program made the vault.",
            nextStep: "Use that version."),
        .schemaAltered: ErrorExplanation(
            .dataInvalid, "The tables of the database are not those of a vault.",
            nextStep: "Restore a copy of the whole folder, or import an export into a new vault."),
        .altered: ErrorExplanation(
            .authentication, "A record, the header or a hash of the vault was altered or moved.",
            nextStep: "Find out who can write to its disk; then restore a copy, or import an export into a new "
                + "vault."),
        .stale: ErrorExplanation(
            .authentication,
            "A record is older than its latest entry in the hash tree, or was restored after its removal.",
            nextStep: "Find out who can write to its disk; then restore a copy, or import an export into a new "
                + "vault."),
        .rolledBack: ErrorExplanation(
            .authentication, "The whole vault is older than a state that was seen before.",
            nextStep: "Bring back the latest copy; if the old one was restored on purpose, remove the mark file."),
        .missing: ErrorExplanation(
            .authentication, "A record, a tag or a hash of the vault is missing.",
            nextStep: "Restore a copy of the whole folder, or import an export into a new vault."),
        .damaged: ErrorExplanation(
            .dataInvalid, "The database of the vault is damaged.",
            nextStep: "Restore a copy of the whole folder, or import an export into a new vault."),
        .full: ErrorExplanation(
            .limit, "The disk is full.",
            nextStep: "Make room and run the command again; nothing that was kept before is lost."),
        .storageFailed: ErrorExplanation(
            .permission, "The file system failed.",
            nextStep: "Check the disk and its mount; the last step may or may not have been kept, as a whole."),
        .recordExists: ErrorExplanation(
            .dataInvalid, "A record with this identifier is there already.",
            nextStep: "Import into a new vault."),
        .recordNotFound: ErrorExplanation(
            .notFound, "There is no record with this identifier.", nextStep: "List what there is."),
        .recordVersion: ErrorExplanation(
            .refused, "The record has another version than the caller expected: another writer changed it.",
            nextStep: "Run the command again."),
        .limit: ErrorExplanation(
            .limit, "An identifier, a tag, a value or a list is empty or longer than the limits allow.",
            nextStep: "Make it shorter."),
        .stepOver: ErrorExplanation(
            .dataInvalid, "A transaction was used after its end.",
            nextStep: "Report this as a defect."),
        .exportMalformed: ErrorExplanation(
            .dataInvalid, "The file is not an export of a vault, or was altered.",
            nextStep: "Take another copy of the export."),
        .exportTruncated: ErrorExplanation(
            .dataInvalid, "The export is cut off.",
            nextStep: "Take another copy of the export."),
        .exportWrongPassphrase: ErrorExplanation(
            .authentication, "The passphrase does not open this export, or its first bytes were altered.",
            nextStep: "Check the passphrase; an export has one of its own."),
        .internal: ErrorExplanation(
            .dataInvalid, "A library failed for another reason, such as lack of memory.",
            nextStep: "Report this as a defect."),
    ]
}
