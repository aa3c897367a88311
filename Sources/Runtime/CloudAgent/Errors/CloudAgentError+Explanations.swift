public import CodedErrors

extension CloudAgentError.Code: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .closed: ErrorExplanation(
            .dataInvalid, "The store was closed, or is being closed.", nextStep: "Report this as a defect."),
        .busy: ErrorExplanation(
            .timeout, "Too many steps wait for the store, or other processes block it for too long.",
            nextStep: "End the other programs that use it, then run the command again."),
        .full: ErrorExplanation(
            .limit, "The disk, or the database's share of it, is full.",
            nextStep: "Make room on the disk; what was answered is there, and clients can fetch it meanwhile."),
        .unavailable: ErrorExplanation(
            .notFound, "The store cannot be reached: the file system or the connection to the database failed.",
            nextStep: "Check the disk, or the database server and its address."),
        .missing: ErrorExplanation(
            .notFound, "There is no store at the path or in the database given.",
            nextStep: "Name the store by --data, --store or --config, as symbolon agent run was told; that "
                + "command makes one."),
        .damaged: ErrorExplanation(
            .dataInvalid, "The database of the store holds other bytes than were written.",
            nextStep: "Restore a copy of the store."),
        .schema: ErrorExplanation(
            .dataInvalid, "The database holds other tables than those of a cloud agent, or those of a newer version.",
            nextStep: "Name another file or database, or use the version that made it."),
        .path: ErrorExplanation(
            .permission, "The store's folder or file is another user's, open to others, a link, or missing.",
            nextStep: "Name a file in a folder that is there and yours, as sqlite:PATH, or a database as "
                + "postgres://…; give the file mode 0600."),
        .copyPath: ErrorExplanation(
            .permission, "The file of the copy is there already, or cannot be made.",
            nextStep: "Name a file that is not there yet, in a folder that is there and yours."),
        .unsupported: ErrorExplanation(
            .usage, "This program was built without PostgreSQL.",
            nextStep: "Use a program with it, or a store in SQLite."),
        .noLibrary: ErrorExplanation(
            .notFound, "This machine has no libpq, which a store in PostgreSQL needs, or one that is too old.",
            nextStep: "Install Debian's package libpq5, or use a store in SQLite."),
        .inUse: ErrorExplanation(
            .refused, "Another agent serves from this store.",
            nextStep: "End the other agent, or name another file; several agents can share only a database of "
                + "PostgreSQL."),
        .replaced: ErrorExplanation(
            .dataInvalid, "The file of the store was removed or replaced while it was in use.",
            nextStep: "Stop the agent, put the store in its place, and start the agent again."),
        .emptied: ErrorExplanation(
            .dataInvalid, "The store is empty or gone, although its secret was in use before.",
            nextStep: "Put the store back, or a copy of it; --new-store begins with an empty one under the same"
                + " invitation."),
        .accountUnknown: ErrorExplanation(
            .notFound, "There is no such account.",
            nextStep: "List those that are there, by their numbers: symbolon agent accounts."),
        .accountsFull: ErrorExplanation(
            .limit, "The store holds as many accounts as are allowed.",
            nextStep: "Remove unused accounts, or allow more."),
        .keyTaken: ErrorExplanation(
            .refused, "The key to be added is registered already.", nextStep: "Make another key."),
        .allowListMalformed: ErrorExplanation(
            .usage, "The list of names that may open an account does not follow its format.",
            nextStep: "Write one name on each line; “ *” behind it lets many wallets use it; # begins a remark."),
        .secretMalformed: ErrorExplanation(
            .dataInvalid, "The agent's secret is malformed.",
            nextStep: "Give the file that the agent made."),
        .secretWrong: ErrorExplanation(
            .authentication, "The store was made with another secret.",
            nextStep: "Give the file that was made with the store; all instances need the same."),
        .internal: ErrorExplanation(
            .dataInvalid, "A library failed for a reason that has no code.", nextStep: "Report this as a defect."),
    ]
}
