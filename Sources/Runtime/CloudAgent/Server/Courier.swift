import AriesRuntime
import DIDComm
import Determinism

/// Brings envelopes to the addresses of clients, and tries again when nobody is there.
final class Courier: Sendable {
    private let wire: any Wire
    private let waits: [Duration]
    private let maximum: Int
    private let timekeeper: any Timekeeper
    private let active = Lock(0)

    init(_ wire: any Wire, waits: [Duration], maximum: Int, timekeeper: any Timekeeper) {
        self.wire = wire
        self.waits = waits
        self.maximum = maximum
        self.timekeeper = timekeeper
    }

    /// Brings an envelope; false when it was given up, at once when too many are under way.
    func bring(_ envelope: [UInt8], to endpoint: ServiceEndpoint) async -> Bool {
        let hasRoom = active.withLock { active in
            guard active < maximum else { return false }
            active += 1
            return true
        }
        guard hasRoom else { return false }
        defer { active.withLock { $0 -= 1 } }
        for wait in waits.map(Optional.some) + [nil] {
            if await attempt(envelope, endpoint) { return true }
            guard let wait else { break }
            do { try await timekeeper.wait(until: timekeeper.now() + wait) } catch { break }
        }
        return false
    }

    /// Brings an envelope once.
    func attempt(_ envelope: [UInt8], _ endpoint: ServiceEndpoint) async -> Bool {
        do {
            // What comes back on the same connection is not asked for by anything that goes out here.
            try await wire.carry(envelope, to: endpoint) { _ in }
            return true
        } catch {
            return false
        }
    }

    func close() async { await wire.close() }
}
