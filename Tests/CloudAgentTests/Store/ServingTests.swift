import Aries
import CloudAgentConformance
import DIDComm
import Determinism
import Foundation
import TestSupport
import Testing
import WebTransport

@testable import CloudAgent

/// Which process serves from a file of SQLite, and what becomes of a file that goes.
@Suite struct ServingTests {
    @Test(.shows("A9"))
    func `a second server on one store file is refused, and commands that only read or remove work beside the first`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/agent.sqlite"
            let first = try await RunningAgent(in: folder)
            let beside = try await DatabaseStore.sqlite(at: path)
            await #expect(throws: CloudAgentError(.inUse, "")) { try await beside.beginServing() }
            await #expect(throws: CloudAgentError(.inUse, "")) { _ = try await RunningAgent(in: folder) }
            let account = try await StoreSamples.open(1, in: beside)
            #expect(try await beside.read { try $0.inspection.totals() }.accounts == 1)
            #expect(try await beside.prune(before: StoreSamples.time(9), limit: 9) == 0)
            #expect(try await beside.check() == [])
            #expect(try await StoreAddress.sqlite(path: path).backUp(to: "\(folder)/copy") > 0)
            #expect(try await beside.write { try $0.accounts.close(account) })
            await beside.close()
            await first.stop()
            let second = try await RunningAgent(in: folder)
            await second.stop()
        }
    }

    @Test(.shows("A9"), .enabled(if: CloudWorker.program != nil, "skipped: the worker was not built beside the tests"))
    func `a killed server leaves no lock on the store file`() async throws {
        try await TemporaryFolder.with { folder in
            let store = "sqlite:\(folder)/agent.sqlite"
            for round in 0..<3 {
                let worker = try CloudWorker(
                    store, port: 0, publicAddress: "http://agent.example", says: "\(folder)/\(round)")
                _ = try await worker.port()
                let beside = try await DatabaseStore.sqlite(at: "\(folder)/agent.sqlite")
                await #expect(throws: CloudAgentError(.inUse, "")) { try await beside.beginServing() }
                await beside.close()
                worker.kill()
            }
        }
    }

    /// Moves the store's file away, does what a test wants, and moves it back.
    private static func away(_ folder: String, _ body: () async throws -> Void) async throws {
        let (path, other) = ("\(folder)/agent.sqlite", "\(folder)/moved")
        try FileManager.default.moveItem(atPath: path, toPath: other)
        try await body()
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: other, toPath: path)
    }

    @Test(.shows("A9"))
    func `an agent whose store file is removed or replaced accepts and delivers nothing until it is back`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let agent = try await RunningAgent(in: folder)
            let service = WebService()
            let client = try await RawClient.connect(agent.invitation, at: agent.address.port, service: service)
            let (routing, key) = (try await client.mediate(), freshKey())
            _ = try await client.change(key)
            let poster = Poster(service: service, port: agent.address.port)
            let monitor = MediatorMonitor(agent.server, clock: SystemMonotonicClock(), wallTime: Wallet.time)
            #expect(try await poster.forward("a", to: key, through: routing) == 202)
            for replaces in [false, true] {
                try await Self.away(folder) {
                    if replaces { try Data().write(to: URL(filePath: "\(folder)/agent.sqlite")) }
                    #expect(try await poster.forward("lost", to: key, through: routing) == 503)
                    #expect(try await client.deliver().isEmpty)
                    let (state, cause) = await monitor.readiness()
                    #expect(state == .unready && cause == CloudAgentError(.replaced, ""))
                }
                #expect(await monitor.state() == .ready)
                #expect(try await poster.forward("b", to: key, through: routing) == 202)
            }
            #expect(try await client.deliver().count == 3)
            await service.stop()
            await agent.stop()
        }
    }

    @Test func `a store file without tables is refused by commands that may not create a store, and stays unchanged`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/agent.sqlite"
            await #expect(throws: CloudAgentError(.missing, "")) {
                _ = try await DatabaseStore.sqlite(at: path, makes: false)
            }
            await #expect(throws: CloudAgentError(.path, "")) {
                _ = try await DatabaseStore.sqlite(at: "\(folder)/none/agent.sqlite", makes: false)
            }
            #expect(!FileManager.default.fileExists(atPath: path))
            _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
            await #expect(throws: CloudAgentError(.emptied, "")) {
                _ = try await DatabaseStore.sqlite(at: path, makes: false)
            }
            #expect(FileManager.default.contents(atPath: path) == Data())
        }
    }

    @Test func `a store without the fingerprint of its secret is refused as emptied`() async throws {
        try await TemporaryFolder.with { folder in
            let store = try await DatabaseStore.sqlite(at: "\(folder)/agent.sqlite")
            await #expect(throws: CloudAgentError(.emptied, "")) { try await RunningAgent.secret().verify(store) }
            try await RunningAgent.secret().claim(store)
            try await RunningAgent.secret().verify(store)
            await store.close()
        }
    }
}
