import Aries
import AriesConnections
import DIDComm
import Determinism
import JSON
import Testing
import WebTransport

@testable import CloudAgent

@Suite struct AccountChannelTests {
    /// A WebSocket that takes everything, and sends nothing.
    private final class OpenSocket: ReplyChannel {
        var channel: IncomingChannel { .persistent }
        var isClosed: Bool { false }
        func send(_ envelope: [UInt8]) async -> Bool { true }
        func handOver(_ envelope: [UInt8]) async -> Bool { true }
        func close(_ code: WebSocketCloseCode, _ reason: String) {}
    }

    /// A WebSocket that takes what is handed over when the test says so.
    private final class SlowSocket: ReplyChannel {
        private let handed = Lock<[(envelope: [UInt8], answer: CheckedContinuation<Bool, Never>)]>([])
        private let seen = Lock<[String]>([])

        var channel: IncomingChannel { .persistent }
        var isClosed: Bool { false }
        /// The texts of all envelopes that were handed over to this WebSocket.
        var texts: [String] { seen.withLock { $0 } }

        func send(_ envelope: [UInt8]) async -> Bool { true }
        func close(_ code: WebSocketCloseCode, _ reason: String) {}

        func handOver(_ envelope: [UInt8]) async -> Bool {
            await withCheckedContinuation { continuation in
                handed.withLock { $0.append((envelope, continuation)) }
                seen.withLock { $0.append(String(decoding: envelope, as: UTF8.self)) }
            }
        }

        /// Ends all hand-overs that wait: each envelope was taken, or lost.
        func answer(_ isTaken: Bool) {
            let waiting = handed.withLock { handed in
                defer { handed = [] }
                return handed
            }
            for one in waiting { one.answer.resume(returning: isTaken) }
        }
    }

    /// A ping of the client that has everything carried back.
    private static func ping(_ client: RawClient, _ connection: Connection, _ id: String) throws -> ReceivedMessage {
        let ping = Message(
            try MessageType(parsing: "https://didcomm.org/trust_ping/1.0/ping"), id: id,
            body: ["response_requested": false])
        return ReceivedMessage(
            ping.askingForReturnRoute, sender: .authenticated(client.key.verkey, isExclusive: true),
            recipient: connection.ours.key, arrival: Wallet.time())
    }

    /// The one account of an agent that stands beside a running one, with a client that has connected there.
    private static func withAccount(
        mail: Int = 0, _ body: (MediatorService, AccountEntry, RawClient) async throws -> Void
    ) async throws {
        try await TemporaryFolder.with { folder in
            let store = try await DatabaseStore.sqlite(at: "\(folder)/agent.sqlite")
            let agent = try await RunningAgent(in: folder, store: store)
            let service = WebService()
            let client = try await RawClient.connect(agent.invitation, at: agent.address.port, service: service)
            let (routing, key) = (try await client.mediate(), freshKey())
            _ = try await client.change(key)
            let poster = Poster(service: service, port: agent.address.port)
            for number in 0..<mail {
                #expect(try await poster.forward("\(number)", to: key, through: routing) == 202)
            }
            let second = try MediatorService(
                MediatorContext(
                    CloudAgentConfiguration(), endpoints: MediatorEndpoints("http://127.0.0.1:1"),
                    secret: RunningAgent.secret(), clock: SystemMonotonicClock(), wallTime: Wallet.time),
                store: store, transport: WebMessageTransport(service))
            try await body(
                second, try #require(await store.read { try $0.accounts.list(after: 0, limit: 1) }.first), client)
            await service.stop()
            await agent.stop()
        }
    }

    @Test func `each message of the client is reported to the watch of its account, with the time of the message`()
        async throws
    {
        try await Self.withAccount { agent, entry, client in
            let body = try AccountRecord(entry.body, by: agent.context.secret)
            let connection = try #require(body.connection)
            let channel = AccountChannel(
                entry, record: body, connection: connection, services: agent.channels, reply: OpenSocket())
            let (live, heard) = (agent.live, Lock<[MonotonicInstant?]>([]))
            live.add(channel, for: entry.number)
            for id in ["a", "b"] {
                let before = agent.context.clock.now()
                live.watch(entry.number) { heard.withLock { $0.append(live.heard(entry.number)) } }
                await channel.receive(try Self.ping(client, connection, id))
                #expect(try #require(heard.withLock { $0.last } ?? nil) >= before)
            }
            #expect(heard.withLock { $0.count } == 2)
            await channel.end()
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a message that arrives while its connection closes is ignored without delay`() async throws {
        try await Self.withAccount { agent, entry, client in
            let body = try AccountRecord(entry.body, by: agent.context.secret)
            let connection = try #require(body.connection)
            let message = ReceivedMessage(
                Message(try MessageType(parsing: "https://didcomm.org/messagepickup/2.0/status-request"), id: "1"),
                sender: .authenticated(client.key.verkey, isExclusive: true), recipient: client.key.verkey,
                arrival: Wallet.time())
            // Who brings mail has much else to do, so that a message has to wait there.
            let others = (0..<4).map { _ in
                Task { while !Task.isCancelled { await agent.delivery.note(.spoke, of: 0) } }
            }
            for round in 0..<50 {
                let channel = AccountChannel(
                    entry, record: body, connection: connection, services: agent.channels, reply: OpenSocket())
                let isDone = Lock(false)
                let receiving = Task {
                    await channel.receive(message)
                    isDone.withLock { $0 = true }
                }
                // The end comes at another step of the message each time.
                for _ in 0..<round % 20 { await Task.yield() }
                await channel.end()
                #expect(try await eventually { isDone.withLock { $0 } })
                receiving.cancel()
            }
            for other in others { other.cancel() }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: [true, false])
    func `messages sent on a WebSocket before it closed are removed, and the rest is sent on the next one`(
        isTaken: Bool
    ) async throws {
        try await Self.withAccount(mail: 2) { agent, entry, client in
            let body = try AccountRecord(entry.body, by: agent.context.secret)
            let connection = try #require(body.connection)
            let (first, second) = (SlowSocket(), SlowSocket())
            let (ping, again) = (try Self.ping(client, connection, "1"), try Self.ping(client, connection, "2"))
            let older = AccountChannel(
                entry, record: body, connection: connection, services: agent.channels, reply: first)
            let hearing = Task { await older.receive(ping) }
            #expect(try await eventually { first.texts.count == 1 })
            // The client connects again before the agent knows whether the first message was taken.
            let newer = AccountChannel(
                entry, record: body, connection: connection, services: agent.channels, reply: second)
            let hearingAgain = Task { await newer.receive(again) }
            #expect(try await eventually { agent.channels.locks.waitingCount(entry.number) == 1 })
            await older.end()
            first.answer(isTaken)
            #expect(try await eventually { second.texts.count == 1 })
            #expect(first.texts == [#"{"text":"0"}"#])
            #expect(second.texts == [isTaken ? #"{"text":"1"}"# : #"{"text":"0"}"#])
            await newer.end()
            second.answer(false)
            await hearing.value
            await hearingAgain.value
            let left = try await client.deliver().map { String(decoding: $0.envelope, as: UTF8.self) }
            #expect(left == [#"{"text":"0"}"#, #"{"text":"1"}"#].suffix(isTaken ? 1 : 2))
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a client whose idle channel was unloaded gets its mail and answers as before`() async throws {
        try await Self.withAccount { agent, entry, client in
            let body = try AccountRecord(entry.body, by: agent.context.secret)
            let connection = try #require(body.connection)
            let socket = SlowSocket()
            let channel = AccountChannel(
                entry, record: body, connection: connection, services: agent.channels, reply: socket)
            await channel.receive(try Self.ping(client, connection, "1"))
            #expect(try await eventually { await channel.isResting })
            await channel.receive(try Self.ping(client, connection, "2"))
            #expect(await !channel.isResting)
            #expect(agent.live.heard(entry.number) != nil)
            await channel.end()
        }
    }
}
