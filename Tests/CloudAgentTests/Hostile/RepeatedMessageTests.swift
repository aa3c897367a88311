import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing
import WebTransport

@testable import CloudAgent

/// Messages of a client that are posted a second time, by the client or by an attacker who captured them.
@Suite struct RepeatedMessageTests {
    /// An agent with one client and one key, and a second agent on the same store that replaces the first.
    final class Bench {
        private(set) var agent: RunningAgent
        private(set) var store: DatabaseStore
        private let path: String
        let service = WebService()
        private(set) var client: RawClient
        let routing: Verkey
        let key = freshKey()

        private init(_ folder: String, _ change: (inout CloudAgentConfiguration) -> Void) async throws {
            path = folder
            store = try await DatabaseStore.sqlite(at: "\(folder)/agent.sqlite")
            agent = try await RunningAgent(in: folder, store: store, change: change)
            client = try await RawClient.connect(agent.invitation, at: agent.address.port, service: service)
            routing = try await client.mediate()
            _ = try await client.change(key)
        }

        static func with(
            change: (inout CloudAgentConfiguration) -> Void = { _ in }, _ body: (Bench) async throws -> Void
        ) async throws {
            try await TemporaryFolder.with { folder in
                let bench = try await Bench(folder, change)
                do { try await body(bench) } catch { Issue.record(error) }
                await bench.service.stop()
                await bench.agent.stop()
            }
        }

        /// Ends the agent, and starts another one on the same store.
        func restart() async throws {
            await agent.stop()
            store = try await DatabaseStore.sqlite(at: "\(path)/agent.sqlite")
            agent = try await RunningAgent(in: path, store: store)
            client = client.moved(to: agent.address.port)
        }

        /// Posts an envelope; the answer in it, nil when there is none.
        func post(_ envelope: [UInt8]) async throws -> Message? {
            let response = try await client.post(envelope)
            return response.status == 200 ? try client.opened(response.body) : nil
        }

        func forward(_ text: String) async throws -> Int {
            try await Poster(service: service, port: agent.address.port).forward(text, to: key, through: routing)
        }

        func waiting() async throws -> Int { try await agent.server.totals().messages }

        /// Returns the endpoint that the client gave for itself.
        func endpoint() async throws -> String? {
            let entry = try #require(try await store.read { try $0.accounts.list(after: 0, limit: 1) }.first)
            let body = try AccountRecord(entry.body, by: RunningAgent.secret())
            return try body.connection?.theirs.service().endpoint.text
        }

        func rotation(to endpoint: String) throws -> [UInt8] {
            let address = AgentAddress(key: client.key.verkey, endpoint: try ServiceEndpoint(parsing: endpoint))
            return try client.packed("did-rotate/1.0/rotate", ["to_did": .string(try address.peer2().text)])
        }

        func update(_ action: String, _ keys: Verkey...) throws -> [UInt8] {
            let updates = keys.map { key -> JSONValue in
                ["recipient_key": .string(key.didKey), "action": .string(action)]
            }
            return try client.packed("coordinate-mediation/1.0/keylist-update", ["updates": .array(updates)])
        }

        /// A WebSocket on which envelopes were sent; what comes back on it until `count` messages came or it ends.
        func heard(_ envelopes: [[UInt8]], _ count: Int) async throws -> [[UInt8]] {
            let peer = try #require(HostilePeer(port: agent.address.port))
            #expect(await peer.open().hasPrefix("HTTP/1.1 101"))
            for envelope in envelopes { await peer.say(SocketFrames.client(envelope)) }
            // Read in order: what is answered to this one comes after what was answered to those.
            await peer.say(SocketFrames.client(try client.packed("messagepickup/2.0/status-request")))
            var bytes: [UInt8] = []
            while SocketFrames.messages(in: bytes).count < count {
                let next = await peer.hear(1)
                if next.isEmpty { break }
                bytes += next
            }
            return SocketFrames.messages(in: bytes)
        }
    }

    @Test(.shows("CHK-139", "A1"), arguments: [false, true])
    func `a replayed DID rotation of the client changes nothing`(restarts: Bool) async throws {
        try await Bench.with { bench in
            let first = try bench.rotation(to: "https://one.example/in")
            let ack = try #require(try await bench.post(first))
            #expect(ack.type.name == "ack")
            _ = try await bench.post(try bench.rotation(to: "https://two.example/in"))
            #expect(try await bench.endpoint() == "https://two.example/in")
            if restarts { try await bench.restart() }
            let again = try await bench.post(first)
            #expect(try await bench.endpoint() == "https://two.example/in")
            #expect(again?.object == ack.object, "the answer is that of the first time")
        }
    }

    @Test(.shows("CHK-138", "A1"), arguments: [false, true])
    func `a replayed removal of a recipient key removes nothing`(restarts: Bool) async throws {
        try await Bench.with { bench in
            let removal = try bench.update("remove", bench.key, freshKey())
            let removed = try #require(try await bench.post(removal))
            #expect(try await bench.client.change(bench.key) == "success")
            if restarts { try await bench.restart() }
            let again = try await bench.post(removal)
            #expect(again?.object == removed.object, "the answer is that of the first time")
            #expect(try await bench.forward("a") == 202)
            #expect(try await bench.waiting() == 1, "the key is still there")
        }
    }

    @Test(.shows("CHK-138", "A1"))
    func `a replayed addition of a recipient key that was removed since adds nothing`() async throws {
        try await Bench.with { bench in
            let other = freshKey()
            let addition = try bench.update("add", other)
            let added = try #require(try await bench.post(addition))
            #expect(added.object["updated"]?.array?.first?["result"] == "success")
            _ = try await bench.client.change(other, "remove")
            #expect(try await bench.post(addition)?.object == added.object)
            #expect(try await bench.agent.server.totals().keys == 1)
        }
    }

    @Test(.shows("A1"))
    func `a replayed request for a key with its own routing key makes none`() async throws {
        try await Bench.with { bench in
            let other = freshKey()
            let request = try bench.client.packed(
                "coordinate-mediation/1.0/mediate-request", ["recipient_key": .string(other.didKey)])
            let grant = try #require(try await bench.post(request))
            #expect(grant.type.name == "mediate-grant")
            #expect(try await bench.post(request)?.object == grant.object)
            _ = try await bench.client.change(other, "remove")
            #expect(try await bench.post(request)?.object == grant.object, "the answer is that of the first time")
            #expect(try await bench.agent.server.totals().keys == 1, "the key is not back")
        }
    }

    @Test(.shows("A1")) func `a replayed registration of a webhook changes nothing`() async throws {
        func change(_ configuration: inout CloudAgentConfiguration) {
            guard let hosts = WebhookRules.WebhookHostList(parsing: "hook.example") else { return }
            configuration.wakes = WebhookRules(hosts: hosts)
        }
        try await Bench.with(change: change) { bench in
            func set(_ token: String) throws -> [UInt8] {
                try bench.client.packed(
                    "push-notifications-webhook/1.0/set-device-info",
                    ["device_token": .string(token), "webhook": "https://hook.example/"])
            }
            let first = try set("first")
            let told = try #require(try await bench.post(first))
            #expect(told.object["device_token"] == "first")
            _ = try await bench.post(try set("second"))
            #expect(try await bench.post(first)?.object == told.object, "the answer is that of the first time")
            let now = try await bench.client.ask("push-notifications-webhook/1.0/get-device-info")
            #expect(now?.object["device_token"] == "second")
        }
    }

    @Test(.shows("CHK-140", "A2"), arguments: [false, true])
    func `a ping replayed on another WebSocket brings back no queued messages`(restarts: Bool) async throws {
        try await Bench.with { bench in
            let ping = try bench.client.packed("trust_ping/1.0/ping", ["response_requested": false])
            #expect(try await bench.post(ping) == nil, "nothing waits yet")
            #expect(try await bench.forward("a") == 202)
            if restarts { try await bench.restart() }
            let heard = try await bench.heard([ping], 1)
            let names = heard.map { try? bench.client.opened($0).type.name }
            #expect(names == ["status"], "only the request behind it is answered")
            #expect(try await bench.waiting() == 1)
        }
    }

    @Test(.shows("CHK-140", "A2"))
    func `a live-delivery request replayed on another WebSocket closes none of the client's WebSockets`() async throws {
        try await Bench.with { bench in
            let request = try bench.client.packed(
                "messagepickup/2.0/live-delivery-change", ["live_delivery": true])
            let line = try await bench.client.socket()
            try await line.send(.text(request))
            #expect(try await eventually { bench.agent.server.counts.live == 1 })
            let heard = try await bench.heard([request], 2)
            let live = try heard.map { try bench.client.opened($0).object["live_delivery"]?.bool }
            #expect(live == [false, false], "the other WebSocket does not go live")
            #expect(try await bench.forward("a") == 202)
            var delivered = 0
            for try await case .text(let bytes) in line.messages {
                delivered += RawClient.attachments(of: try bench.client.opened(bytes)).count
                if delivered > 0 { break }
            }
            #expect(delivered == 1, "the client's own line is told of mail")
            line.close()
        }
    }

    @Test func `a replayed ping is answered as it was the first time`() async throws {
        try await Bench.with { bench in
            let ping = try bench.client.packed("trust_ping/1.0/ping")
            let answer = try #require(try await bench.post(ping))
            #expect(answer.type.name == "ping_response")
            #expect(try await bench.post(ping)?.object == answer.object)
        }
    }

    @Test(.shows("CHK-142", "A3"))
    func `the replayed mediation request of a client that closed its account opens no account`()
        async throws
    {
        try await Bench.with { bench in
            var random = SystemRandom()
            let (key, post) = (
                AgentKey.make(from: &random), Poster(service: bench.service, port: bench.agent.address.port)
            )
            let (client, sent) = try await RawClient.recorded(
                bench.agent.invitation, at: bench.agent.address.port, service: bench.service, key: key)
            _ = try await client.mediate()
            #expect(try await bench.agent.server.totals().accounts == 2)
            _ = try await client.ask("did-rotate/1.0/hangup")
            #expect(try await bench.agent.server.totals().accounts == 1)
            for envelope in sent { _ = try await post.post(envelope) }
            #expect(try await bench.agent.server.totals().accounts == 1)
            try await bench.restart()
            for envelope in sent { _ = try await bench.client.post(envelope) }
            #expect(try await bench.agent.server.totals().accounts == 1)
        }
    }
}
