import Determinism

/// Wake-ups, and what instances know of each other.
extension StoreSteps {
    /// How many signals are kept.
    private static let keptSignals: Int64 = 10_000

    // Wake-ups.

    func setWake(_ body: [UInt8]?, of account: Int64) throws(CloudAgentError) {
        let row = try database.first("SELECT position FROM accounts WHERE number = $1", [.integer(account)])
        guard let row else { throw CloudAgentError(.accountUnknown, "There is no such account.") }
        guard let body else {
            return try database.run("DELETE FROM wakes WHERE account = $1", [.integer(account)])
        }
        try database.run(
            "INSERT INTO wakes (account, body, position, woken) VALUES ($1, $2, $3, 0) "
                + "ON CONFLICT (account) DO UPDATE SET body = excluded.body, position = excluded.position",
            [.integer(account), .blob(body), .integer(try row.integer(0))])
    }

    func wake(of account: Int64) throws(CloudAgentError) -> WakeEntry? {
        let row = try database.first(
            "SELECT wakes.body, wakes.position, wakes.woken, accounts.position, accounts.count FROM wakes "
                + "JOIN accounts ON accounts.number = wakes.account WHERE wakes.account = $1", [.integer(account)])
        return try row.map { (row) throws(CloudAgentError) in
            let woken = try row.integer(2)
            return WakeEntry(
                body: try row.blob(0), settled: UInt64(try row.count(1)),
                woken: woken == 0 ? nil : WallTime(millisecondsSinceEpoch: woken), newest: UInt64(try row.count(3)),
                count: try row.count(4))
        }
    }

    func accountsToWake(after number: Int64, limit: Int) throws(CloudAgentError) -> [Int64] {
        try database.rows(
            "SELECT wakes.account FROM wakes JOIN accounts ON accounts.number = wakes.account "
                + "WHERE wakes.account > $1 AND accounts.count > 0 AND accounts.position > wakes.position "
                + "ORDER BY wakes.account LIMIT $2", [.integer(number), .integer(Int64(limit))]
        ).map { (row) throws(CloudAgentError) in try row.integer(0) }
    }

    func settleWake(of account: Int64, upTo position: UInt64, woken: WallTime?) throws(CloudAgentError) {
        try database.run(
            "UPDATE wakes SET position = $1, woken = COALESCE($2, woken) WHERE account = $3 AND position < $1",
            [
                .integer(Int64(clamping: position)), woken.map { .integer($0.millisecondsSinceEpoch) } ?? .null,
                .integer(account),
            ])
    }

    // Signals.

    func signal(_ kind: StoreSignal.Kind, _ account: Int64, from instance: Int64) throws(CloudAgentError) {
        let made = try database.first(
            "INSERT INTO signals (kind, account, instance) VALUES ($1, $2, $3) RETURNING number",
            [.integer(kind.rawValue), .integer(account), .integer(instance)])
        guard let made else { throw CloudAgentError(.damaged, "The database gives a signal no number.") }
        try database.run("DELETE FROM signals WHERE number <= $1", [.integer(try made.integer(0) - Self.keptSignals)])
    }

    func signals(
        after number: Int64, limit: Int
    ) throws(CloudAgentError) -> (signals: [StoreSignal], isComplete: Bool) {
        let rows = try database.rows(
            "SELECT number, kind, account, instance FROM signals WHERE number > $1 ORDER BY number LIMIT $2",
            [.integer(number), .integer(Int64(limit))])
        var found: [StoreSignal] = []
        for row in rows {
            // A kind that a newer program writes says nothing to this one.
            guard let kind = StoreSignal.Kind(rawValue: try row.integer(1)) else { continue }
            found.append(
                StoreSignal(
                    number: try row.integer(0), kind: kind, account: try row.integer(2), instance: try row.integer(3)))
        }
        let oldest = try database.first("SELECT number FROM signals ORDER BY number LIMIT 1")
        let first = try oldest.map { (row) throws(CloudAgentError) in try row.integer(0) } ?? 0
        return (found, rows.count < limit && first <= number + 1)
    }

    func newestSignal() throws(CloudAgentError) -> Int64 {
        let row = try database.first("SELECT number FROM signals ORDER BY number DESC LIMIT 1")
        return try row.map { (row) throws(CloudAgentError) in try row.integer(0) } ?? 0
    }

    // Instances.

    func beat(_ instance: Int64, until end: WallTime, at now: WallTime) throws(CloudAgentError) -> Bool {
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

    func leave(_ instance: Int64) throws(CloudAgentError) {
        try database.run("DELETE FROM agent_instances WHERE number = $1", [.integer(instance)])
        try database.run("DELETE FROM holds WHERE instance = $1", [.integer(instance)])
    }

    /// - Returns: whether it is held, and whether others are to be told.
    func take(
        _ hold: StoreHold, of account: Int64, by instance: Int64, at now: WallTime
    ) throws(CloudAgentError) -> (isHeld: Bool, isSignalled: Bool) {
        let known = try database.first("SELECT number FROM accounts WHERE number = $1", [.integer(account)])
        guard known != nil else { return (false, false) }
        let holder = try holder(of: hold, of: account, at: now)
        guard holder != instance else { return (true, false) }
        guard holder == nil || hold == .live else { return (false, false) }
        try database.run(
            "INSERT INTO holds (kind, account, instance) VALUES ($1, $2, $3) "
                + "ON CONFLICT (kind, account) DO UPDATE SET instance = excluded.instance",
            [.integer(hold.rawValue), .integer(account), .integer(instance)])
        guard hold == .live, holder != nil else { return (true, false) }
        try signal(.live, account, from: instance)
        return (true, true)
    }

    func free(_ hold: StoreHold, of account: Int64, by instance: Int64) throws(CloudAgentError) {
        try database.run(
            "DELETE FROM holds WHERE kind = $1 AND account = $2 AND instance = $3",
            [.integer(hold.rawValue), .integer(account), .integer(instance)])
    }

    func holder(
        of hold: StoreHold, of account: Int64, at now: WallTime
    ) throws(CloudAgentError) -> Int64? {
        try database.first(
            "SELECT holds.instance FROM holds JOIN agent_instances ON agent_instances.number = holds.instance "
                + "WHERE holds.kind = $1 AND holds.account = $2 AND agent_instances.until > $3",
            [.integer(hold.rawValue), .integer(account), .integer(now.millisecondsSinceEpoch)]
        ).map { (row) throws(CloudAgentError) in try row.integer(0) }
    }
}
