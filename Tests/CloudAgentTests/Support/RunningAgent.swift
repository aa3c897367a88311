import Aries
import AriesConnections
import CloudAgent
import CryptoSuite
import Determinism
import WebAddressing
import WebTransport

/// A cloud agent on a port of this machine, with its store in a test's temporary folder.
struct RunningAgent {
    let server: CloudAgentServer
    let invitation: Invitation
    let address: SocketAddress
    private let service: WebService

    static func secret() throws -> MediatorSecret {
        try MediatorSecret(Secret(copying: [UInt8](repeating: 5, count: 32)))
    }

    init(
        in folder: String, port: UInt16 = 0, store: (any MediatorStore)? = nil,
        transport: (WebService) -> WebMessageTransport = { WebMessageTransport($0, policy: .allowPrivate) },
        change: (inout CloudAgentConfiguration) -> Void = { _ in },
        time: @escaping @Sendable () -> WallTime = Wallet.time
    ) async throws {
        var configuration = CloudAgentConfiguration()
        configuration.server.port = port
        change(&configuration)
        var place: (any MediatorStore)? = store
        if place == nil { place = try await DatabaseStore.sqlite(at: "\(folder)/agent.sqlite") }
        guard let place else { throw NotStarted() }
        service = WebService()
        server = CloudAgentServer(
            configuration, store: place, secret: try Self.secret(),
            transport: transport(service), post: WebhookSender(service, policy: .allowPrivate), wallTime: time)
        address = try await server.start()
        guard let invitation = server.invitation else { throw NotStarted() }
        self.invitation = invitation
    }

    func stop() async {
        await server.stop(within: .milliseconds(200))
        await service.stop()
    }

    struct NotStarted: Error {}
}
