import Aries
import DIDComm
import Determinism
import Foundation
import TestSupport
import Testing
import WebTransport

@testable import CloudAgent

/// An agent on a disk that is full: a file system in memory, mounted by the test.
@Suite(.enabled(if: SmallDisk.isAvailable, "skipped: this user may not mount a file system"), .serialized)
struct DiskFullTests {
    fileprivate static let envelope = Array("{\"text\":\"\(String(repeating: "x", count: 50_000))\"}".utf8)

    /// An agent with one client, on a small disk.
    private final class Site {
        let disk: SmallDisk
        let service = WebService()
        var agent: RunningAgent
        var client: RawClient
        let routing: Verkey
        let key = freshKey()

        init(_ disk: SmallDisk) async throws {
            self.disk = disk
            agent = try await RunningAgent(in: disk.path)
            client = try await RawClient.connect(agent.invitation, at: agent.address.port, service: service)
            routing = try await client.mediate()
            #expect(try await client.change(key) == "success")
        }

        func forward() async throws -> Int {
            let poster = Poster(service: service, port: agent.address.port)
            return try await poster.post(try Poster.forward(DiskFullTests.envelope, to: key, through: routing)).status
        }

        /// Sends until nothing more is taken; how many messages were.
        func fill() async throws -> Int {
            for count in 0..<200 where try await forward() != 202 { return count }
            return 200
        }

        /// Fetches and acknowledges everything; how many messages came, each counted once.
        func drain() async throws -> Int {
            var ids: Set<String> = []
            for _ in 0..<100 {
                let mail = try await client.deliver(3)
                guard !mail.isEmpty else { return ids.count }
                let waiting = try #require(try await client.acknowledge(mail.map(\.id)))
                ids.formUnion(mail.map(\.id))
                if waiting == 0 { return ids.count }
            }
            Issue.record("the queue does not become empty")
            return ids.count
        }

        var state: MediatorStatus.MediatorReadiness {
            get async {
                await MediatorMonitor(agent.server, clock: SystemMonotonicClock(), wallTime: Wallet.time).state()
            }
        }

        func restart() async throws {
            await agent.stop()
            agent = try await RunningAgent(in: disk.path)
            client = client.moved(to: agent.address.port)
        }

        func stop() async {
            await agent.stop()
            await service.stop()
        }
    }

    @Test(.shows("A6"), .timeLimit(.minutes(2)))
    func `on a disk filled with mail clients fetch and acknowledge, and mail is accepted again afterwards`()
        async throws
    {
        try await SmallDisk.with(bytes: 2 << 20) { disk in
            let site = try await Site(disk)
            for _ in 0..<2 {
                let count = try await site.fill()
                #expect((8..<40).contains(count), "\(count) messages of 50 kB on a disk of 2 MiB")
                #expect(await site.state == .unready)
                #expect(try await site.drain() == count)
                #expect(try await site.forward() == 202)
                #expect(await site.state == .ready)
                #expect(try await site.drain() == 1)
            }
            await site.stop()
        }
    }

    @Test(.shows("A6"), .timeLimit(.minutes(2)))
    func `on a disk filled by others clients can acknowledge, also after a restart, until there is room`()
        async throws
    {
        try await SmallDisk.with(bytes: 2 << 20) { disk in
            let site = try await Site(disk)
            for _ in 0..<12 { #expect(try await site.forward() == 202) }
            try disk.fill()
            #expect(try await site.forward() == 503)
            #expect(await site.state == .unready)
            let mail = try await site.client.deliver(4)
            #expect(mail.count == 4)
            #expect(try await site.client.acknowledge(mail.map(\.id)) == 8)
            try await site.restart()
            // The acknowledged messages left room within the file.
            let isTaken = try await site.forward() == 202
            #expect(await site.state == (isTaken ? .ready : .unready))
            #expect(try await site.drain() == (isTaken ? 9 : 8))
            try disk.empty()
            #expect(await site.state == .ready)
            #expect(try await site.forward() == 202)
            #expect(try await site.drain() == 1)
            await site.stop()
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `on a full disk the prune command drops old messages, with and without a running agent`() async throws {
        try await SmallDisk.with(bytes: 2 << 20) { disk in
            let site = try await Site(disk)
            for _ in 0..<12 { #expect(try await site.forward() == 202) }
            try disk.fill()
            let path = "\(disk.path)/agent.sqlite"
            let later = WallTime(millisecondsSinceEpoch: .max)
            var command = try await DatabaseStore.sqlite(at: path)
            #expect(try await command.prune(before: later, limit: 5) == 5)
            await command.close()
            #expect(try await site.client.deliver(50).count > 0)
            await site.stop()
            command = try await DatabaseStore.sqlite(at: path)
            #expect(try await command.prune(before: later, limit: 100) == 7)
            #expect(try await command.check() == [])
            await command.close()
        }
    }
}
