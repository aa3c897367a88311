import AriesRuntime
import DIDComm
import Determinism

/// Brings envelopes to the addresses of clients, and tries again when nobody is there.
final class Courier: Sendable {
    /// What became of one attempt.
    enum Outcome: Hashable, Sendable {
        /// The server took it.
        case taken
        /// The server is there, and does not want this one.
        case refused
        /// Nobody is there, or not now.
        case failed
    }

    /// How much may be under way.
    struct Limits: Sendable {
        var count: Int
        var bytes: Int
    }

    private let wire: any MessageTransport
    private let waits: [Duration]
    private let limits: Limits
    private let timekeeper: any Timekeeper
    private let active = Lock(Limits(count: 0, bytes: 0))

    init(_ wire: any MessageTransport, waits: [Duration], limits: Limits, timekeeper: any Timekeeper) {
        self.wire = wire
        self.waits = waits
        self.limits = limits
        self.timekeeper = timekeeper
    }

    /// Brings an envelope; false when it was given up, at once when too many, or too large ones, are under way.
    func bring(_ envelope: [UInt8], to endpoint: ServiceEndpoint) async -> Bool {
        let hasRoom = active.withLock { active in
            guard active.count < limits.count, envelope.count <= limits.bytes - active.bytes else { return false }
            active.count += 1
            active.bytes += envelope.count
            return true
        }
        guard hasRoom else { return false }
        defer {
            active.withLock { active in
                active.count -= 1
                active.bytes -= envelope.count
            }
        }
        for wait in waits.map(Optional.some) + [nil] {
            if await attempt(envelope, endpoint) == .taken { return true }
            guard let wait else { break }
            do { try await timekeeper.wait(until: timekeeper.now() + wait) } catch { break }
        }
        return false
    }

    /// Brings an envelope once.
    func attempt(_ envelope: [UInt8], _ endpoint: ServiceEndpoint) async -> Outcome {
        do {
            // What comes back on the same connection is not asked for by anything that goes out here.
            try await wire.carry(envelope, to: endpoint) { _ in }
            return .taken
        } catch let error as AgentError {
            return error.wireCode.map(Self.isRefusal) == true ? .refused : .failed
        } catch {
            return .failed
        }
    }

    /// Whether a status speaks of the request, and not of the server's present state.
    static func isRefusal(_ status: Int) -> Bool { (400...499).contains(status) && ![408, 425, 429].contains(status) }

    func close() async { await wire.close() }
}
