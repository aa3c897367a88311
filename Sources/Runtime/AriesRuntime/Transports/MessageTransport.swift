public import DIDComm

/// What carries envelopes to other agents.
///
/// It gets an address and bytes, and reads nothing of them. It carries several envelopes at once, but never two of one
/// connection.
public protocol MessageTransport: Sendable {
    /// Carries one envelope to `endpoint`; returns when the other side took it, which proves nothing of what it makes of it.
    ///
    /// - Parameter answers: takes envelopes that come back on the same connection, while this waits and as long as the
    ///   connection stays open; it does not wait itself.
    /// - Throws: whatever keeps the envelope from being carried; `CancellationError`.
    func carry(
        _ envelope: [UInt8], to endpoint: ServiceEndpoint, answers: @escaping @Sendable ([UInt8]) -> Void
    ) async throws

    /// Opens a connection that stays, for messages in both directions.
    ///
    /// - Parameters:
    ///   - received: takes what comes, one after the other; nothing more is read while it works.
    ///   - ended: told once, when the connection has ended, and how; not when opening failed.
    /// - Throws: whatever keeps it from being opened; `agent.delivery.failed` where no connection can stay.
    func connect(
        to endpoint: ServiceEndpoint, received: @escaping @concurrent @Sendable ([UInt8]) async -> Void,
        ended: @escaping @Sendable (TransportEnd) -> Void
    ) async throws -> any PersistentTransport

    /// Closes what is open.
    func close() async
}

extension MessageTransport {
    /// Refuses, as a transport does that carries single envelopes only.
    public func connect(
        to endpoint: ServiceEndpoint, received: @escaping @concurrent @Sendable ([UInt8]) async -> Void,
        ended: @escaping @Sendable (TransportEnd) -> Void
    ) async throws -> any PersistentTransport {
        throw AgentError(.deliveryFailed, "No connection to the other side can stay open.")
    }
}

/// How a connection that stays came to its end.
public enum TransportEnd: String, Hashable, Sendable, CaseIterable {
    /// It was lost, or closed without a reason that matters; it may be opened again.
    case lost
    /// The other side has a newer one of the same client (close code 4001 of our cloud agent).
    case replaced
    /// The other side has closed the account of the client (4002).
    case closed
}

/// A connection that stays, as a way for messages in both directions.
public protocol PersistentTransport: ReturnPath {
    /// Ends it.
    func close()
}

/// The way back on a connection that the other side opened: the answer to its request, or its WebSocket.
public protocol ReturnPath: Sendable {
    /// Sends one envelope back; false when the connection does not take one any more.
    func offer(_ envelope: [UInt8]) -> Bool
}
