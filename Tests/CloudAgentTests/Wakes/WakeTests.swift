import Aries
import AriesConnections
import CloudAgent
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing
import WebTransport

/// Waking clients by posts to a receiver on this machine.
@Suite struct WakeTests {
    /// The server that wake-ups are posted to.
    final class Receiver: Sendable {
        struct Post: Sendable {
            let id: String
            let timestamp: String
            let signature: String
            let body: [UInt8]
        }

        private let server: HTTPServer
        private let taken: Lock<[Post]>
        let url: String

        /// - Parameter statuses: of the answers, the last for all that follow.
        init(_ statuses: [Int] = [204]) async throws {
            let (taken, statuses) = (Lock<[Post]>([]), Lock(statuses))
            self.taken = taken
            var router = HTTPRouter()
            router.on(.post, "/hook") { request in
                taken.withLock { posts in
                    posts.append(
                        Post(
                            id: request.headers["webhook-id"] ?? "",
                            timestamp: request.headers["webhook-timestamp"] ?? "",
                            signature: request.headers["webhook-signature"] ?? "", body: request.body))
                }
                return HTTPResponse(statuses.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] })
            }
            server = HTTPServer(ServerConfiguration(), router: router)
            url = "http://127.0.0.1:\(try await server.start().port)/hook"
        }

        var posts: [Post] { taken.withLock { $0 } }

        func stop() async { await server.stop(within: .zero) }
    }

    private struct Bench {
        let agent: RunningAgent
        let service: WebService
        let receiver: Receiver
        let client: RawClient
        let key: Verkey
        let routing: Verkey

        func mail(_ text: String = "x") async throws {
            let poster = Poster(service: service, port: agent.address.port)
            #expect(try await poster.forward(text, to: key, through: routing) == 202)
        }

        @discardableResult
        func set(_ token: JSONValue, _ webhook: JSONValue) async throws -> Message? {
            try await client.ask(
                "push-notifications-webhook/1.0/set-device-info", ["device_token": token, "webhook": webhook])
        }
    }

    private static func with(
        _ statuses: [Int] = [204], hosts: String? = "127.0.0.1", interval: Duration = .zero, patience: Duration? = nil,
        _ body: (Bench) async throws -> Void
    ) async throws {
        try await TemporaryFolder.with { folder in
            let receiver = try await Receiver(statuses)
            let service = WebService()
            func change(_ configuration: inout CloudAgentConfiguration) {
                guard let hosts = hosts.flatMap({ WebhookRules.WebhookHostList(parsing: $0) }) else { return }
                var made = WebhookRules(hosts: hosts)
                made.allowsInsecure = true
                made.grace = .milliseconds(50)
                made.interval = interval
                made.retryAfter = [.milliseconds(20), .milliseconds(20)]
                if let patience { made.patience = patience }
                configuration.wakes = made
            }
            let agent = try await RunningAgent(in: folder, change: change)
            let client = try await RawClient.connect(agent.invitation, at: agent.address.port, service: service)
            let (routing, key) = (try await client.mediate(), freshKey())
            _ = try await client.change(key)
            let bench = Bench(
                agent: agent, service: service, receiver: receiver, client: client, key: key, routing: routing)
            do { try await body(bench) } catch { Issue.record(error) }
            await agent.stop()
            await service.stop()
            await receiver.stop()
        }
    }

    @Test(.shows("ARI-120", "ARI-121"))
    func `an offline client's webhook is called once for all waiting mail, signed with the client's secret`()
        async throws
    {
        try await Self.with(interval: .seconds(600)) { bench in
            let told = try #require(try await bench.set("my token", .string(bench.receiver.url)))
            #expect(told.type.name == "device-info" && told.object["device_token"]?.string == "my token")
            let secret = try #require(told.object["secret"]?.string)
            for _ in 0..<5 { try await bench.mail() }
            #expect(try await eventually { bench.agent.server.counts.woken == 1 })
            #expect(bench.receiver.posts.count == 1)
            let post = try #require(bench.receiver.posts.first)
            #expect(post.body == Array(#"{"token":"my token"}"#.utf8), "nothing else is told")
            let now = Wallet.time().millisecondsSinceEpoch / 1000
            let key = try #require(WebhookKey(parsing: secret))
            let fields = key.fields(id: post.id, timestamp: now, body: post.body)
            #expect(post.signature == fields.last?.value)
            #expect(post.timestamp == "\(now)")
        }
    }

    @Test func `each webhook wake-up has its own identifier`() async throws {
        try await Self.with { bench in
            try await bench.set("t", .string(bench.receiver.url))
            for count in 1...2 {
                try await bench.mail()
                #expect(try await eventually { bench.agent.server.counts.woken == count })
            }
            #expect(Set(bench.receiver.posts.map(\.id)).count == 2)
        }
    }

    @Test func `a failed webhook wake-up is retried with the same identifier, and finally given up`() async throws {
        try await Self.with([500, 302, 503, 200]) { bench in
            try await bench.set("t", .string(bench.receiver.url))
            try await bench.mail()
            #expect(try await eventually { bench.agent.server.counts.wakeFailures == 3 })
            #expect(Set(bench.receiver.posts.map(\.id)).count == 1 && bench.receiver.posts.count == 3)
            #expect(bench.agent.server.counts.woken == 0)
            try await bench.mail()
            #expect(try await eventually { bench.agent.server.counts.woken == 1 }, "the next message begins anew")
        }
    }

    @Test func `a webhook that answers 410 is removed`() async throws {
        try await Self.with([410]) { bench in
            try await bench.set("t", .string(bench.receiver.url))
            try await bench.mail()
            let get = "push-notifications-webhook/1.0/get-device-info"
            #expect(
                try await eventually {
                    try await bench.client.ask(get)?.object["webhook"] == .null
                })
            #expect(bench.receiver.posts.count == 1)
        }
    }

    @Test func `a live client is not woken until it has been silent for long`() async throws {
        try await Self.with(patience: .milliseconds(400)) { bench in
            try await bench.set("t", .string(bench.receiver.url))
            let line = try await bench.client.liveSocket()
            try await bench.mail()
            for try await _ in line.messages { break }
            let held = bench.receiver.posts.count
            #expect(held == 0, "the line has brought it")
            #expect(try await eventually { bench.agent.server.counts.woken == 1 }, "nothing was acknowledged")
            line.close()
        }
        try await Self.with(patience: .seconds(600)) { bench in
            try await bench.set("t", .string(bench.receiver.url))
            let line = try await bench.client.liveSocket()
            try await bench.mail()
            let messages = RawClient.attachments(
                of: try await bench.client.ask(
                    "messagepickup/2.0/delivery-request", ["limit": 9]))
            #expect(try await bench.client.acknowledge(messages.map(\.id)) == 0)
            line.close()
            #expect(try await eventually { bench.agent.server.counts.live == 0 })
            try await bench.mail()
            #expect(try await eventually { bench.agent.server.counts.woken == 1 }, "it is away now")
            #expect(bench.receiver.posts.count == 1)
        }
    }

    @Test func `a live client that disconnects without an acknowledgement is woken before its silence limit`()
        async throws
    {
        try await Self.with(patience: .seconds(600)) { bench in
            try await bench.set("t", .string(bench.receiver.url))
            let socket = try await bench.client.liveSocket()
            try await bench.mail()
            for try await _ in socket.messages { break }
            #expect(bench.receiver.posts.isEmpty)
            socket.close()
            #expect(try await eventually { bench.agent.server.counts.woken == 1 })
            #expect(bench.receiver.posts.count == 1)
        }
    }

    @Test func `after a wake-up the next one waits for the configured interval`() async throws {
        try await Self.with(interval: .seconds(600)) { bench in
            try await bench.set("t", .string(bench.receiver.url))
            try await bench.mail()
            #expect(try await eventually { bench.agent.server.counts.woken == 1 })
            for _ in 0..<3 { try await bench.mail() }
            try await Task.sleep(for: .milliseconds(500))
            #expect(bench.receiver.posts.count == 1)
        }
    }

    @Test(.shows("ARI-120")) func `a client can read, change and remove its webhook`() async throws {
        try await Self.with { bench in
            let get = "push-notifications-webhook/1.0/get-device-info"
            #expect(try await bench.client.ask(get)?.object["device_token"] == .null)
            let first = try await bench.set("a", .string(bench.receiver.url))
            #expect(try await bench.client.ask(get)?.object["secret"] == first?.object["secret"])
            let second = try await bench.set("b", .string(bench.receiver.url + "?x"))
            #expect(second?.object["secret"] != first?.object["secret"], "each address has a secret of its own")
            #expect(try await bench.set(.null, .null)?.object["webhook"] == .null)
            try await bench.mail()
            try await Task.sleep(for: .milliseconds(300))
            #expect(bench.receiver.posts.isEmpty)
        }
    }

    @Test func `a webhook that is not on the allowed list, or without token or address, is refused`() async throws {
        try await Self.with { bench in
            for (token, webhook, code) in [
                ("t", "http://127.0.0.2/hook", "webhook-not-allowed"), ("t", "wss://127.0.0.1/", "missing-value"),
                ("t", nil, "missing-value"), ("", "http://127.0.0.1/", "missing-value"),
                (
                    String(repeating: "t", count: ClientWebhook.maximumTokenBytes + 1), "http://127.0.0.1/",
                    "missing-value"
                ),
            ] as [(String, String?, String)] {
                let answer = try await bench.set(.string(token), webhook.map { .string($0) } ?? .null)
                #expect(answer.flatMap(ProblemReport.init)?.code == code, "\(webhook ?? "none")")
            }
            let longest = String(repeating: "t", count: ClientWebhook.maximumTokenBytes)
            #expect(try await bench.set(.string(longest), "http://127.0.0.1/")?.type.name == "device-info")
        }
        try await Self.with(hosts: nil) { bench in
            let answer = try await bench.set("t", .string(bench.receiver.url))
            #expect(answer.flatMap(ProblemReport.init)?.code == "not-supported")
        }
    }

    @Test(.shows("ARI-120")) func `our own wallet registers a webhook, reads it back, is woken, and removes it`()
        async throws
    {
        try await Self.with { bench in
            try await TemporaryFolder.with { folder in
                let wallet = try await Wallet("wallet", in: folder)
                try await wallet.use(bench.agent.invitation)
                #expect(try await wallet.agent.wakeState(within: .seconds(60)) == nil)
                let call = try ClientWebhook(token: "mine", webhook: ServiceEndpoint(parsing: bench.receiver.url))
                let state = try await wallet.agent.setWake(call, within: .seconds(60))
                #expect(state?.call == call && state.flatMap { WebhookKey(parsing: $0.secret) } != nil)
                #expect(try await wallet.agent.wakeState(within: .seconds(60)) == state)
                let foreign = try ClientWebhook(token: "x", webhook: ServiceEndpoint(parsing: "http://127.0.0.2/"))
                await #expect(throws: AriesError(.rejected, "")) {
                    try await wallet.agent.setWake(foreign, within: .seconds(60))
                }
                #expect(try await wallet.agent.setWake(nil, within: .seconds(60)) == nil)
                await wallet.stop()
            }
        }
    }

    @Test func `a webhook wake-up that was due when an agent stopped is made by the next agent`() async throws {
        try await TemporaryFolder.with { folder in
            let receiver = try await Receiver()
            let service = WebService()
            func start(_ port: UInt16, grace: Duration) async throws -> RunningAgent {
                func change(_ configuration: inout CloudAgentConfiguration) {
                    configuration.wakes = WebhookRules.WebhookHostList(parsing: "*").map { WebhookRules(hosts: $0) }
                    configuration.wakes?.allowsInsecure = true
                    configuration.wakes?.grace = grace
                }
                return try await RunningAgent(in: folder, port: port, change: change)
            }
            let first = try await start(0, grace: .seconds(600))
            let client = try await RawClient.connect(first.invitation, at: first.address.port, service: service)
            let (routing, key) = (try await client.mediate(), freshKey())
            _ = try await client.change(key)
            _ = try await client.ask(
                "push-notifications-webhook/1.0/set-device-info",
                ["device_token": "t", "webhook": .string(receiver.url)])
            let poster = Poster(service: service, port: first.address.port)
            #expect(try await poster.forward("x", to: key, through: routing) == 202)
            await first.stop()
            #expect(receiver.posts.isEmpty)
            let second = try await start(0, grace: .milliseconds(10))
            #expect(try await eventually { second.server.counts.woken == 1 })
            await second.stop()
            let third = try await start(0, grace: .milliseconds(10))
            try await Task.sleep(for: .milliseconds(300))
            #expect(receiver.posts.count == 1 && third.server.counts.woken == 0, "and not again")
            await third.stop()
            await service.stop()
            await receiver.stop()
        }
    }
}
