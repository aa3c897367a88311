import Aries
import CloudAgent
import DIDComm
import Testing
import WebTransport

/// A running cloud agent for a test, with the means to make clients.
struct Bench {
    let agent: RunningAgent
    let service: WebService
    let poster: Poster

    static func with(
        limits: StoreLimits = StoreLimits(), change: (inout CloudAgentConfiguration) -> Void = { _ in },
        _ body: (Bench) async throws -> Void
    ) async throws {
        try await TemporaryFolder.with { folder in
            let store = try await DatabaseStore.sqlite(at: "\(folder)/agent.sqlite", limits: limits)
            let agent = try await RunningAgent(in: folder, store: store, change: change)
            let service = WebService()
            try await body(
                Bench(agent: agent, service: service, poster: Poster(service: service, port: agent.address.port)))
            await service.stop()
            await agent.stop()
        }
    }

    func client(
        _ handshake: MessageProtocol = .didExchange11, endpoint: ServiceEndpoint = .queue
    ) async throws -> RawClient {
        let invitation =
            handshake == .connections10 ? try #require(agent.server.olderInvitation) : agent.invitation
        return try await RawClient.connect(
            invitation, at: agent.address.port, service: service, by: handshake, endpoint: endpoint)
    }
}
