// The lines of the failure table for what a cloud agent finds out.
extension FailureTable {
    static let cloudAgents = [
        Entry("cloud.store.closed", .dataInvalid, "The store was closed.", "Report this as a defect."),
        Entry(
            "cloud.store.busy", .timeout, "The store is in use by others for too long.",
            "End the other programs that use it, then run the command again."),
        Entry(
            "cloud.store.full", .limit, "The disk of the store is full.",
            "Make room on the disk; what was answered is there, and clients can fetch it meanwhile."),
        Entry(
            "cloud.store.unavailable", .notFound, "The store cannot be reached.",
            "Check the disk, or the database server and its address."),
        Entry(
            "cloud.store.missing", .notFound, "There is no store at this place.",
            "Name the store by --data, --store or --config, as symbolon agent run was told; that command makes one."),
        Entry(
            "cloud.store.damaged", .dataInvalid, "The store is damaged.", "Restore a copy of the store."),
        Entry(
            "cloud.store.schema", .dataInvalid, "The store is not one of this version.",
            "Name another file or database, or use the version that made it."),
        Entry(
            "cloud.store.in-use", .refused, "Another agent serves from this store.",
            "End the other agent, or name another file; several agents share a database of PostgreSQL alone."),
        Entry(
            "cloud.store.replaced", .dataInvalid, "The file of the store was removed or replaced while it was in use.",
            "Stop the agent, put the store in its place, and start the agent again."),
        Entry(
            "cloud.store.emptied", .dataInvalid, "The store is empty or gone, and its secret is there.",
            "Put the store back, or a copy of it; --new-store begins with an empty one under the same invitation."),
        Entry(
            "cloud.store.path", .permission, "The store's place is not what it should be.",
            "Name a file in a folder that is there and yours, as sqlite:PATH, or a database as postgres://…; give the file "
                + "mode 0600."),
        Entry(
            "cloud.copy.path", .permission, "The copy cannot be made at this place.",
            "Name a file that is not there yet, in a folder that is there and yours."),
        Entry(
            "cloud.store.unsupported", .usage, "This program was built without PostgreSQL.",
            "Use a program with it, or a store in SQLite."),
        Entry(
            "cloud.allow-list.malformed", .usage, "The list of names does not follow its format.",
            "Write one name on each line; “ *” behind it lets many wallets use it; # begins a remark."),
        Entry(
            "cloud.secret.malformed", .dataInvalid, "The secret of the agent is not what one is.",
            "Give the file that the agent made."),
        Entry(
            "cloud.secret.wrong", .authentication, "The store was made with another secret.",
            "Give the file that was made with the store; all instances need the same."),
        Entry(
            "cloud.account.unknown", .notFound, "There is no such account.",
            "List those that are there, by their numbers: symbolon agent accounts."),
        Entry(
            "cloud.accounts.full", .limit, "There are as many accounts as are allowed.",
            "Remove accounts that nobody uses, or allow more."),
        Entry("cloud.key.taken", .refused, "A key belongs to somebody already.", "Make another key."),
        Entry("cloud.internal", .dataInvalid, "A library below failed.", "Report the code as a defect."),
    ]
}
