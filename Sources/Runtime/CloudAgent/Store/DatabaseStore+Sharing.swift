public import Determinism

/// Wake-ups, and what instances know of each other.
extension DatabaseStore {
    /// Keeps by what the client of an account is woken.
    public func setWake(_ body: [UInt8]?, of account: Int64) async throws(CloudAgentError) {
        try await write { (steps) throws(CloudAgentError) in try steps.setWake(body, of: account) }
    }

    /// By what the client of an account is woken.
    public func wake(of account: Int64) async throws(CloudAgentError) -> WakeEntry? {
        try await read { (steps) throws(CloudAgentError) in try steps.wake(of: account) }
    }

    /// The accounts whose clients are to be woken.
    public func accountsToWake(after number: Int64, limit: Int) async throws(CloudAgentError) -> [Int64] {
        try await read { (steps) throws(CloudAgentError) in try steps.accountsToWake(after: number, limit: limit) }
    }

    /// Nobody has to be woken for messages up to this place any more.
    public func settleWake(
        of account: Int64, upTo position: UInt64, woken: WallTime?
    ) async throws(CloudAgentError) {
        try await write { (steps) throws(CloudAgentError) in
            try steps.settleWake(of: account, upTo: position, woken: woken)
        }
    }

    /// An instance lives.
    public func beat(
        _ instance: Int64, until end: WallTime, at now: WallTime
    ) async throws(CloudAgentError) -> Bool {
        try await write { (steps) throws(CloudAgentError) in try steps.beat(instance, until: end, at: now) }
    }

    /// An instance ends.
    public func leave(_ instance: Int64) async throws(CloudAgentError) {
        try await write { (steps) throws(CloudAgentError) in try steps.leave(instance) }
    }

    /// Takes a hold for an instance.
    public func take(
        _ hold: StoreHold, of account: Int64, by instance: Int64, at now: WallTime
    ) async throws(CloudAgentError) -> Bool {
        try await tell { (steps) throws(CloudAgentError) in
            let (isHeld, isSignalled) = try steps.take(hold, of: account, by: instance, at: now)
            return (isHeld, news: isSignalled ? .signals : nil)
        }
    }

    /// Frees a hold of an instance.
    public func free(_ hold: StoreHold, of account: Int64, by instance: Int64) async throws(CloudAgentError) {
        try await write { (steps) throws(CloudAgentError) in try steps.free(hold, of: account, by: instance) }
    }

    /// The instance that has a hold.
    public func holder(
        of hold: StoreHold, of account: Int64, at now: WallTime
    ) async throws(CloudAgentError) -> Int64? {
        try await read { (steps) throws(CloudAgentError) in try steps.holder(of: hold, of: account, at: now) }
    }

    /// The signals behind a number.
    public func signals(
        after number: Int64, limit: Int
    ) async throws(CloudAgentError) -> (signals: [StoreSignal], isComplete: Bool) {
        try await read { (steps) throws(CloudAgentError) in try steps.signals(after: number, limit: limit) }
    }

    /// The number of the newest signal.
    public func newestSignal() async throws(CloudAgentError) -> Int64 {
        try await read { (steps) throws(CloudAgentError) in try steps.newestSignal() }
    }
}
