import Aries
import CloudAgent
import DIDComm
import Determinism
import JSON
import Testing
import WebTransport

/// Mail for clients that have an address of their own.
@Suite struct EndpointDeliveryTests {
    /// The address of a client, which says 503 as long as it is not `isOpen`.
    private final class Inbox: Sendable {
        let isOpen: Lock<Bool>
        private let taken = Lock<[String]>([])
        private let refused = Lock(0)
        private let server: Lock<HTTPServer?> = Lock(nil)

        init(isOpen: Bool) { self.isOpen = Lock(isOpen) }

        var texts: [String] { taken.withLock { $0 } }
        var refusals: Int { refused.withLock { $0 } }

        func start() async throws -> ServiceEndpoint {
            let server = HTTPServer { [self] request in
                guard isOpen.withLock({ $0 }) else {
                    refused.withLock { $0 += 1 }
                    return HTTPResponse(503)
                }
                taken.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
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
            isOpen: Bool, redeliverAfter: [Duration], _ body: (Bench) async throws -> Void
        ) async throws {
            try await TemporaryFolder.with { folder in
                let agent = try await RunningAgent(in: folder, change: { $0.redeliverAfter = redeliverAfter })
                let (service, inbox) = (WebService(), Inbox(isOpen: isOpen))
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

        func isBrought(_ numbers: Range<Int>) async throws -> Bool {
            let wanted = numbers.map { "{\"text\":\"\($0)\"}" }
            return try await eventually { inbox.texts == wanted }
        }

        func isEmpty() async throws -> Bool {
            try await eventually { try await agent.server.totals().messages == 0 }
        }
    }

    @Test func `mail for a client with an address is brought there, in order, and again until it is taken`()
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

    @Test func `a client that was away and speaks is brought its mail at once`() async throws {
        try await Bench.with(isOpen: false, redeliverAfter: [.milliseconds(20), .seconds(86_400)]) { bench in
            try await bench.forward(0..<3)
            #expect(try await eventually { bench.inbox.refusals == 2 })
            // The next attempt is a day away, unless something says otherwise.
            try await Task.sleep(for: .milliseconds(200))
            #expect(bench.inbox.refusals == 2)
            bench.inbox.isOpen.withLock { $0 = true }
            // Nothing but its word brings it.
            _ = try await bench.client.ask("trust_ping/1.0/ping")
            #expect(try await bench.isBrought(0..<3))
            #expect(try await bench.isEmpty())
        }
    }

    @Test func `what a client did not fetch on its line is brought to its address when the line ends`() async throws {
        try await Bench.with(isOpen: true, redeliverAfter: [.seconds(86_400)]) { bench in
            let line = try await bench.client.liveSocket()
            try await bench.forward(0..<3)
            #expect(try await bench.agent.server.totals().messages == 3 && bench.inbox.texts.isEmpty)
            line.close()
            #expect(try await bench.isBrought(0..<3))
            #expect(try await bench.isEmpty())
        }
    }
}
