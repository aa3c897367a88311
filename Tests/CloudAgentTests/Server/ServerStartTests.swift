import AriesConnections
import DIDComm
import TestSupport
import Testing
import WebTransport

@testable import CloudAgent

/// Tests that a server which fails to start leaves nothing behind.
@Suite struct ServerStartTests {
    private static func server(
        port: UInt16, store: any MediatorStore, service: WebService,
        change: (inout CloudAgentConfiguration) -> Void = { _ in }
    ) throws -> CloudAgentServer {
        var configuration = CloudAgentConfiguration()
        configuration.server.port = port
        change(&configuration)
        return CloudAgentServer(
            configuration, store: store, secret: try RunningAgent.secret(), transport: WebMessageTransport(service),
            wallTime: Wallet.time)
    }

    @Test(arguments: ["ftp://agent.example", "agent.example", ""])
    func `a cloud agent's wrong public address is refused before a port is opened`(_ address: String) async throws {
        try await TemporaryFolder.with { folder in
            // Where opening the port came first, the start would fail because the port is in use.
            let holder = HTTPServer { _ in HTTPResponse(200) }
            let port = try await holder.start().port
            let service = WebService()
            let store = try await DatabaseStore.sqlite(at: "\(folder)/agent.sqlite")
            let server = try Self.server(port: port, store: store, service: service) { $0.publicAddress = address }
            await #expect(throws: DIDCommError.self) { try await server.start() }
            await server.stop(within: .zero)
            await holder.stop(within: .zero)
            await service.stop()
        }
    }

    @Test func `a cloud agent's start that fails at the store after opening the port closes the port`() async throws {
        try await TemporaryFolder.with { folder in
            let faults = BreakableStore()
            let store = try await faults.open(in: folder)
            try await RunningAgent.secret().claim(store)
            let service = WebService()
            let holder = HTTPServer { _ in HTTPResponse(200) }
            let port = try await holder.start().port
            await holder.stop(within: .zero)
            // The mark of the secret is read, and nothing after it.
            faults.endsAfter(steps: 1)
            let server = try Self.server(port: port, store: store, service: service)
            await #expect(throws: CloudAgentError(.unavailable, "")) { try await server.start() }
            var configuration = ServerConfiguration()
            configuration.port = port
            let other = HTTPServer(configuration) { _ in HTTPResponse(200) }
            #expect(try await other.start().port == port)
            await other.stop(within: .zero)
            await server.stop(within: .zero)
            await service.stop()
        }
    }
}
