public import CodedErrors

extension VaultError.Code: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .notFound: ErrorExplanation(
            .notFound, "There is no vault there.",
            nextStep: "Check the path, or make one with symbolon vault create."),
        .exists: ErrorExplanation(.permission, "There is something there already.", nextStep: "Choose another path."),
        .closed: ErrorExplanation(.dataInvalid, "The vault was closed.", nextStep: "Report this as a defect."),
        .busy: ErrorExplanation(
            .timeout, "The vault is in use by others for too long.",
            nextStep: "Wait until other commands have ended, then run the command again."),
        .pathRefused: ErrorExplanation(
            .permission, "The path is not what it should be.",
            nextStep: "Give the real folder of the vault, not a link to it."),
        .pathPermissions: ErrorExplanation(
            .permission, "The vault or key file is not yours alone.",
            nextStep: "Check its owner, and close it to others: chmod 700 for a folder, chmod 600 for a file."),
        .keyWrong: ErrorExplanation(
            .authentication, "The key does not open this vault.",
            nextStep: "Check the passphrase or the key file."),
        .keyKind: ErrorExplanation(
            .usage, "The vault opens with another kind of key.",
            nextStep: "Give --key-file for a vault with a key file, --passphrase for one with a passphrase."),
        .keyChanged: ErrorExplanation(
            .authentication, "The vault was given another key meanwhile.",
            nextStep: "Run the command again with the new key."),
        .keyFileMalformed: ErrorExplanation(
            .dataInvalid, "The file is no key file.",
            nextStep: "Check the path; symbolon vault create --new-key-file makes one."),
        .passphraseLength: ErrorExplanation(
            .usage, "The passphrase is empty or too long.",
            nextStep: "Choose one of 1 to 1,024 bytes."),
        .passphraseMissing: ErrorExplanation(
            .usage, "No passphrase was given.",
            nextStep: "Give --passphrase file:PATH, fd:NUMBER, env:NAME, or prompt at a terminal."),
        .headerMalformed: ErrorExplanation(
            .dataInvalid, "The vault is damaged at its beginning.",
            nextStep: "Restore a copy of the whole folder, or import an export into a new vault."),
        .schemaNewer: ErrorExplanation(
            .dataInvalid, "A newer version of this program made the vault.",
            nextStep: "Use that version."),
        .schemaAltered: ErrorExplanation(
            .dataInvalid, "The database is no vault, or was altered.",
            nextStep: "Check the path; otherwise restore a copy of the whole folder."),
        .altered: ErrorExplanation(
            .authentication, "The vault was altered.",
            nextStep: "Find out who can write to its disk; then restore a copy, or import an export into a new "
                + "vault."),
        .stale: ErrorExplanation(
            .authentication, "A part of the vault is older than it should be.",
            nextStep: "Find out who can write to its disk; then restore a copy, or import an export into a new "
                + "vault."),
        .rolledBack: ErrorExplanation(
            .authentication, "The vault is an older copy of itself.",
            nextStep: "Bring back the latest copy; if the old one was restored on purpose, remove the mark file."),
        .missing: ErrorExplanation(
            .authentication, "A part of the vault is missing.",
            nextStep: "Restore a copy of the whole folder, or import an export into a new vault."),
        .damaged: ErrorExplanation(
            .dataInvalid, "The database of the vault is damaged.",
            nextStep: "Check the disk; then restore a copy of the whole folder, or import an export into a new "
                + "vault."),
        .full: ErrorExplanation(
            .limit, "The disk is full.",
            nextStep: "Make room and run the command again; nothing that was kept before is lost."),
        .storageFailed: ErrorExplanation(
            .permission, "The file system failed.",
            nextStep: "Check the disk and its mount; the last step may or may not have been kept, as a whole."),
        .recordExists: ErrorExplanation(
            .dataInvalid, "A record of this name is there already.",
            nextStep: "Import into a new vault."),
        .recordNotFound: ErrorExplanation(.notFound, "There is no such record.", nextStep: "List what there is."),
        .recordVersion: ErrorExplanation(
            .refused, "Another process has changed the record meanwhile.",
            nextStep: "Run the command again."),
        .limit: ErrorExplanation(
            .limit, "Something is larger than a vault takes.",
            nextStep: "Make it smaller; the manual lists the limits."),
        .stepOver: ErrorExplanation(
            .dataInvalid, "A step of the vault was used after its end.",
            nextStep: "Report this as a defect."),
        .exportMalformed: ErrorExplanation(
            .dataInvalid, "The file is no export of a vault, or was altered.",
            nextStep: "Check the path, or take another copy of the export."),
        .exportTruncated: ErrorExplanation(
            .dataInvalid, "The export ends in the middle.",
            nextStep: "Take another copy of the export; nothing of it was imported."),
        .exportWrongPassphrase: ErrorExplanation(
            .authentication, "The passphrase does not open this export.",
            nextStep: "Check the passphrase; an export has one of its own."),
        .internal: ErrorExplanation(
            .dataInvalid, "A library below failed.",
            nextStep: "Check that memory is not exhausted, then report the code as a defect."),
    ]
}
