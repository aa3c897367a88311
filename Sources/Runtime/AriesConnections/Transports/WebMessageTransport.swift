import ByteCoding
public import DIDComm
import Determinism
public import WebAddressing
public import WebTransport

/// Carries envelopes by HTTP and WebSocket.
///
/// Each post to an HTTP endpoint uses a connection of its own; redirects are not followed. A WebSocket stays open for
/// more messages in both directions. Where another agent's address leads is checked after each resolution of its name.
public actor WebMessageTransport: MessageTransport {
    /// The most WebSockets that are kept open.
    public static let maximumSockets = 64

    /// The default limits of a delivery: half a minute, and 3 MiB in each message that comes back.
    public static let usualLimits: ClientRequestLimits = {
        var limits = ClientRequestLimits()
        limits.maximumBodyBytes = EnvelopeLimits.ofMediators.maximumBytes
        return limits
    }()

    private struct SharedWebSocket {
        let opening: Task<WebSocketConnection, any Error>
        var reading: Task<Void, Never>?
        var lastUse: UInt64
    }

    private let service: WebService
    private let guardian: AddressGuard
    private let policy: IPAddressPolicy
    private let roots: TLSRoots
    private let limits: ClientRequestLimits
    private var sockets: [String: SharedWebSocket] = [:]
    private var transports: [ObjectIdentifier: SocketTransport] = [:]
    private var uses: UInt64 = 0

    /// Makes a transport.
    ///
    /// - Parameters:
    ///   - policy: where addresses of other agents may lead.
    ///   - roots: the trusted root certificates.
    ///   - limits: the limits of one delivery, and of one message that comes back.
    public init(
        _ service: WebService, resolver: any HostNameResolver = SystemHostNameResolver(),
        policy: IPAddressPolicy = .publicOnly,
        roots: TLSRoots = .system, limits: ClientRequestLimits = WebMessageTransport.usualLimits
    ) {
        self.service = service
        guardian = AddressGuard(resolver: resolver)
        self.policy = policy
        self.roots = roots
        self.limits = limits
    }

    /// Carries one envelope; see `MessageTransport`.
    ///
    /// - Throws: `agent.delivery.failed` when the server answered with another status than 2xx, and the codes of
    ///   `WebError` and `FetchError`.
    public func carry(
        _ envelope: [UInt8], to endpoint: ServiceEndpoint, answers: @escaping @Sendable ([UInt8]) -> Void
    ) async throws {
        guard let address = endpoint.address else {
            throw AgentError(.deliveryWaits, "The other side has no address.")
        }
        if address.scheme.isWebSocket {
            try await send(envelope, to: address, answers)
        } else {
            try await post(envelope, to: address, answers)
        }
    }

    /// Closes all WebSockets.
    public func close() async {
        for key in sockets.keys.sorted() { drop(key) }
        for transport in transports.values { transport.close() }
        transports = [:]
    }

    /// Opens a persistent WebSocket; see `MessageTransport`.
    ///
    /// A peer that answers no ping for 40 s ends it.
    /// - Throws: `agent.delivery.failed` for an address of another kind, and the codes of `WebError` and `FetchError`.
    public func connect(
        to endpoint: ServiceEndpoint, received: @escaping @concurrent @Sendable ([UInt8]) async -> Void,
        ended: @escaping @Sendable (TransportEndReason) -> Void
    ) async throws -> any PersistentTransport {
        guard let address = endpoint.address, address.scheme.isWebSocket else {
            throw AgentError(.deliveryFailed, "No connection to an address of this kind can stay open.")
        }
        let transport = SocketTransport(try await open(address))
        let key = ObjectIdentifier(transport)
        transports[key] = transport
        Task { [weak self] in
            await transport.read(received)
            await self?.forget(key)
            ended(transport.end)
        }
        return transport
    }

    private func forget(_ key: ObjectIdentifier) { transports[key] = nil }

    private func target(of address: WebAddress) async throws -> WebConnectionTarget {
        // Envelopes are encrypted already, so TLS is not required.
        let found = try await guardian.endpoints(of: address, policy: policy, allowsInsecure: true)
        guard let first = found.first else { throw AgentError(.deliveryFailed, "The name has no address.") }
        return WebConnectionTarget(first, for: address, roots: roots)
    }

    private func post(
        _ envelope: [UInt8], to address: WebAddress, _ answers: @Sendable ([UInt8]) -> Void
    ) async throws {
        let request = HTTPRequest(
            .post, try RequestTarget(parsing: address.requestTarget),
            headers: ["Content-Type": EnvelopeMediaType.envelope.rawValue], body: envelope)
        let response = try await HTTPClient(service).send(request, to: target(of: address), limits: limits)
        guard (200...299).contains(response.status) else {
            let why = response.status == 503 ? ": it takes no message now, as when the recipient's queue is full" : ""
            throw AgentError(
                .deliveryFailed, "The server answered with the status \(response.status)\(why).",
                wireCode: response.status)
        }
        answers(response.body)
    }
}

// WebSockets.
extension WebMessageTransport {
    private func send(
        _ envelope: [UInt8], to address: WebAddress, _ answers: @escaping @Sendable ([UInt8]) -> Void
    ) async throws {
        let key = address.withoutFragment.description
        let connection = try await connection(key, address, answers)
        do {
            try await connection.send(.text(envelope))
        } catch {
            drop(key)
            throw error
        }
    }

    private func connection(
        _ key: String, _ address: WebAddress, _ answers: @escaping @Sendable ([UInt8]) -> Void
    ) async throws -> WebSocketConnection {
        uses += 1
        if sockets[key] != nil {
            sockets[key]?.lastUse = uses
            if let opening = sockets[key]?.opening, let open = try? await opening.value, !open.isClosed { return open }
            drop(key)
        }
        while sockets.count >= Self.maximumSockets, let oldest = oldest { drop(oldest) }
        let opening = Task { try await self.open(address) }
        sockets[key] = SharedWebSocket(opening: opening, lastUse: uses)
        do {
            let open = try await opening.value
            if sockets[key]?.reading == nil { sockets[key]?.reading = Self.read(open, answers) }
            return open
        } catch {
            sockets[key] = nil
            throw error
        }
    }

    private var oldest: String? {
        sockets.min { ($0.value.lastUse, $0.key) < ($1.value.lastUse, $1.key) }?.key
    }

    private func open(_ address: WebAddress) async throws -> WebSocketConnection {
        let request = HTTPRequest(.get, try RequestTarget(parsing: address.requestTarget))
        var socketLimits = WebSocketLimits()
        socketLimits.maximumMessageBytes = limits.maximumBodyBytes
        return try await WebSocketClient(service).connect(
            to: target(of: address), request, limits: socketLimits, deadline: limits.deadline)
    }

    private static func read(
        _ connection: WebSocketConnection, _ answers: @escaping @Sendable ([UInt8]) -> Void
    ) -> Task<Void, Never> {
        Task {
            do {
                for try await message in connection.messages { answers(message.bytes) }
            } catch {}
            connection.close()
        }
    }

    private func drop(_ key: String) {
        guard let socket = sockets.removeValue(forKey: key) else { return }
        socket.reading?.cancel()
        let opening = socket.opening
        Task { try? await opening.value.close() }
    }
}

/// A WebSocket as a persistent transport connection.
private final class SocketTransport: PersistentTransport {
    private let connection: WebSocketConnection

    init(_ connection: WebSocketConnection) { self.connection = connection }

    func offer(_ envelope: [UInt8]) -> Bool { connection.offer(.text(envelope)) }

    func close() { connection.close() }

    var end: TransportEndReason {
        switch connection.closeCode?.rawValue {
        case 4001: .replaced
        case 4002: .closed
        default: .lost
        }
    }

    func read(_ received: @concurrent @Sendable ([UInt8]) async -> Void) async {
        do {
            for try await message in connection.messages { await received(message.bytes) }
        } catch {}
        connection.close()
    }
}
