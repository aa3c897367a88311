import AriesConnections
import DIDComm
import Determinism

/// Sends envelopes to the addresses of clients, with retries.
final class OutboundDelivery: Sendable {
    /// The outcome of one attempt to send an envelope to a client's address.
    enum OutboundDeliveryResult: Hashable, Sendable {
        /// The server took it.
        case taken
        /// The server answers, and refuses this envelope.
        case refused
        /// The server does not answer, or cannot serve now.
        case failed
    }

    /// The limits of envelopes under way.
    struct InFlightEnvelopes: Sendable {
        var count: Int
        var bytes: Int
    }

    private let transport: any MessageTransport
    private let waits: [Duration]
    private let limits: InFlightEnvelopes
    private let clock: any MonotonicClock
    private let active = Lock(InFlightEnvelopes(count: 0, bytes: 0))

    init(_ transport: any MessageTransport, waits: [Duration], limits: InFlightEnvelopes, clock: any MonotonicClock) {
        self.transport = transport
        self.waits = waits
        self.limits = limits
        self.clock = clock
    }

    /// Sends an envelope, with retries; false after the last one, and at once when the limits are reached.
    func send(_ envelope: [UInt8], to endpoint: ServiceEndpoint) async -> Bool {
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
            do { try await clock.wait(until: clock.now() + wait) } catch { break }
        }
        return false
    }

    /// Sends an envelope once.
    func attempt(_ envelope: [UInt8], _ endpoint: ServiceEndpoint) async -> OutboundDeliveryResult {
        do {
            // No envelope that is sent here asks for an answer on the same connection.
            try await transport.carry(envelope, to: endpoint) { _ in }
            return .taken
        } catch let error as AgentError {
            return error.wireCode.map(Self.isRefusal) == true ? .refused : .failed
        } catch {
            return .failed
        }
    }

    /// Returns true when a status refuses the request itself, and does not report the server's present state.
    static func isRefusal(_ status: Int) -> Bool { (400...499).contains(status) && ![408, 425, 429].contains(status) }

    func close() async { await transport.close() }
}
