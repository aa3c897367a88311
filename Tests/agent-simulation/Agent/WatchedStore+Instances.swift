import CloudAgent
import Determinism

/// What the store knows of several instances, and of clients that are woken.
extension WatchedStore {
    func setWake(_ body: [UInt8]?, of account: Int64) async throws(CloudAgentError) {
        try await store().setWake(body, of: account)
    }

    func wake(of account: Int64) async throws(CloudAgentError) -> WakeEntry? { try await store().wake(of: account) }

    func accountsToWake(after number: Int64, limit: Int) async throws(CloudAgentError) -> [Int64] {
        try await store().accountsToWake(after: number, limit: limit)
    }

    func settleWake(of account: Int64, upTo position: UInt64, woken: WallTime?) async throws(CloudAgentError) {
        try await store().settleWake(of: account, upTo: position, woken: woken)
    }

    func beat(_ instance: Int64, until end: WallTime, at now: WallTime) async throws(CloudAgentError) -> Bool {
        try await store().beat(instance, until: end, at: now)
    }

    func leave(_ instance: Int64) async throws(CloudAgentError) { try await store().leave(instance) }

    func take(
        _ hold: StoreHold, of account: Int64, by instance: Int64, at now: WallTime
    ) async throws(CloudAgentError) -> Bool { try await store().take(hold, of: account, by: instance, at: now) }

    func free(_ hold: StoreHold, of account: Int64, by instance: Int64) async throws(CloudAgentError) {
        try await store().free(hold, of: account, by: instance)
    }

    func holder(
        of hold: StoreHold, of account: Int64, at now: WallTime
    ) async throws(CloudAgentError) -> Int64? { try await store().holder(of: hold, of: account, at: now) }

    func signals(
        after number: Int64, limit: Int
    ) async throws(CloudAgentError) -> (signals: [StoreSignal], isComplete: Bool) {
        try await store().signals(after: number, limit: limit)
    }

    func newestSignal() async throws(CloudAgentError) -> Int64 { try await store().newestSignal() }
}
