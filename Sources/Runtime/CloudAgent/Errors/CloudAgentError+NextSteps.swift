import CodedErrors

extension CloudAgentErrorCode {
    /// The next step for a store in a file or in a database, where that of the code is for both.
    package func nextStep(isDatabase: Bool) -> String {
        switch (self, isDatabase) {
        case (.unavailable, false):
            "Check the disk."
        case (.unavailable, true):
            "Do what the cause asks for: start the server or wait while it starts, correct the address in --store, or "
                + "stop the primary, so that it stays down, and promote a standby."
        case (.missing, true):
            "Correct the database's name in --store, or make the database, as the server's administrator: createdb "
                + "--owner=ROLE DATABASE. symbolon agent run makes the tables in it."
        case (.path, true):
            "Correct in --store what the cause names; an address is postgres://USER@HOST1:PORT,HOST2:PORT/DATABASE."
        case (.full, true):
            "Make room on the database server's disk, but take nothing out of its data folder: often an unused "
                + "replication slot keeps its log. What was answered is there, and the agent goes on once there is room."
        case (.busy, true):
            "Find the session that blocks, by pg_blocking_pids in pg_stat_activity, and end it with "
                + "pg_terminate_backend unless it waits for SyncRep; the agent goes on then."
        case (.schema, true):
            "Run the version of symbolon that made the tables, or a newer one; if it is the wrong database, correct "
                + "--store."
        case (.emptied, true):
            "Look first whether --store names the right database; then put a backup back. --new-store gives up all "
                + "accounts and messages."
        case (.damaged, true):
            "Keep a copy of the database as it is, and look at the disk; a standby may have it whole. Else restore a "
                + "backup, without what came after it."
        default: explanation.nextStep
        }
    }
}
