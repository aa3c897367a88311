import Aries
import AriesConnections
import CloudAgent
import CryptoSuite
import DIDComm
import Foundation
import TestSupport
import Testing
import Vault
import WebAddressing
import WebTransport

/// Stores, backups and vaults of earlier commits; `Fixtures/README.md` says what is in them.
@Suite struct MigrationTests {
    /// The commits whose programs made the fixtures; each has a folder.
    private static let commits = ["3e6501e", "663dc738"]
    /// The address of the agent in the fixtures.
    private static let place = "127.0.0.1:18431"

    /// A copy of a file of the fixtures that its owner alone may read.
    static func copy(_ name: String, to path: String) throws {
        let folder = OutsideVectors.packageRoot.appending(path: "Tests/CloudAgentTests/Fixtures")
        let data = try Data(contentsOf: folder.appending(path: name))
        let url = URL(filePath: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        #expect(
            FileManager.default.createFile(atPath: path, contents: data, attributes: [.posixPermissions: 0o600]))
    }

    /// Carries what goes to the place of the fixtures' agent to another port of this machine.
    private final class MovedTransport: MessageTransport {
        private let transport: WebMessageTransport
        private let port: UInt16

        init(_ service: WebService, port: UInt16) {
            transport = WebMessageTransport(service, policy: .allowPrivate)
            self.port = port
        }

        private func moved(_ endpoint: ServiceEndpoint) throws -> ServiceEndpoint {
            try ServiceEndpoint(
                parsing: endpoint.text.replacing(MigrationTests.place, with: "127.0.0.1:\(port)"))
        }

        func carry(
            _ envelope: [UInt8], to endpoint: ServiceEndpoint, answers: @escaping @Sendable ([UInt8]) -> Void
        ) async throws { try await transport.carry(envelope, to: try moved(endpoint), answers: answers) }

        func connect(
            to endpoint: ServiceEndpoint, received: @escaping @Sendable ([UInt8]) async -> Void,
            ended: @escaping @Sendable (TransportEndReason) -> Void
        ) async throws -> any PersistentTransport {
            try await transport.connect(to: try moved(endpoint), received: received, ended: ended)
        }

        func close() async { await transport.close() }
    }

    /// Runs an agent on a store of the fixtures; its wallet fetches what waits, and both go on with new keys.
    static func goOn(_ store: DatabaseStore, vault: String, in folder: String) async throws {
        let accounts = try await store.read { try $0.accounts.list(after: 0, limit: 9) }
        #expect(accounts.map(\.number) == [1, 2] && accounts.map(\.queue.count) == [3, 0])
        #expect(accounts.map(\.keyCount) == [6, 5] && accounts.allSatisfy(\.isServed))
        #expect(try await store.check() == [])
        #expect(try await store.read { try $0.wakes.entry(of: 1) } != nil)
        #expect(try await store.read { try $0.wakes.entry(of: 2) } == nil)
        func adapt(_ configuration: inout CloudAgentConfiguration) { configuration.publicAddress = "http://\(place)" }
        let agent = try await RunningAgent(in: folder, store: store, change: adapt)
        try copy(vault, to: "\(folder)/ann/vault.sqlite")
        let port = agent.address.port
        let ann = try await Wallet(
            "ann", in: folder, transport: { MovedTransport($0, port: port) }, change: { $0.label = "ann" })
        let known = try await ann.agent.connections().connections.filter { $0.role == .inviter }
        let connection = try #require(known.first).id
        #expect(try await eventually { try await ann.texts(on: connection) == ["one", "two", "three"] })
        #expect(try await eventually { try await agent.server.totals().messages == 0 })
        // A new wallet connects with the old one: keys are registered at the agent by both.
        let carl = try await Wallet("carl", in: folder, transport: { MovedTransport($0, port: port) })
        try await carl.use(agent.invitation)
        let keys = try await agent.server.totals().keys
        let invitation = try await ann.agent.invite(InvitationDraft(.outOfBand, label: "ann"))
        let made = try await carl.agent.accept(invitation).completed()
        try await carl.send("four", on: made.id)
        #expect(
            try await eventually {
                for other in try await ann.agent.connections().connections where other.id != connection {
                    if try await ann.texts(on: other.id) == ["four"] { return true }
                }
                return false
            })
        #expect(try await agent.server.totals().keys > keys)
        await carl.stop()
        await ann.stop()
        await agent.stop()
    }

    @Test(arguments: commits, ["agent.sqlite", "backup.sqlite"])
    func `a SQLite store of an earlier version keeps its accounts and mail, and works with a vault of that version`(
        commit: String, name: String
    ) async throws {
        try await TemporaryFolder.with { folder in
            try Self.copy("\(commit)/\(name)", to: "\(folder)/agent.sqlite")
            let store = try await DatabaseStore.sqlite(at: "\(folder)/agent.sqlite")
            try await Self.goOn(store, vault: "\(commit)/ann.vault.sqlite", in: folder)
            let again = try await DatabaseStore.sqlite(at: "\(folder)/agent.sqlite")
            #expect(try await again.check() == [])
            await again.close()
        }
    }

    #if PostgreSQL
        @Test(.enabled(if: PostgresServer.isInstalled, "postgresql-15 is not installed"), arguments: commits)
        func
            `a PostgreSQL store of an earlier version keeps its accounts and mail, and works with a vault of that version`(
                commit: String
            ) async throws
        {
            try await PostgresServer.with { server in
                try await TemporaryFolder.with { folder in
                    try Self.copy("\(commit)/agent.sql", to: "\(folder)/agent.sql")
                    let (name, address) = try server.database()
                    #expect(server.load("\(folder)/agent.sql", into: name))
                    // The tables that a program of the earlier version needs to take mail, to change keys, to be ready,
                    // and to deliver mail.
                    let renamed = commit == "3e6501e" ? ["keys", "claims", "settings", "instances"] : []
                    let tables = renamed.map { "symbolon_agent.\($0)" }
                    for table in tables { #expect(server.run("SELECT 1 FROM \(table)", in: name), "it works before") }
                    // A sound store may be opened by several at once, of which one makes it to this version.
                    async let one = DatabaseStore.postgres(at: address)
                    async let two = DatabaseStore.postgres(at: address)
                    let (store, other) = (try await one, try await two)
                    for table in tables { #expect(!server.run("SELECT 1 FROM \(table)", in: name), "and then not") }
                    #expect(try await other.check() == [])
                    await other.close()
                    try await Self.goOn(store, vault: "\(commit)/ann-postgres.vault.sqlite", in: folder)
                }
            }
        }
    #endif

    @Test(arguments: commits)
    func `a vault of an earlier version opens with its records and passes the check`(commit: String) async throws {
        try await TemporaryFolder.with { folder in
            try Self.copy("\(commit)/ann.vault.sqlite", to: "\(folder)/ann/vault.sqlite")
            let key = VaultKey.keyFile(Secret(copying: [UInt8](repeating: 7, count: 32)))
            let vault = try await Vault.open(at: "\(folder)/ann", key: key)
            let report = try await vault.check()
            #expect(report.isSound && report.records > 0)
            await vault.close()
        }
    }
}
