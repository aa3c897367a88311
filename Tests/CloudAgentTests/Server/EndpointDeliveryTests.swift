import Aries
import AriesConnections
import CryptoSuite
import DIDComm
import Determinism
import JSON
import Testing
import WebAddressing
import WebTransport

@testable import CloudAgent

/// Mail for clients that have an address of their own.
@Suite struct EndpointDeliveryTests {
    /// The address of a client, which answers 503 while it is not `isOpen`, and 400 to texts that it dislikes.
    private final class Inbox: Sendable {
        let isOpen: Lock<Bool>
        private let status: Int
        private let taken = Lock<[String]>([])
        private let refused = Lock(0)
        private let tried = Lock<[String]>([])
        /// The substring that makes the client refuse a text; nil for none.
        let disliked = Lock<String?>(nil)
        private let server: Lock<HTTPServer?> = Lock(nil)

        init(isOpen: Bool, status: Int = 400) {
            self.isOpen = Lock(isOpen)
            self.status = status
        }

        var texts: [String] { taken.withLock { $0 } }
        func attempts(_ text: String) -> Int { tried.withLock { $0.count { $0 == "{\"text\":\"\(text)\"}" } } }
        func has(_ texts: String...) -> Bool { self.texts == texts.map { "{\"text\":\"\($0)\"}" } }
        var refusals: Int { refused.withLock { $0 } }

        func start() async throws -> ServiceEndpoint {
            let server = HTTPServer { [self] request in
                guard isOpen.withLock({ $0 }) else {
                    refused.withLock { $0 += 1 }
                    return HTTPResponse(503)
                }
                let text = String(decoding: request.body, as: UTF8.self)
                tried.withLock { $0.append(text) }
                if let word = disliked.withLock({ $0 }), text.contains(word) { return HTTPResponse(status) }
                taken.withLock { $0.append(text) }
                return HTTPResponse(202)
            }
            self.server.withLock { $0 = server }
            return try ServiceEndpoint(parsing: "http://127.0.0.1:\(try await server.start().port)/in")
        }

        func stop() async { await server.withLock { $0 }?.stop(within: .zero) }
    }

    private struct Bench {
        let agent: RunningAgent
        let inbox: Inbox
        let client: RawClient
        let routing: Verkey
        let key = freshKey()
        let poster: Poster

        /// An agent with one client, whose address is `inbox`.
        static func with(
            isOpen: Bool = true, status: Int = 400, redeliverAfter: [Duration] = [.milliseconds(20)],
            refusedRetryAfter: Duration = .seconds(86_400), _ body: (Bench) async throws -> Void
        ) async throws {
            try await TemporaryFolder.with { folder in
                let agent = try await RunningAgent(
                    in: folder,
                    change: { ($0.redeliverAfter, $0.refusedRetryAfter) = (redeliverAfter, refusedRetryAfter) })
                let (service, inbox) = (WebService(), Inbox(isOpen: isOpen, status: status))
                let place = try await inbox.start()
                let client = try await RawClient.connect(
                    agent.invitation, at: agent.address.port, service: service, endpoint: place)
                let bench = Bench(
                    agent: agent, inbox: inbox, client: client, routing: try await client.mediate(),
                    poster: Poster(service: service, port: agent.address.port))
                #expect(try await client.change(bench.key) == "success")
                try await body(bench)
                await service.stop()
                await agent.stop()
                await inbox.stop()
            }
        }

        func forward(_ numbers: Range<Int>) async throws {
            for number in numbers { #expect(try await poster.forward("\(number)", to: key, through: routing) == 202) }
        }

        func forward(_ texts: String...) async throws {
            for text in texts { #expect(try await poster.forward(text, to: key, through: routing) == 202) }
        }

        func isBrought(_ numbers: Range<Int>) async throws -> Bool {
            let wanted = numbers.map { "{\"text\":\"\($0)\"}" }
            return try await eventually { inbox.texts == wanted }
        }

        func isEmpty() async throws -> Bool {
            try await eventually { try await agent.server.totals().messages == 0 }
        }
    }

    @Test func `mail for a client with an address is posted there in order, and again until it is accepted`()
        async throws
    {
        try await Bench.with(isOpen: false, redeliverAfter: [.milliseconds(20)]) { bench in
            try await bench.forward(0..<30)
            #expect(try await eventually { bench.inbox.refusals >= 2 })
            bench.inbox.isOpen.withLock { $0 = true }
            #expect(try await bench.isBrought(0..<30))
            #expect(try await bench.isEmpty())
        }
    }

    @Test func `a client that was offline gets its mail delivered at once when it sends something`() async throws {
        try await Bench.with(isOpen: false, redeliverAfter: [.milliseconds(20), .seconds(86_400)]) { bench in
            try await bench.forward(0..<3)
            #expect(try await eventually { bench.inbox.refusals == 2 })
            // The next attempt is a day away, unless something says otherwise.
            try await Task.sleep(for: .milliseconds(200))
            #expect(bench.inbox.refusals == 2)
            bench.inbox.isOpen.withLock { $0 = true }
            // Only the client's own message starts the delivery.
            _ = try await bench.client.ask("trust_ping/1.0/ping")
            #expect(try await bench.isBrought(0..<3))
            #expect(try await bench.isEmpty())
        }
    }

    @Test func `mail that waits when the store fails at the start is posted after the next maintenance`() async throws {
        try await TemporaryFolder.with { folder in
            let (service, inbox) = (WebService(), Inbox(isOpen: false))
            let place = try await inbox.start()
            let first = try await RunningAgent(in: folder, change: { $0.redeliverAfter = [.seconds(86_400)] })
            let client = try await RawClient.connect(
                first.invitation, at: first.address.port, service: service, endpoint: place)
            let (key, routing) = (freshKey(), try await client.mediate())
            #expect(try await client.change(key) == "success")
            let poster = Poster(service: service, port: first.address.port)
            #expect(try await poster.forward("0", to: key, through: routing) == 202)
            #expect(try await eventually { inbox.refusals == 1 })
            await first.stop()

            inbox.isOpen.withLock { $0 = true }
            let faults = BreakableStore()
            faults.failNext(
                "SELECT number, created, seen, served, body FROM accounts WHERE number >",
                CloudAgentError(.unavailable, "The disk does not answer."))
            let second = try await RunningAgent(
                in: folder, store: try await faults.open(in: folder),
                change: { $0.maintenanceInterval = .milliseconds(100) })
            #expect(try await eventually { inbox.has("0") })
            #expect(!faults.isFailureLeft)
            await second.stop()
            await inbox.stop()
            await service.stop()
        }
    }

    @Test func `mail that a client did not fetch on its WebSocket is posted to its address when the WebSocket closes`()
        async throws
    {
        try await Bench.with(isOpen: true, redeliverAfter: [.seconds(86_400)]) { bench in
            let line = try await bench.client.liveSocket()
            try await bench.forward(0..<3)
            #expect(try await bench.agent.server.totals().messages == 3 && bench.inbox.texts.isEmpty)
            line.close()
            #expect(try await bench.isBrought(0..<3))
            #expect(try await bench.isEmpty())
        }
    }

    @Test func `mail that a client's server refuses is tried three times and set aside, and later mail goes on`()
        async throws
    {
        try await Bench.with { bench in
            bench.inbox.disliked.withLock { $0 = "bad" }
            try await bench.forward("bad 1", "a", "bad 2", "b")
            #expect(try await eventually { bench.inbox.has("a", "b") })
            #expect(bench.inbox.attempts("bad 1") == 3 && bench.inbox.attempts("bad 2") == 3)
            try await bench.forward("c")
            #expect(try await eventually { bench.inbox.has("a", "b", "c") }, "what comes later need not wait")
            #expect(try await eventually { try await bench.agent.server.totals().messages == 2 })
            #expect(bench.inbox.attempts("bad 1") == 3, "what is set aside is left alone")
            #expect(bench.agent.server.counts.setAside == 2)
            let waiting = try await bench.client.ask("messagepickup/2.0/status-request")
            #expect(waiting?.object["message_count"] == 2, "it waits for pickup")
        }
    }

    @Test func `mail that was set aside is posted once more later, and is then removed when accepted`() async throws {
        try await Bench.with(refusedRetryAfter: .milliseconds(300)) { bench in
            bench.inbox.disliked.withLock { $0 = "bad" }
            try await bench.forward("bad", "a")
            #expect(try await eventually { bench.inbox.has("a") && bench.inbox.attempts("bad") >= 5 })
            bench.inbox.disliked.withLock { $0 = nil }
            #expect(try await eventually { bench.inbox.has("a", "bad") })
            #expect(try await bench.isEmpty())
            #expect(bench.agent.server.counts.setAside == 1)
        }
    }

    @Test(arguments: [408, 425, 429, 500, 503]) func `a server that is busy or broken causes no mail to be set aside`(
        status: Int
    ) async throws {
        try await Bench.with(status: status) { bench in
            bench.inbox.disliked.withLock { $0 = "first" }
            try await bench.forward("first", "second")
            #expect(try await eventually { bench.inbox.attempts("first") > DeliverySchedule.maximumRefusals + 1 })
            #expect(bench.inbox.attempts("second") == 0)
            bench.inbox.disliked.withLock { $0 = nil }
            #expect(try await eventually { bench.inbox.has("first", "second") })
        }
    }

    @Test func `mail for an address that leads back to the agent is not posted and waits for pickup`() async throws {
        try await Bench.with { bench in
            let own = try ServiceEndpoint(parsing: "http://127.0.0.1:\(bench.agent.address.port)")
            let client = try await RawClient.connect(
                bench.agent.invitation, at: bench.agent.address.port, service: bench.poster.service, endpoint: own)
            let (routing, key) = (try await client.mediate(), freshKey())
            #expect(try await client.change(key) == "success")
            #expect(try await bench.poster.forward("round", to: key, through: routing) == 202)
            try await bench.forward("after")
            #expect(try await eventually { bench.inbox.has("after") })
            let waiting = try await client.ask("messagepickup/2.0/status-request")
            #expect(waiting?.object["message_count"] == 1)
            // The inbox has it before the agent has heard that.
            #expect(try await eventually { bench.agent.server.counts.handedOut >= 1 })
            #expect(bench.agent.server.counts.handedOut == 1, "nothing but the other's mail was brought")
        }
    }

    @Test func `an address leads back to the agent when it is its own, or is reached through a key of the agent`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let store = try await DatabaseStore.sqlite(at: "\(folder)/agent.sqlite")
            let (service, secret) = (WebService(), try RunningAgent.secret())
            let agent = try MediatorService(
                MediatorContext(
                    CloudAgentConfiguration(), endpoints: MediatorEndpoints("https://agent.example/a"), secret: secret,
                    clock: SystemMonotonicClock(), wallTime: Wallet.time),
                store: store, transport: WebMessageTransport(service, policy: .allowPrivate))
            var random = SystemRandom()
            let own = AgentKey.make(from: &random)
            try await store.write(adding: 0) { try $0.ownKeys.add([KeyCache.stored(own, .routing, by: secret)]) }
            func isElsewhere(_ endpoint: String, _ routing: Verkey...) async throws -> Bool {
                try await agent.delivery.isElsewhere(
                    PeerService(
                        recipientKeys: [freshKey()], routingKeys: routing,
                        endpoint: try ServiceEndpoint(parsing: endpoint)))
            }
            #expect(try await isElsewhere("https://agent.example/b", freshKey()))
            #expect(try await !isElsewhere("https://agent.example/b", freshKey(), own.verkey))
            #expect(try await !isElsewhere("wss://agent.example/a"))
            #expect(try await !isElsewhere("https://agent.example/a"))
            #expect(try await !isElsewhere(ServiceEndpoint.queue.text))
            await store.close()
            await service.stop()
        }
    }

    @Test func `a message that a client's server sends back is not posted there a second time`() async throws {
        let (way, visits) = (Lock<(poster: Poster, key: Verkey, routing: Verkey)?>(nil), Lock(0))
        // A mediator that is our client, and has us for its own: it sends everything back.
        let other = HTTPServer { request in
            visits.withLock { $0 += 1 }
            guard let way = way.withLock({ $0 }),
                let back = try? Poster.forward(request.body, to: way.key, through: way.routing)
            else { return HTTPResponse(500) }
            return HTTPResponse((try? await way.poster.post(back).status) ?? 500)
        }
        let place = try ServiceEndpoint(parsing: "http://127.0.0.1:\(try await other.start().port)/in")
        try await Bench.with { bench in
            let client = try await RawClient.connect(
                bench.agent.invitation, at: bench.agent.address.port, service: bench.poster.service, endpoint: place)
            let (routing, key) = (try await client.mediate(), freshKey())
            _ = try await client.change(key)
            way.withLock { $0 = (bench.poster, key, routing) }
            let ignored = bench.agent.server.counts.ignored
            #expect(try await bench.poster.forward("round", to: key, through: routing) == 202)
            #expect(try await eventually { bench.agent.server.counts.ignored > ignored })
            #expect(try await eventually { try await bench.agent.server.totals().messages == 0 })
            #expect(visits.withLock { $0 } == 1)
        }
        await other.stop(within: .zero)
    }

    @Test func `a bounded set of recent messages keeps at least half of its capacity, and never more than all`() {
        var marks = RecentSet(capacity: 4)
        for number in UInt8(1)...5 { marks.insert([number]) }
        #expect((UInt8(1)...5).map { marks.contains([$0]) } == [false, false, true, true, true])
    }
}
