import Aries
import AriesConnections
import CloudAgentConformance
import DIDComm
import Determinism
import TestSupport
import Testing
import WebAddressing
import WebTransport

@testable import CloudAgent

/// Tests of the time after which unused accounts are ended.
@Suite struct UnusedAccountCleanupTests {
    /// An agent without a listener, in the time of a test.
    private struct Site {
        let clock = HandClock()
        let agent: MediatorService

        init(_ folder: String, accounts: Int = 3, change: (inout CloudAgentConfiguration) throws -> Void = { _ in })
            async throws
        {
            var limits = StoreLimits()
            limits.maximumAccounts = accounts
            var configuration = CloudAgentConfiguration()
            try change(&configuration)
            agent = try MediatorService(
                MediatorContext(
                    configuration, endpoints: try MediatorEndpoints("http://agent.example"),
                    secret: try RunningAgent.secret(), clock: clock, wallTime: { [clock] in Self.time(clock.now()) }),
                store: try await DatabaseStore.sqlite(at: "\(folder)/agent.sqlite", limits: limits),
                transport: WebMessageTransport(WebService()))
        }

        static func time(_ now: MonotonicInstant) -> WallTime {
            WallTime(millisecondsSinceEpoch: 1_760_000_000_000 + Int64(now.nanoseconds / 1_000_000))
        }

        /// Returns true when the agent opens an account for a new client.
        func opens() async throws -> Bool {
            let before = agent.counters.counts.opened
            let line = MediatorClientConnection(HTTPReplyChannel(), from: nil, services: agent.channels)
            let request = try RawClient.request(for: agent.invited.general.current.invitation)
            #expect(await agent.handler.take(request, on: line) == .taken)
            return agent.counters.counts.opened > before
        }

        /// An account that is served, whose client was heard last at its opening.
        func open(_ number: Int) async throws -> Int64 {
            let account = try await agent.store.write(adding: 1) {
                try $0.accounts.open(
                    [UInt8(number)], keys: [StoreSamples.routing(number)], at: agent.messageClock.stamp())
            }
            try await agent.store.write { try $0.accounts.update(account, body: nil, isServed: true, seen: nil) }
            return account
        }

        func hear(_ account: Int64) async throws {
            try await agent.store.write {
                try $0.accounts.update(account, body: nil, isServed: nil, seen: agent.context.wallTime())
            }
        }

        func numbers() async throws -> [Int64] {
            try await agent.store.read { try $0.accounts.list(after: 0, limit: 99) }.map(\.number)
        }

        func stop() async {
            await agent.leave()
            await agent.store.close()
        }
    }

    @Test(.shows("A7"))
    func `accounts that never requested mediation make room for new ones after an hour, and not before`() async throws {
        try await TemporaryFolder.with { folder in
            let site = try await Site(folder)
            for _ in 0..<3 { #expect(try await site.opens()) }
            site.clock.advance(by: .seconds(3600))
            #expect(try await !site.opens())
            #expect(site.agent.counters.counts.turnedAway == 1 && site.agent.counters.counts.ended == 0)
            site.clock.advance(by: UnusedAccountCleanup.pause)
            #expect(try await site.opens())
            #expect(site.agent.counters.counts.ended == 3)
            #expect(try await site.numbers() == [4])
            await site.stop()
        }
    }

    @Test(.shows("A7"))
    func `served accounts whose clients never came back make room for new ones after a day, and used ones stay`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let site = try await Site(folder)
            let used = try await site.open(1)
            let unused = try await site.open(2)
            site.clock.advance(by: .seconds(3600))
            try await site.hear(unused)
            site.clock.advance(by: .milliseconds(1))
            try await site.hear(used)
            site.clock.advance(by: .seconds(86_400 - 1))
            let young = try await site.open(3)
            #expect(try await !site.opens())
            site.clock.advance(by: UnusedAccountCleanup.pause)
            #expect(try await site.opens())
            let numbers = try await site.numbers()
            #expect(numbers.count == 3 && numbers.contains(used) && numbers.contains(young), "\(numbers)")
            #expect(site.agent.counters.counts.ended == 1)
            await site.stop()
        }
    }

    @Test func `after a clean-up that found no unused account, none is tried again within a minute`() async throws {
        try await TemporaryFolder.with { folder in
            let site = try await Site(folder)
            for number in 1...3 { _ = try await site.open(number) }
            site.clock.advance(by: .seconds(86_399))
            #expect(try await !site.opens())
            site.clock.advance(by: UnusedAccountCleanup.pause - .milliseconds(1))
            #expect(try await !site.opens(), "they are old enough, and were just looked for")
            site.clock.advance(by: .milliseconds(1))
            #expect(try await site.opens())
            await site.stop()
        }
    }

    @Test func `with an allow list no account is removed to make room for another`() async throws {
        try await TemporaryFolder.with { folder in
            let site = try await Site(folder, accounts: 1) { configuration in
                configuration.allowList = try AllowList(parsing: Array("anna\n".utf8))
            }
            let account = try await site.open(1)
            site.clock.advance(by: .seconds(100_000))
            let invitation = try #require(site.agent.invited.entry(named: "anna")).invitations.current.invitation
            let line = MediatorClientConnection(HTTPReplyChannel(), from: nil, services: site.agent.channels)
            #expect(await site.agent.handler.take(try RawClient.request(for: invitation), on: line) == .taken)
            #expect(try await site.numbers() == [account])
            await site.stop()
        }
    }

    @Test func `idle accounts are removed after the configured time, counted at the earliest from the first check`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let month = Duration.seconds(30 * 86_400)
            let site = try await Site(folder) { $0.accountIdle = month }
            let (old, heard) = (try await site.open(1), try await site.open(2))
            site.clock.advance(by: month * 2)
            try await site.agent.unused.endSilent()
            #expect(try await site.numbers() == [old, heard], "the upgrade was only now")
            site.clock.advance(by: .seconds(86_400))
            try await site.hear(heard)
            site.clock.advance(by: month - .seconds(86_400) - .milliseconds(1))
            try await site.agent.unused.endSilent()
            #expect(try await site.numbers() == [old, heard])
            site.clock.advance(by: .milliseconds(1))
            try await site.agent.unused.endSilent()
            #expect(try await site.numbers() == [heard])
            #expect(site.agent.counters.counts.ended == 1)
            await site.stop()
        }
    }

    @Test func `without an idle limit no account is removed by age, and the time of the first check is kept`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let site = try await Site(folder)
            let account = try await site.open(1)
            try await site.agent.unused.endSilent()
            site.clock.advance(by: .seconds(1_000_000_000))
            try await site.agent.unused.endSilent()
            #expect(try await site.numbers() == [account])
            #expect(try await site.agent.store.read { try $0.settings.value("idle-since") }?.count == 8)
            await site.stop()
        }
    }

    /// A WebSocket of a client that takes everything, and says nothing.
    private final class OpenSocket: ReplyChannel {
        var channel: IncomingChannel { .persistent }
        var isClosed: Bool { false }
        func send(_ envelope: [UInt8]) async -> Bool { true }
        func handOver(_ envelope: [UInt8]) async -> Bool { true }
        func close(_ code: WebSocketCloseCode, _ reason: String) {}
    }

    @Test func `an account with a live client is removed neither as idle nor to make room, and later it may be`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let store = try await DatabaseStore.sqlite(at: "\(folder)/agent.sqlite")
            let (agent, service, clock) = (try await RunningAgent(in: folder, store: store), WebService(), HandClock())
            let client = try await RawClient.connect(agent.invitation, at: agent.address.port, service: service)
            _ = try await client.mediate()
            let entry = try #require(try await store.read { try $0.accounts.list(after: 0, limit: 1) }.first)
            var configuration = CloudAgentConfiguration()
            configuration.accountIdle = .seconds(86_400)
            // A second agent on the store, in the time of the test.
            let second = try MediatorService(
                MediatorContext(
                    configuration, endpoints: MediatorEndpoints("http://agent.example"), secret: RunningAgent.secret(),
                    clock: clock,
                    wallTime: {
                        let passed = Int64(clock.now().nanoseconds / 1_000_000)
                        return WallTime(millisecondsSinceEpoch: Wallet.time().millisecondsSinceEpoch + passed)
                    }),
                store: store, transport: WebMessageTransport(service))
            let body = try AccountRecord(entry.body, by: second.context.secret)
            let channel = AccountChannel(
                entry, record: body, connection: try #require(body.connection), services: second.channels,
                reply: OpenSocket())
            let unused = second.unused
            try await unused.endSilent()
            let other = try await store.write(adding: 1) {
                try $0.accounts.open([1], keys: [StoreSamples.routing(1)], at: second.messageClock.stamp())
            }
            try await store.write { try $0.accounts.update(other, body: nil, isServed: true, seen: nil) }
            second.live.add(channel, for: entry.number)
            clock.advance(by: .seconds(86_401))
            try await unused.endSilent()
            #expect(try await store.read { try $0.accounts.list(after: 0, limit: 9) }.map(\.number) == [entry.number])
            clock.advance(by: UnusedAccountCleanup.silentAge)
            #expect(await !unused.makeRoom())
            #expect(try await store.read { try $0.accounts.account(entry.number) } != nil)
            #expect(second.live.remove(channel, for: entry.number))
            try await unused.endSilent()
            #expect(try await store.read { try $0.accounts.account(entry.number) } == nil)
            await second.leave()
            await service.stop()
            await agent.stop()
        }
    }

    @Test func `a client whose own server accepts its mail does not count as idle`() async throws {
        try await TemporaryFolder.with { folder in
            let time = Lock(Wallet.time())
            let agent = try await RunningAgent(in: folder, time: { time.withLock { $0 } })
            let (service, taken) = (WebService(), Lock(0))
            let inbox = HTTPServer { _ in
                taken.withLock { $0 += 1 }
                return HTTPResponse(202)
            }
            let place = try await inbox.start()
            let client = try await RawClient.connect(
                agent.invitation, at: agent.address.port, service: service,
                endpoint: try ServiceEndpoint(parsing: "http://127.0.0.1:\(place.port)/in"))
            let (routing, key) = (try await client.mediate(), freshKey())
            _ = try await client.change(key)
            let later = WallTime(millisecondsSinceEpoch: Wallet.time().millisecondsSinceEpoch + 3_600_000)
            time.withLock { $0 = later }
            let poster = Poster(service: service, port: agent.address.port)
            #expect(try await poster.forward("a", to: key, through: routing) == 202)
            #expect(
                try await eventually {
                    try await agent.server.accounts(after: 0, limit: 1).first?.seen == later
                })
            #expect(taken.withLock { $0 } == 1)
            await inbox.stop(within: .zero)
            await service.stop()
            await agent.stop()
        }
    }
}
