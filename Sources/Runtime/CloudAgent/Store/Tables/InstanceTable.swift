public import Determinism

/// The instances that use a store, and their holds, in one transaction of the store.
public struct InstanceTable {
    let database: any MediatorDatabaseConnection
    let signals: InstanceSignalTable

    /// Records that an instance counts as alive until `end`; frees the holds of those whose time is over.
    ///
    /// - Returns: false when it was not known to live.
    public func beat(_ instance: Int64, until end: WallTime, at now: WallTime) throws(CloudAgentError) -> Bool {
        let known = try database.first(
            "SELECT number FROM agent_instances WHERE number = $1 AND until > $2",
            [.integer(instance), .integer(now.millisecondsSinceEpoch)])
        try database.run(
            "INSERT INTO agent_instances (number, until) VALUES ($1, $2) "
                + "ON CONFLICT (number) DO UPDATE SET until = excluded.until",
            [.integer(instance), .integer(end.millisecondsSinceEpoch)])
        try database.run("DELETE FROM agent_instances WHERE until <= $1", [.integer(now.millisecondsSinceEpoch)])
        try database.run("DELETE FROM holds WHERE instance NOT IN (SELECT number FROM agent_instances)")
        return known != nil
    }

    /// Ends an instance, and frees its holds.
    public func leave(_ instance: Int64) throws(CloudAgentError) {
        try database.run("DELETE FROM agent_instances WHERE number = $1", [.integer(instance)])
        try database.run("DELETE FROM holds WHERE instance = $1", [.integer(instance)])
    }

    /// Takes a hold for an instance that is alive; a repetition changes nothing.
    ///
    /// For `live` the newest counts: it is taken from the instance that has it, and signalled.
    /// - Returns: false when another instance that lives has it.
    public func take(
        _ hold: ExclusiveAccountTask, of account: Int64, by instance: Int64, at now: WallTime
    ) throws(CloudAgentError) -> Bool {
        let known = try database.first("SELECT number FROM accounts WHERE number = $1", [.integer(account)])
        guard known != nil else { return false }
        let holder = try holder(of: hold, of: account, at: now)
        guard holder != instance else { return true }
        guard holder == nil || hold == .live else { return false }
        try database.run(
            "INSERT INTO holds (kind, account, instance) VALUES ($1, $2, $3) "
                + "ON CONFLICT (kind, account) DO UPDATE SET instance = excluded.instance",
            [.integer(hold.rawValue), .integer(account), .integer(instance)])
        guard hold == .live, holder != nil else { return true }
        try signals.add(.live, account, from: instance)
        return true
    }

    /// Frees a hold of an instance.
    public func free(_ hold: ExclusiveAccountTask, of account: Int64, by instance: Int64) throws(CloudAgentError) {
        try database.run(
            "DELETE FROM holds WHERE kind = $1 AND account = $2 AND instance = $3",
            [.integer(hold.rawValue), .integer(account), .integer(instance)])
    }

    /// The living instance that has a hold; nil for none.
    public func holder(
        of hold: ExclusiveAccountTask, of account: Int64, at now: WallTime
    ) throws(CloudAgentError) -> Int64? {
        try database.first(
            "SELECT holds.instance FROM holds JOIN agent_instances ON agent_instances.number = holds.instance "
                + "WHERE holds.kind = $1 AND holds.account = $2 AND agent_instances.until > $3",
            [.integer(hold.rawValue), .integer(account), .integer(now.millisecondsSinceEpoch)]
        ).map { (row) throws(CloudAgentError) in try row.integer(0) }
    }
}
