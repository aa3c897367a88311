#if PostgreSQL
    import Aries
    import CloudAgent
    import DIDComm
    import Determinism
    import JSON
    import TestSupport
    import Testing
    import WebTransport

    /// Agents that share one database.
    @Suite(.enabled(if: PostgresServer.isInstalled, "skipped: PostgreSQL 15 is not installed"))
    struct InstancesTests {
        /// The texts of the next messages on a live WebSocket, acknowledged.
        private static func next(
            _ count: Int, on line: WebSocketConnection, of client: RawClient
        ) async throws -> [String] {
            var texts: [String] = []
            for try await case .text(let bytes) in line.messages {
                let messages = RawClient.attachments(of: try client.opened(bytes))
                for message in messages {
                    texts.append(try JSONValue(parsing: message.envelope)["text"]?.string ?? "")
                }
                if !messages.isEmpty {
                    let answer = try client.packed(
                        "messagepickup/2.0/messages-received", ["message_id_list": .strings(messages.map(\.id))])
                    try await line.send(.text(answer))
                }
                if texts.count >= count { break }
            }
            return texts
        }

        @Test(.timeLimit(.minutes(5)))
        func `mail accepted by one instance reaches a WebSocket at another, and a dead instance leaves nothing behind`()
            async throws
        {
            try await PostgresServer.with { server in
                try await TemporaryFolder.with { folder in
                    let (_, address) = try server.database()
                    func start() async throws -> RunningAgent {
                        let store = try await DatabaseStore.postgres(at: address)
                        return try await RunningAgent(
                            in: folder, store: store, change: { $0.publicAddress = "http://agent.example" })
                    }
                    let (first, second) = (try await start(), try await start())
                    #expect(first.invitation == second.invitation)
                    let service = WebService()
                    let client = try await RawClient.connect(first.invitation, at: first.address.port, service: service)
                    let (routing, key) = (try await client.mediate(), freshKey())
                    #expect(try await client.change(key) == "success")
                    let there = client.moved(to: second.address.port)
                    let line = try await there.liveSocket()
                    let poster = Poster(service: service, port: first.address.port)
                    for number in 0..<5 {
                        #expect(try await poster.forward("\(number)", to: key, through: routing) == 202)
                    }
                    #expect(try await Self.next(5, on: line, of: there) == (0..<5).map { "\($0)" })
                    #expect(try await eventually { try await first.server.totals().messages == 0 })
                    // A message that came through the instance that is gone waits at the other.
                    line.close()
                    #expect(try await eventually { second.server.counts.live == 0 })
                    #expect(try await poster.forward("last", to: key, through: routing) == 202)
                    await first.stop()
                    let again = try await there.deliver()
                    #expect(again.map { String(decoding: $0.envelope, as: UTF8.self) } == ["{\"text\":\"last\"}"])
                    #expect(try await there.acknowledge(again.map(\.id)) == 0)
                    await service.stop()
                    await second.stop()
                }
            }
        }

        /// Two agents on one database, and a client of the first with a key.
        private static func two(
            endpoint: ServiceEndpoint = .queue, wakes: WebhookRules? = nil,
            _ body: (RunningAgent, RunningAgent, RawClient, Verkey, Verkey, WebService) async throws -> Void
        ) async throws {
            try await PostgresServer.with { server in
                try await TemporaryFolder.with { folder in
                    let (_, address) = try server.database()
                    func adapt(_ configuration: inout CloudAgentConfiguration) {
                        configuration.publicAddress = "http://agent.example"
                        configuration.wakes = wakes
                    }
                    func start() async throws -> RunningAgent {
                        let store = try await DatabaseStore.postgres(at: address)
                        return try await RunningAgent(in: folder, store: store, change: adapt)
                    }
                    let (first, second) = (try await start(), try await start())
                    let service = WebService()
                    let client = try await RawClient.connect(
                        first.invitation, at: first.address.port, service: service, endpoint: endpoint)
                    let (routing, key) = (try await client.mediate(), freshKey())
                    #expect(try await client.change(key) == "success")
                    do {
                        try await body(first, second, client, key, routing, service)
                    } catch {
                        Issue.record(error)
                    }
                    await service.stop()
                    await first.stop()
                    await second.stop()
                }
            }
        }

        @Test(.timeLimit(.minutes(5)))
        func `of a client's two WebSockets the newest counts at any instance, and its mail causes no wake-up`()
            async throws
        {
            var wakes = WebhookRules(hosts: try #require(WebhookRules.WebhookHostList(parsing: "*")))
            wakes.allowsInsecure = true
            wakes.grace = .milliseconds(10)
            let receiver = try await WakeTests.Receiver()
            try await Self.two(wakes: wakes) { first, second, client, key, routing, service in
                _ = try await client.ask(
                    "push-notifications-webhook/1.0/set-device-info",
                    ["device_token": "t", "webhook": .string(receiver.url)])
                let there = client.moved(to: second.address.port)
                let older = try await client.liveSocket()
                let newer = try await there.liveSocket()
                for try await _ in older.messages {}
                await #expect {
                    try await older.send(.text("{}"))
                } throws: {
                    ($0 as? WebError)?.wireCode == 4001
                }
                let again = try await client.liveSocket()
                for try await _ in newer.messages {}
                #expect(try await eventually { second.server.counts.live == 0 && first.server.counts.live == 1 })
                let poster = Poster(service: service, port: second.address.port)
                #expect(try await poster.forward("a", to: key, through: routing) == 202)
                #expect(try await Self.next(1, on: again, of: client) == ["a"])
                #expect(try await eventually { try await first.server.totals().messages == 0 })
                again.close()
                #expect(try await eventually { first.server.counts.live == 0 })
                #expect(receiver.posts.isEmpty)
                #expect(try await poster.forward("b", to: key, through: routing) == 202)
                #expect(try await eventually { first.server.counts.woken + second.server.counts.woken == 1 })
                try await Task.sleep(for: .milliseconds(200))
                #expect(receiver.posts.count == 1, "one of them wakes")
            }
            await receiver.stop()
        }

        @Test(.shows("CHK-138", "A1"), .timeLimit(.minutes(5)))
        func `a client's message that one instance acted on changes nothing when repeated at another`() async throws {
            try await Self.two { first, second, client, key, routing, service in
                let there = client.moved(to: second.address.port)
                let body: JSONObject = ["updates": [["recipient_key": .string(key.didKey), "action": "remove"]]]
                let removal = try client.packed("coordinate-mediation/1.0/keylist-update", body)
                let removed = try client.opened(try await client.post(removal).body)
                #expect(try await there.change(key) == "success")
                let again = try client.opened(try await there.post(removal).body)
                #expect(again.object == removed.object, "the answer is that of the first time")
                let poster = Poster(service: service, port: first.address.port)
                #expect(try await poster.forward("a", to: key, through: routing) == 202)
                #expect(try await first.server.totals().messages == 1, "the key is still there")
                // The same message many times at once, at both.
                let other = freshKey()
                let addition = try client.packed(
                    "coordinate-mediation/1.0/keylist-update",
                    ["updates": [["recipient_key": .string(other.didKey), "action": "add"]]])
                let answers = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                    for number in 0..<16 {
                        let port = number % 2 == 0 ? first.address.port : second.address.port
                        let poster = Poster(service: service, port: port)
                        group.addTask { try await poster.post(addition).body }
                    }
                    return try await group.reduce(into: [[UInt8]]()) { $0.append($1) }
                }
                let told = try answers.map { try client.opened($0).object }
                #expect(Set(told).count == 1 && told.count == 16)
                #expect(told.first?["updated"]?.array?.first?["result"] == "success")
            }
        }

        @Test(.timeLimit(.minutes(5)))
        func `each message causes one wake-up although all instances learn of it at once`() async throws {
            var wakes = WebhookRules(hosts: try #require(WebhookRules.WebhookHostList(parsing: "*")))
            wakes.allowsInsecure = true
            (wakes.grace, wakes.interval) = (.milliseconds(10), .zero)
            let receiver = try await WakeTests.Receiver()
            try await Self.two(wakes: wakes) { first, second, client, key, routing, service in
                _ = try await client.ask(
                    "push-notifications-webhook/1.0/set-device-info",
                    ["device_token": "t", "webhook": .string(receiver.url)])
                let poster = Poster(service: service, port: second.address.port)
                for round in 1...30 {
                    #expect(try await poster.forward("\(round)", to: key, through: routing) == 202)
                    #expect(try await eventually { first.server.counts.woken + second.server.counts.woken >= round })
                    try await Task.sleep(for: .milliseconds(30))
                }
                #expect(receiver.posts.count == 30)
            }
            await receiver.stop()
        }

        @Test(.timeLimit(.minutes(5)))
        func `two instances post mail for a client's address once, in order`() async throws {
            let taken = Lock<[String]>([])
            let inbox = HTTPServer { request in
                taken.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
                return HTTPResponse(202)
            }
            let place = try await inbox.start()
            let endpoint = try ServiceEndpoint(parsing: "http://127.0.0.1:\(place.port)/in")
            try await Self.two(endpoint: endpoint) { first, second, _, key, routing, service in
                for number in 0..<60 {
                    let port = number % 2 == 0 ? first.address.port : second.address.port
                    let poster = Poster(service: service, port: port)
                    let status = try await poster.forward("\(number)", to: key, through: routing)
                    #expect(status == 202)
                }
                let isEmpty = try await eventually { try await first.server.totals().messages == 0 }
                #expect(isEmpty)
                let wanted = (0..<60).map { "{\"text\":\"\($0)\"}" }
                #expect(taken.withLock { $0 } == wanted)
            }
            await inbox.stop(within: .zero)
        }
    }
#endif
