public import DIDComm

/// Carries envelopes to other agents.
///
/// It gets an address and bytes, and reads nothing of them. It carries several envelopes at once, but never two of one
/// connection.
public protocol MessageTransport: Sendable {
    /// Carries one envelope to `endpoint`; returns when the other side took it, which does not prove that it was
    /// processed.
    ///
    /// - Parameter answers: takes what comes back on the same connection, while this waits and as long as the
    ///   connection stays open: envelopes, or the empty or foreign answer of a server; it does not wait itself.
    /// - Throws: whatever keeps the envelope from being carried; `CancellationError`.
    func carry(
        _ envelope: [UInt8], to endpoint: ServiceEndpoint, answers: @escaping @Sendable ([UInt8]) -> Void
    ) async throws

    /// Opens a persistent connection, for messages in both directions.
    ///
    /// - Parameters:
    ///   - received: takes the envelopes, one after the other; nothing more is read while it works.
    ///   - ended: called once, when the connection has ended, with the cause; not when opening failed.
    /// - Throws: whatever keeps it from being opened; `agent.delivery.failed` where no connection can stay.
    func connect(
        to endpoint: ServiceEndpoint, received: @escaping @concurrent @Sendable ([UInt8]) async -> Void,
        ended: @escaping @Sendable (TransportEndReason) -> Void
    ) async throws -> any PersistentTransport

    /// Closes all connections of the transport.
    func close() async
}

extension MessageTransport {
    /// Throws: by default, a transport has no persistent connections.
    public func connect(
        to endpoint: ServiceEndpoint, received: @escaping @concurrent @Sendable ([UInt8]) async -> Void,
        ended: @escaping @Sendable (TransportEndReason) -> Void
    ) async throws -> any PersistentTransport {
        throw AgentError(.deliveryFailed, "No connection to the other side can stay open.")
    }
}

/// The reason for the end of a persistent connection.
public enum TransportEndReason: String, Hashable, Sendable, CaseIterable {
    /// The connection was lost, or closed without a reason that matters; it may be reopened.
    case lost
    /// The client has opened a newer one (close code 4001 of our cloud agent).
    case replaced
    /// The other side has closed the account of the client (4002).
    case closed
}

/// A persistent connection for messages in both directions.
public protocol PersistentTransport: ReturnRoute {
    /// Closes the persistent connection.
    func close()
}

/// The reply channel on a connection that the other side opened: the answer to its request, or its WebSocket.
public protocol ReturnRoute: Sendable {
    /// Sends one envelope back; false when the connection is closed.
    func offer(_ envelope: [UInt8]) -> Bool
}
