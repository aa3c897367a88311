#if PostgreSQL
    import Aries
    import CloudAgent
    import DIDComm
    import JSON
    import Testing
    import WebTransport

    /// Agents that share one database.
    @Suite(.enabled(if: PostgresServer.isInstalled, "skipped: PostgreSQL 15 is not installed"))
    struct InstancesTests {
        /// The texts of the next messages of a live line, acknowledged.
        private static func next(
            _ count: Int, on line: WebSocketConnection, of client: RawClient
        ) async throws -> [String] {
            var texts: [String] = []
            for try await case .text(let text) in line.messages {
                let messages = RawClient.attachments(of: try client.opened(Array(text.utf8)))
                for message in messages {
                    texts.append(try JSONValue(parsing: message.envelope)["text"]?.string ?? "")
                }
                if !messages.isEmpty {
                    let answer = try client.packed(
                        "messagepickup/2.0/messages-received", ["message_id_list": .strings(messages.map(\.id))])
                    try await line.send(.text(String(decoding: answer, as: UTF8.self)))
                }
                if texts.count >= count { break }
            }
            return texts
        }

        @Test(.timeLimit(.minutes(5)))
        func `what one instance took reaches the line of another, and the death of one leaves nothing behind`()
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
                    // What came through the one that is gone waits at the other.
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
    }
#endif
