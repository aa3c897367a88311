import Aries
import CloudAgent
import DIDComm
import Determinism
import JSON
import Testing
import WebTransport

/// Tests of closing accounts beside a running agent, and of the stored time at which a client was last heard.
@Suite struct ClosingTests {
    private static func with(
        time: @escaping @Sendable () -> WallTime = Wallet.time,
        _ body: (RunningAgent, RawClient, DatabaseStore) async throws -> Void
    ) async throws {
        try await TemporaryFolder.with { folder in
            let agent = try await RunningAgent(in: folder, time: time)
            let service = WebService()
            let client = try await RawClient.connect(agent.invitation, at: agent.address.port, service: service)
            _ = try await client.mediate()
            let beside = try await DatabaseStore.sqlite(at: "\(folder)/agent.sqlite")
            do { try await body(agent, client, beside) } catch { Issue.record(error) }
            await beside.close()
            await service.stop()
            await agent.stop()
        }
    }

    private static func expectClosed(_ socket: WebSocketConnection) async throws {
        for try await _ in socket.messages {}
        await #expect {
            try await socket.send(.text("{}"))
        } throws: {
            ($0 as? WebError)?.wireCode == 4002
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `closing an account beside a running agent closes its WebSockets, live or not`() async throws {
        try await Self.with { agent, client, beside in
            let quiet = try await client.socket()
            let ping = try client.packed("trust_ping/1.0/ping", ["response_requested": true])
            try await quiet.send(.text(ping))
            for try await _ in quiet.messages { break }
            let live = try await client.liveSocket()
            let number = try #require(try await beside.read { try $0.accounts.list(after: 0, limit: 9) }.first?.number)
            #expect(try await beside.write { try $0.accounts.close(number) })
            try await Self.expectClosed(live)
            try await Self.expectClosed(quiet)
            #expect(try await eventually { agent.server.counts.live == 0 })
            #expect(try await client.ask("messagepickup/2.0/status-request") == nil, "there is no account")
        }
    }

    @Test func `the time at which a client was last heard is stored at most once a minute`() async throws {
        let seconds = Lock<Int64>(0)
        let start = Wallet.time().millisecondsSinceEpoch
        let time: @Sendable () -> WallTime = {
            WallTime(millisecondsSinceEpoch: start + seconds.withLock { $0 } * 1000)
        }
        try await Self.with(time: time) { _, client, beside in
            func seen() async throws -> Int64? {
                try await beside.read { try $0.accounts.list(after: 0, limit: 1) }.first.map {
                    ($0.seen.millisecondsSinceEpoch - start) / 1000
                }
            }
            #expect(try await seen() == 0)
            seconds.withLock { $0 = 59 }
            _ = try await client.ask("messagepickup/2.0/status-request")
            seconds.withLock { $0 = 60 }
            _ = try await client.ask("messagepickup/2.0/status-request")
            #expect(try await eventually { try await seen() == 60 }, "59 seconds were no reason")
            seconds.withLock { $0 = 119 }
            _ = try await client.ask("trust_ping/1.0/ping")
            #expect(try await seen() == 60)
        }
    }
}
