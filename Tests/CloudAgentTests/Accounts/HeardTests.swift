import Aries
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing
import WebTransport

@testable import CloudAgent

/// Which messages count as a sign that the client of an account is there.
@Suite struct HeardTests {
    /// An agent with one client, whose time of day the test sets.
    private final class Site {
        let (service, time): (WebService, Lock<WallTime>)
        private(set) var agent: RunningAgent
        private(set) var client: RawClient
        private let folder: String

        init(_ folder: String) async throws {
            let (service, time) = (WebService(), Lock(Wallet.time()))
            (self.service, self.time, self.folder) = (service, time, folder)
            agent = try await RunningAgent(in: folder, time: { time.withLock { $0 } })
            client = try await RawClient.connect(agent.invitation, at: agent.address.port, service: service)
            _ = try await client.mediate()
        }

        static func with(_ body: (Site) async throws -> Void) async throws {
            try await TemporaryFolder.with { folder in
                let site = try await Site(folder)
                do { try await body(site) } catch { Issue.record(error) }
                await site.service.stop()
                await site.agent.stop()
            }
        }

        func restart() async throws {
            await agent.stop()
            let time = time
            agent = try await RunningAgent(in: folder, time: { time.withLock { $0 } })
            client = client.moved(to: agent.address.port)
        }

        /// The time this number of seconds after the account was opened.
        static func after(_ seconds: Int64) -> WallTime {
            WallTime(millisecondsSinceEpoch: Wallet.time().millisecondsSinceEpoch + seconds * 1000)
        }

        func post(_ envelope: [UInt8], at seconds: Int64) async throws {
            time.withLock { $0 = Self.after(seconds) }
            #expect([200, 202].contains(try await client.post(envelope).status))
        }

        func seen() async throws -> WallTime? { try await agent.server.accounts(after: 0, limit: 1).first?.seen }

        /// Returns the time at which the account's client was last heard, in seconds after the account was opened.
        func heard() async throws -> Int64? {
            try await seen().map { ($0.millisecondsSinceEpoch - Wallet.time().millisecondsSinceEpoch) / 1000 }
        }

        func status(sent: String? = nil) throws -> [UInt8] {
            try client.packed(
                "messagepickup/2.0/status-request", sent.map { ["~timing": ["out_time": .string($0)]] } ?? [:])
        }

        func ping() throws -> [UInt8] { try client.packed("trust_ping/1.0/ping") }
    }

    @Test(arguments: [false, true], [false, true])
    func `a replayed captured message does not count as a sign of life of the client`(isPing: Bool, restarts: Bool)
        async throws
    {
        try await Site.with { site in
            let captured = isPing ? try site.ping() : try site.status()
            try await site.post(captured, at: 3600)
            #expect(try await eventually { try await site.heard() == 3600 })
            if restarts { try await site.restart() }
            for _ in 0..<20 { try await site.post(captured, at: 7200) }
            #expect(try await site.heard() == 3600)
            try await site.post(try site.status(), at: 7200)
            #expect(try await eventually { try await site.heard() == 7200 })
        }
    }

    @Test
    func `a replayed captured message that was sent shortly after a counted one does not count as a sign of life`()
        async throws
    {
        try await Site.with { site in
            let captured = try site.status()
            let update = try site.client.packed("coordinate-mediation/1.0/keylist-update", ["updates": .array([])])
            try await site.post(try site.status(), at: 3600)
            #expect(try await eventually { try await site.heard() == 3600 })
            try await site.post(captured, at: 3601)
            try await site.post(update, at: 3602)
            for _ in 0..<10 {
                try await site.post(captured, at: 7200)
                try await site.post(update, at: 7200)
            }
            #expect(try await site.heard() == 3600)
            // A restart forgets what is only in memory, and not what was acted on.
            try await site.restart()
            for _ in 0..<10 { try await site.post(update, at: 7200) }
            #expect(try await site.heard() == 3600)
        }
    }

    @Test func `a message that states its sending time counts as a sign of life at that time, however late it arrives`()
        async throws
    {
        try await Site.with { site in
            func time(_ seconds: Int64) -> String { Site.after(seconds).messageText }
            for _ in 0..<10 { try await site.post(try site.status(sent: time(1800)), at: 3600) }
            #expect(try await eventually { try await site.heard() == 1800 })
            try await site.post(try site.status(sent: time(9000)), at: 3700)
            #expect(try await eventually { try await site.heard() == 3700 }, "not later than it came")
        }
    }

    @Test func `a message of another sender on the client's WebSocket does not count as a sign of life`() async throws {
        try await Site.with { site in
            let captured = try site.status()
            try await site.post(captured, at: 1)
            site.time.withLock { $0 = Site.after(7200) }
            let peer = try #require(HostilePeer(port: site.agent.address.port))
            #expect(await peer.open().hasPrefix("HTTP/1.1 101"))
            await peer.say(SocketFrames.client(captured))
            await peer.say(SocketFrames.client(try site.client.packedWithoutSender("messagepickup/2.0/status-request")))
            // Read in order: its answer comes after the others were looked at.
            await peer.say(SocketFrames.client(captured))
            var bytes: [UInt8] = []
            while SocketFrames.messages(in: bytes).count < 2 {
                let next = await peer.hear(1)
                if next.isEmpty { break }
                bytes += next
            }
            #expect(SocketFrames.messages(in: bytes).count == 2)
            #expect(try await site.heard() == 0)
        }
    }
}
