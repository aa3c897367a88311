// The lines of the failure table for what a vault finds out.
extension FailureTable {
    static let vaults = [
        Entry(
            "vault.not-found", .notFound, "There is no vault there.",
            "Check the path, or make one with symbolon vault create."),
        Entry("vault.exists", .permission, "There is something there already.", "Choose another path."),
        Entry("vault.closed", .dataInvalid, "The vault was closed.", "Report this as a defect."),
        Entry(
            "vault.busy", .timeout, "The vault is in use by others for too long.",
            "Wait until other commands have ended, then run the command again."),
        Entry(
            "vault.path.refused", .permission, "The path is not what it should be.",
            "Give the real folder of the vault, not a link to it."),
        Entry(
            "vault.path.permissions", .permission, "The vault or key file is not yours alone.",
            "Check its owner, and close it to others: chmod 700 for a folder, chmod 600 for a file."),
        Entry(
            "vault.key.wrong", .authentication, "The key does not open this vault.",
            "Check the passphrase or the key file."),
        Entry(
            "vault.key.kind", .usage, "The vault opens with another kind of key.",
            "Give --key-file for a vault with a key file, --passphrase for one with a passphrase."),
        Entry(
            "vault.key.changed", .authentication, "The vault was given another key meanwhile.",
            "Run the command again with the new key."),
        Entry(
            "vault.key-file.malformed", .dataInvalid, "The file is no key file.",
            "Check the path; symbolon vault create --new-key-file makes one."),
        Entry(
            "vault.passphrase.length", .usage, "The passphrase is empty or too long.", "Choose one of 1 to 1,024 bytes."
        ),
        Entry(
            "vault.passphrase.missing", .usage, "No passphrase was given.",
            "Give --passphrase file:PATH, fd:NUMBER, env:NAME, or prompt at a terminal."),
        Entry(
            "vault.header.malformed", .dataInvalid, "The vault is damaged at its beginning.",
            "Restore a copy of the whole folder, or import an export into a new vault."),
        Entry(
            "vault.schema.newer", .dataInvalid, "A newer version of this program made the vault.", "Use that version."),
        Entry(
            "vault.schema.altered", .dataInvalid, "The database is no vault, or was altered.",
            "Check the path; otherwise restore a copy of the whole folder."),
        Entry(
            "vault.integrity.altered", .authentication, "The vault was altered.",
            "Find out who can write to its disk; then restore a copy, or import an export into a new vault."),
        Entry(
            "vault.integrity.stale", .authentication, "A part of the vault is older than it should be.",
            "Find out who can write to its disk; then restore a copy, or import an export into a new vault."),
        Entry(
            "vault.integrity.rolled-back", .authentication, "The vault is an older copy of itself.",
            "Bring back the latest copy; if the old one was restored on purpose, remove the mark file."),
        Entry(
            "vault.integrity.missing", .authentication, "A part of the vault is missing.",
            "Restore a copy of the whole folder, or import an export into a new vault."),
        Entry(
            "vault.storage.damaged", .dataInvalid, "The database of the vault is damaged.",
            "Check the disk; then restore a copy of the whole folder, or import an export into a new vault."),
        Entry(
            "vault.storage.full", .limit, "The disk is full.",
            "Make room and run the command again; nothing that was kept before is lost."),
        Entry(
            "vault.storage.failed", .permission, "The file system failed.",
            "Check the disk and its mount; the last step may or may not have been kept, as a whole."),
        Entry(
            "vault.record.exists", .dataInvalid, "A record of this name is there already.", "Import into a new vault."),
        Entry("vault.record.not-found", .notFound, "There is no such record.", "List what there is."),
        Entry(
            "vault.record.version", .refused, "Somebody else has changed the record meanwhile.",
            "Run the command again."),
        Entry(
            "vault.limit", .limit, "Something is larger than a vault takes.",
            "Make it smaller; the manual lists the limits."),
        Entry(
            "vault.step.over", .dataInvalid, "A step of the vault was used after its end.", "Report this as a defect."),
        Entry(
            "vault.export.malformed", .dataInvalid, "The file is no export of a vault, or was altered.",
            "Check the path, or take another copy of the export."),
        Entry(
            "vault.export.truncated", .dataInvalid, "The export ends in the middle.",
            "Take another copy of the export; nothing of it was imported."),
        Entry(
            "vault.export.wrong-passphrase", .authentication, "The passphrase does not open this export.",
            "Check the passphrase; an export has one of its own."),
        Entry(
            "vault.internal", .dataInvalid, "A library below failed.",
            "Check that memory is not exhausted, then report the code as a defect."),
    ]
}
