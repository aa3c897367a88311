public import DIDComm
public import Determinism
public import Vault
public import WebAddressing
public import WebTransport

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

/// The path on which messages of other agents reach an agent that `Agent.open` opens.
public enum AgentInboundPath: Sendable {
    /// Messages come by the mediator of the vault (`Agent.useMediator(_:)`); without one, as answers to our requests.
    case mediator
    /// Messages come to a listener of the agent's own, for HTTP and WebSocket.
    ///
    /// `endpoint` is the address that other agents are given, with the scheme http, https, ws or wss, such as that of
    /// a proxy in front of the listener; nil for the listener's own address and port.
    case listener(ServerConfiguration, endpoint: ServiceEndpoint? = nil)
}

extension Agent {
    /// Opens the agent of a wallet: its vault, the network and, where `reach` says so, a listener; then starts it.
    ///
    /// A folder without a vault gets a new one. Everything from before is resumed: connections that are not complete
    /// and messages that were not sent. `close()` ends it; one process alone has a folder open.
    /// - Parameters:
    ///   - folder: the folder of the vault, which is created with mode 0700 where it does not exist.
    ///   - key: opens the vault, and is that of a new vault.
    ///   - label: our name in invitations and requests, which other agents show.
    ///   - reach: how messages reach us.
    ///   - policy: the addresses of other agents that messages may go to.
    ///   - adjust: changes the other settings; the endpoint follows from `reach`, and documents of DIDs are found by
    ///     did:web where `didResolver` is nil.
    /// - Throws: as `Vault.create(at:key:options:)`, `Vault.open(at:key:options:)` and `HTTPServer.start()`, the codes
    ///   of `DIDCommError` for an endpoint, and as `start()`; nothing stays open then.
    public static func open(
        folder: String, key: VaultKey, label: String, reach: AgentInboundPath = .mediator,
        policy: IPAddressPolicy = .publicOnly,
        adjust: @Sendable (inout AgentConfiguration) -> Void = { _ in }
    ) async throws -> Agent {
        var configuration = AgentConfiguration(label: label)
        adjust(&configuration)
        let resources = AgentResources(vault: try await AgentResources.vault(in: folder, key))
        return try await resources.open(configuration, reach, policy)
    }

    /// The time of day, as the system has it.
    public static let systemCalendar: @Sendable () -> WallTime = {
        WallTime(millisecondsSinceEpoch: Int64(Date().timeIntervalSince1970 * 1000))
    }

    /// Finishes as `finish(within:)`, and closes the listener, the network and the vault that `open` opened.
    ///
    /// An agent that was made of given parts leaves these open.
    /// - Returns: as `finish(within:)`.
    @discardableResult
    public func close(within duration: Duration = .seconds(2)) async -> Bool {
        let isSettled = await finish(within: duration)
        let opened = resources.withLock { resources in
            defer { resources = nil }
            return resources
        }
        await opened?.close()
        return isSettled
    }
}

/// The parts that `Agent.open` opens beside the agent.
struct AgentResources: Sendable {
    let vault: Vault
    let service = WebService()
    private var endpoint: AgentHTTPListener?

    init(vault: Vault) { self.vault = vault }

    /// Opens the vault in a folder, or makes it.
    static func vault(in folder: String, _ key: VaultKey) async throws -> Vault {
        do {
            return try await Vault.open(at: folder, key: key)
        } catch let error as VaultError {
            guard error.code == .notFound else { throw error }
            return try await Vault.create(at: folder, key: key)
        }
    }

    /// Starts an agent on the vault; closes everything when that fails.
    func open(
        _ configuration: AgentConfiguration, _ reach: AgentInboundPath, _ policy: IPAddressPolicy
    ) async throws -> Agent {
        var resources = self
        do {
            var configuration = configuration
            configuration.endpoint = try await resources.listen(reach)
            if configuration.didResolver == nil {
                configuration.didResolver = WebDIDResolver(
                    GuardedFetch(exchanger: HTTPClient(resources.service)))
            }
            let agent = Agent(
                store: resources.vault, transport: WebMessageTransport(resources.service, policy: policy),
                configuration: configuration, wallTime: Agent.systemCalendar)
            try await agent.start()
            let opened = resources
            agent.resources.withLock { $0 = opened }
            opened.endpoint?.serve(agent)
            return agent
        } catch {
            await resources.close()
            throw error
        }
    }

    /// Begins to listen where `reach` says so; returns the address for other agents.
    mutating func listen(_ reach: AgentInboundPath) async throws -> ServiceEndpoint {
        guard case .listener(let configuration, let given) = reach else { return .queue }
        let endpoint = AgentHTTPListener(configuration)
        let socket = try await endpoint.start()
        self.endpoint = endpoint
        let scheme = configuration.certificate == nil ? "http" : "https"
        if let given { return given }
        return try ServiceEndpoint(parsing: "\(scheme)://\(socket)")
    }

    /// Closes everything; requests under way may finish within 5 s.
    func close() async {
        await endpoint?.stop()
        await service.stop()
        await vault.close()
    }
}
