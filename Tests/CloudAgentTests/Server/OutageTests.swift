#if PostgreSQL
    import Aries
    import DIDComm
    import Determinism
    import PostgresEngine
    import JSON
    import Testing
    import WebTransport

    @testable import CloudAgent

    /// Agents whose shared database, or its words, are gone for a while.
    @Suite(.enabled(if: PostgresServer.isInstalled, "skipped: PostgreSQL 15 is not installed"))
    struct OutageTests {
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

        /// Agents that share a server, which is stopped and started anew.
        private static func withTwo(
            _ body: (PostgresServer, _ start: () async throws -> RunningAgent) async throws -> Void
        ) async throws {
            try await PostgresServer.with { server in
                try await TemporaryFolder.with { folder in
                    let (_, address) = try server.database()
                    try await body(server) {
                        let store = try await DatabaseStore.postgres(at: address)
                        return try await RunningAgent(
                            in: folder, store: store, change: { $0.publicAddress = "http://agent.example" })
                    }
                }
            }
        }

        @Test(.timeLimit(.minutes(5)))
        func `two instances are unready while their database server is down, and ready again after its restart`()
            async throws
        {
            try await Self.withTwo { server, start in
                let agents = [try await start(), try await start()]
                let monitors = agents.map {
                    MediatorMonitor($0.server, clock: SystemMonotonicClock(), wallTime: Wallet.time)
                }
                let service = WebService()
                let posters = agents.map { Poster(service: service, port: $0.address.port) }
                let client = try await RawClient.connect(
                    agents[0].invitation, at: agents[0].address.port, service: service)
                let (routing, key) = (try await client.mediate(), freshKey())
                #expect(try await client.change(key) == "success")
                let there = client.moved(to: agents[1].address.port)
                let line = try await there.liveSocket()
                #expect(try await posters[0].forward("before", to: key, through: routing) == 202)
                #expect(try await Self.next(1, on: line, of: there) == ["before"])
                // An acknowledgement that fails would keep the next delivery back for the time of a redelivery.
                #expect(try await eventually { try await there.acknowledge([]) == 0 })
                server.kill()
                for (poster, monitor) in zip(posters, monitors) {
                    #expect(try await poster.forward("lost", to: key, through: routing) == 503)
                    #expect(await monitor.state() == .unready)
                }
                try await server.start()
                for (poster, monitor) in zip(posters, monitors) {
                    #expect(try await eventually { await monitor.state() == .ready })
                    // An instance that is ready takes the first message.
                    #expect(try await poster.forward("after", to: key, through: routing) == 202)
                }
                // The WebSocket was open all the time.
                #expect(try await Self.next(2, on: line, of: there) == ["after", "after"])
                line.close()
                await service.stop()
                for agent in agents { await agent.stop() }
            }
        }

        @Test(.timeLimit(.minutes(5)))
        func `after a fail-over that loses messages a live client gets new ones on its open WebSocket`()
            async throws
        {
            try await PostgresServer.with { server in
                try await TemporaryFolder.with { folder in
                    let (name, address) = try server.database()
                    let store = try await DatabaseStore.postgres(at: address)
                    let agent = try await RunningAgent(in: folder, store: store)
                    let service = WebService()
                    let client = try await RawClient.connect(agent.invitation, at: agent.address.port, service: service)
                    let (routing, key) = (try await client.mediate(), freshKey())
                    _ = try await client.change(key)
                    let line = try await client.liveSocket()
                    let poster = Poster(service: service, port: agent.address.port)
                    for number in 1...5 {
                        #expect(try await poster.forward("old \(number)", to: key, through: routing) == 202)
                    }
                    #expect(try await Self.next(5, on: line, of: client) == (1...5).map { "old \($0)" })
                    // The state of a standby that had got none of the five.
                    #expect(
                        server.run(
                            "SELECT pg_advisory_xact_lock(\(PostgresSchema.lock)); "
                                + "DELETE FROM symbolon_agent.messages; UPDATE symbolon_agent.accounts SET position = 0, "
                                + "count = 0, bytes = 0; UPDATE symbolon_agent.client_keys SET position = 0, count = 0, "
                                + "bytes = 0; UPDATE symbolon_agent.store_steps SET number = number - 5", in: name))
                    for number in 1...3 {
                        #expect(try await poster.forward("new \(number)", to: key, through: routing) == 202)
                    }
                    #expect(try await Self.next(3, on: line, of: client) == (1...3).map { "new \($0)" })
                    #expect(agent.server.counts.storeReturns == 1)
                    line.close()
                    await service.stop()
                    await agent.stop()
                }
            }
        }

        @Test(.timeLimit(.minutes(5)))
        func `after missed notifications between instances, clients with an address get their mail beside live ones`()
            async throws
        {
            try await PostgresServer.with { server in
                try await TemporaryFolder.with { folder in
                    let cluster = try PostgresPrimarySelector(try server.database().address, timeout: .seconds(10))
                    let heard = StoreNotificationHandler()
                    // An engine that was to tell of mail, and does not.
                    let store = try await DatabaseStore(limits: StoreLimits(), isShared: true, listener: heard) {
                        (_) throws(CloudAgentError) in
                        try PostgresMediatorConnection(cluster, limits: StoreLimits(), waits: CommitWaitMonitor())
                    }
                    let agent = try await RunningAgent(in: folder, store: store)
                    let (service, taken) = (WebService(), Lock(0))
                    let inbox = HTTPServer { _ in
                        taken.withLock { $0 += 1 }
                        return HTTPResponse(202)
                    }
                    let place = try await inbox.start()
                    let other = try await RawClient.connect(agent.invitation, at: agent.address.port, service: service)
                    _ = try await other.mediate()
                    let line = try await other.liveSocket()
                    let client = try await RawClient.connect(
                        agent.invitation, at: agent.address.port, service: service,
                        endpoint: try ServiceEndpoint(parsing: "http://127.0.0.1:\(place.port)/in"))
                    let (routing, key) = (try await client.mediate(), freshKey())
                    _ = try await client.change(key)
                    let poster = Poster(service: service, port: agent.address.port)
                    #expect(try await poster.forward("missed", to: key, through: routing) == 202)
                    heard.notify(.anyMail)
                    #expect(try await eventually { taken.withLock { $0 } == 1 })
                    line.close()
                    await inbox.stop(within: .zero)
                    await service.stop()
                    await agent.stop()
                }
            }
        }
    }
#endif
