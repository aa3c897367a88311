public import CodedErrors

extension CloudAgentErrorCode: ErrorCode {
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
            nextStep: "For a file check the disk; for a database start the server or wait while it starts, correct the "
                + "address in --store, or stop the primary, so that it stays down, and promote a standby."),
        .silent: ErrorExplanation(
            .timeout, "A server of the database did not answer in time.",
            nextStep:
                "Look whether it is frozen, overloaded or cut off; if it stays silent, make sure that it stays down, and "
                + "promote a standby. Name all servers in --store."),
        .standby: ErrorExplanation(
            .refused, "The database is a standby, or a server that may only be read from.",
            nextStep: "Name all servers in --store, as postgres://USER@HOST1,HOST2/DATABASE: the primary is found. If "
                + "no server is a primary, stop the former one, so that it stays down, and promote a standby; if this one is, turn "
                + "default_transaction_read_only off."),
        .formerPrimary: ErrorExplanation(
            .refused, "The database was the primary once, and another server is now.",
            nextStep: "Make sure that the other one is right, stop the former one, keep a copy of its data and make it "
                + "a standby with pg_rewind; the agent goes on once the other one takes writes. If the cluster goes on "
                + "with the former one, what the other one took is lost: start each agent anew, then it is used."),
        .standbyMissing: ErrorExplanation(
            .timeout, "The database holds commits back until its synchronous standby has them.",
            nextStep: "Look in pg_stat_replication for the standby that synchronous_standby_names names, and start "
                + "it; cancel no wait. Take it out of that setting only if messages may be lost at a fail-over."),
        .unreplicated: ErrorExplanation(
            .refused, "A commit is, or would be, on one server alone, although a synchronous standby is asked for.",
            nextStep: "Name a running standby in synchronous_standby_names and reload; promote none before "
                + "pg_stat_replication shows that it has everything. With store-replicas = any less is promised."),
        .pooler: ErrorExplanation(
            .usage, "A pooler in transaction mode stands before the database.",
            nextStep: "Set pool_mode = session for this database in the pooler and reload it, or name PostgreSQL's "
                + "own port in --store."),
        .rights: ErrorExplanation(
            .permission, "The role lacks a right in the database that the store needs.",
            nextStep:
                "As the owner of the database and of its tables, or as the server's administrator, type the GRANT "
                + "that the cause names; the agent goes on then."),
        .login: ErrorExplanation(
            .authentication, "The database does not let the role in, or its certificate is not trusted.",
            nextStep: "Correct what the cause names: the password, in the password file or in --store; the role, by "
                + "CREATE ROLE … LOGIN; a line of pg_hba.conf; sslmode, sslrootcert or the server's certificate. The "
                + "server's log says more."),
        .connections: ErrorExplanation(
            .limit, "The database, or the role, has as many connections as it may have.",
            nextStep: "Raise the limit that the cause names, a role's CONNECTION LIMIT or max_connections, to three "
                + "for each instance of the agent and three for commands; pg_stat_activity shows who has them."),
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
            .permission,
            "The store's address, folder or file is malformed, another user's, open to others, a link, or missing.",
            nextStep: "Write the address as postgres://…, or as sqlite:PATH with a file of mode 0600 in a folder of "
                + "yours."),
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
            nextStep: "Give the file that was made with the store; all instances need the same."),
        .secretWrong: ErrorExplanation(
            .authentication, "The store was made with another secret.",
            nextStep: "Give the file that was made with the store; all instances need the same."),
        .internal: ErrorExplanation(
            .dataInvalid, "A library failed for a reason that has no code.", nextStep: "Report this as a defect."),
    ]
}
