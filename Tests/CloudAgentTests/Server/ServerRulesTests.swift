import Aries
import CloudAgent
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing
import WebTransport

/// The answers of a cloud agent, over real sockets of this machine.
@Suite struct ServerRulesTests {
    @Test(arguments: [MessageProtocol.didExchange11, .didExchange10, .connections10])
    func `a client of any handshake protocol has its messages kept until it acknowledges them`(
        _ handshake: MessageProtocol
    ) async throws {
        try await Bench.with { bench in
            let client = try await bench.client(handshake)
            let (routing, key) = (try await client.mediate(), freshKey())
            #expect(try await client.change(key) == "success")
            #expect(try await client.change(key) == "no_change")
            for number in 0..<3 {
                #expect(try await bench.poster.forward("\(number)", to: key, through: routing) == 202)
            }
            let first = try await client.deliver()
            #expect(
                first.map { String(decoding: $0.envelope, as: UTF8.self) } == (0..<3).map { "{\"text\":\"\($0)\"}" })
            let second = try await client.deliver()
            #expect(second.map(\.id) == first.map(\.id), "nothing is forgotten before it is acknowledged")
            #expect(try await client.acknowledge([first[0].id, first[1].id]) == 1)
            #expect(try await client.deliver().map(\.id) == [first[2].id])
            #expect(try await client.acknowledge(first.map(\.id)) == 0)
        }
    }

    @Test func `the invitation has a goal beside its goal code, because agents of ACA-Py refuse it otherwise`()
        async throws
    {
        try await Bench.with { bench in
            let invitation = bench.agent.invitation
            #expect(invitation.goalCode == "mediation")
            #expect(invitation.goal?.isEmpty == false)
        }
    }

    @Test(.shows("A4")) func `a sender cannot learn which accounts exist`() async throws {
        try await Bench.with { bench in
            let client = try await bench.client()
            let (routing, key) = (try await client.mediate(), freshKey())
            _ = try await client.change(key)
            #expect(try await bench.poster.forward("a", to: key, through: routing) == 202)
            #expect(try await bench.poster.forward("a", to: freshKey(), through: routing) == 202)
            #expect(try await bench.poster.forward("a", to: key, through: freshKey()) == 400)
            for nonsense in ["", "{}", "hello", "{\"protected\":\"\"}"] {
                #expect(try await bench.poster.post(Array(nonsense.utf8)).status == 400)
            }
            #expect(try await bench.agent.server.totals().messages == 1)
            #expect(bench.agent.server.counts.refused == 5)
        }
    }

    /// Returns the agent's answers about a key to a removal, two additions, two removals, a mediation request for a key
    /// of its own, a status request and one more removal, with the key replaced by the word `key`.
    private static func answers(_ client: RawClient, about key: Verkey) async throws -> [String] {
        var found: [JSONObject] = []
        func ask(_ type: String, _ body: JSONObject) async throws {
            var answer = try #require(try await client.ask(type, body)?.object)
            for member in ["@id", "~thread", "routing_keys", "endpoint"] { answer[member] = nil }
            found.append(answer)
        }
        func update(_ action: String) async throws {
            try await ask(
                "coordinate-mediation/1.0/keylist-update",
                ["updates": [["recipient_key": .string(key.didKey), "action": .string(action)]]])
        }
        for action in ["remove", "add", "add", "remove", "remove"] { try await update(action) }
        try await ask("coordinate-mediation/1.0/mediate-request", ["recipient_key": .string(key.didKey)])
        try await ask("messagepickup/2.0/status-request", ["recipient_key": .string(key.didKey)])
        try await update("remove")
        return found.map { String(decoding: $0.encoded, as: UTF8.self).replacing(key.didKey, with: "key") }
    }

    @Test(.shows("CHK-143", "A4", "A5"))
    func `a client cannot learn another client's keys, nor register them first`() async throws {
        try await Bench.with { bench in
            let (ann, bob) = (try await bench.client(), try await bench.client())
            let (annRouting, bobRouting) = (try await ann.mediate(), try await bob.mediate())
            let (shared, own) = (freshKey(), freshKey())
            #expect(try await ann.change(shared) == "success")
            let grant = try await ann.ask(
                "coordinate-mediation/1.0/mediate-request", ["recipient_key": .string(own.didKey)])
            #expect(grant?.type.name == "mediate-grant")
            #expect(try await bench.poster.forward("for ann", to: shared, through: annRouting) == 202)
            let free = try await Self.answers(bob, about: freshKey())
            #expect(free.count == 8)
            #expect(try await Self.answers(bob, about: shared) == free)
            #expect(try await Self.answers(bob, about: own) == free)
            #expect(try await bench.agent.server.totals().messages == 1, "nothing of hers is touched")
            // The account that registers a key first does not keep it from the other, and gets none of its mail.
            #expect(try await bob.change(shared) == "success")
            #expect(try await bench.poster.forward("for bob", to: shared, through: bobRouting) == 202)
            func texts(_ client: RawClient) async throws -> [String] {
                try await client.deliver().map { String(decoding: $0.envelope, as: UTF8.self) }
            }
            #expect(try await texts(ann) == [#"{"text":"for ann"}"#])
            #expect(try await texts(bob) == [#"{"text":"for bob"}"#])
        }
    }

    @Test(.shows("CHK-143", "A5"))
    func `messages through the routing key of an account without that recipient key are dropped`() async throws {
        try await Bench.with { bench in
            let (ann, bob) = (try await bench.client(), try await bench.client())
            let (annRouting, bobRouting, key) = (try await ann.mediate(), try await bob.mediate(), freshKey())
            #expect(annRouting != bobRouting)
            #expect(try await ann.change(key) == "success")
            #expect(try await bench.poster.forward("a", to: key, through: bobRouting) == 202)
            #expect(try await bench.agent.server.totals().messages == 0)
            #expect(try await bob.deliver().isEmpty)
        }
    }

    @Test func `a full queue makes the sender retry, and accepts mail again when there is room`() async throws {
        var limits = StoreLimits()
        limits.key.soft.count = 1
        limits.key.hard.count = 2
        try await Bench.with(limits: limits) { bench in
            let client = try await bench.client()
            let (routing, key) = (try await client.mediate(), freshKey())
            _ = try await client.change(key)
            #expect(try await bench.poster.forward("1", to: key, through: routing) == 202)
            #expect(try await bench.poster.forward("2", to: key, through: routing) == 202)
            #expect(try await bench.poster.forward("3", to: key, through: routing) == 503)
            #expect(bench.agent.server.counts.deferred == 1)
            _ = try await client.acknowledge([try await client.deliver()[0].id])
            #expect(try await bench.poster.forward("3", to: key, through: routing) == 202)
        }
    }

    @Test func `an agent with closed admission opens no account and reports that to the client`() async throws {
        func close(_ configuration: inout CloudAgentConfiguration) { configuration.admission = .closed }
        try await Bench.with(change: close) { bench in
            do {
                _ = try await bench.client()
                Issue.record("an account was opened")
            } catch let refused as RawClient.Refused {
                #expect(refused.code == "request_not_accepted")
            }
            #expect(try await bench.agent.server.totals().accounts == 0)
            #expect(bench.agent.server.counts.turnedAway == 1)
        }
    }

    @Test func `no more accounts are opened than the limit allows`() async throws {
        var limits = StoreLimits()
        limits.maximumAccounts = 1
        try await Bench.with(limits: limits) { bench in
            _ = try await bench.client()
            await #expect(throws: RawClient.Refused.self) { try await bench.client() }
            #expect(try await bench.agent.server.totals().accounts == 1)
        }
    }

    @Test func `of two WebSockets of one client the newest gets mail, and the other closes with the reason`()
        async throws
    {
        try await Bench.with { bench in
            let client = try await bench.client()
            let (routing, key) = (try await client.mediate(), freshKey())
            _ = try await client.change(key)
            let older = try await client.liveSocket()
            let newer = try await client.liveSocket()
            for try await _ in older.messages {}
            await #expect {
                try await older.send(.text("{}"))
            } throws: {
                ($0 as? WebError)?.wireCode == 4001
            }
            #expect(bench.agent.server.counts.live == 1)
            #expect(try await bench.poster.forward("a", to: key, through: routing) == 202)
            var delivered: [(id: String, envelope: [UInt8])] = []
            for try await case .text(let bytes) in newer.messages {
                delivered += RawClient.attachments(of: try client.opened(bytes))
                if !delivered.isEmpty { break }
            }
            #expect(delivered.count == 1)
            newer.close()
            #expect(try await client.deliver().map(\.id) == delivered.map(\.id), "what was pushed stays")
            #expect(try await eventually { bench.agent.server.counts.live == 0 })
        }
    }

    @Test func `a client that hangs up loses its account and all queued mail`() async throws {
        try await Bench.with { bench in
            let client = try await bench.client()
            let (routing, key) = (try await client.mediate(), freshKey())
            _ = try await client.change(key)
            _ = try await bench.poster.forward("a", to: key, through: routing)
            _ = try await client.ask("did-rotate/1.0/hangup")
            let totals = try await bench.agent.server.totals()
            #expect(totals.accounts == 0 && totals.messages == 0 && totals.keys == 0)
            #expect(try await client.ask("messagepickup/2.0/status-request") == nil)
        }
    }

    @Test(.shows("ARI-070"))
    func `each key granted on its own gets its own address and routing key`() async throws {
        try await Bench.with { bench in
            let client = try await bench.client()
            let shared = try await client.mediate()
            let keys = [freshKey(), freshKey()]
            var grants: [KeyGrant] = []
            for key in keys {
                let answer = try await client.ask(
                    "coordinate-mediation/1.0/mediate-request", ["recipient_key": .string(key.didKey)])
                grants.append(try KeyGrant(try #require(answer)))
            }
            #expect(Set([shared] + grants.map(\.routing)).count == 3 && grants[0].endpoint != grants[1].endpoint)
            for (key, grant) in zip(keys, grants) {
                #expect(try await bench.poster.forward("a", to: key, through: grant.routing) == 202)
                #expect(try await bench.poster.forward("a", to: key, through: shared) == 202, "and is dropped")
            }
            #expect(try await bench.agent.server.totals().messages == 2)
            #expect(try await client.change(keys[0], "remove") == "success")
            #expect(try await bench.agent.server.totals().messages == 1, "the grant of one key ends alone")
            #expect(try await bench.poster.forward("a", to: keys[1], through: grants[1].routing) == 202)
            #expect(try await client.deliver().count == 2)
        }
    }

    /// The routing key and the endpoint in a mediation grant for one key.
    private struct KeyGrant {
        let routing: Verkey
        let endpoint: String

        init(_ grant: Message) throws {
            routing = try Verkey(parsing: grant.object["routing_keys"]?.array?.first?.string ?? "")
            endpoint = grant.object["endpoint"]?.string ?? ""
        }
    }

    @Test func `a message that asks for no answer brings back one queued envelope`() async throws {
        try await Bench.with { bench in
            let client = try await bench.client()
            let (routing, key) = (try await client.mediate(), freshKey())
            _ = try await client.change(key)
            for text in ["1", "2"] { _ = try await bench.poster.forward(text, to: key, through: routing) }
            for text in ["1", "2"] {
                let ping = try client.packed("trust_ping/1.0/ping", ["response_requested": false])
                let response = try await client.post(ping)
                #expect(response.status == 200)
                #expect(response.body == Array("{\"text\":\"\(text)\"}".utf8))
            }
            #expect(try await bench.agent.server.totals().messages == 0)
        }
    }

    private static var large: WebSocketLimits {
        var limits = WebSocketLimits()
        (limits.maximumMessageBytes, limits.maximumFrameBytes) = (2 << 20, 2 << 20)
        return limits
    }

    @Test func `a message of the largest accepted size is delivered`() async throws {
        try await Bench.with { bench in
            let client = try await bench.client()
            let (routing, key) = (try await client.mediate(), freshKey())
            _ = try await client.change(key)
            // Encryption, base 64 and the forward around it make a quarter of the envelope's million bytes.
            let inner = Array("{\"text\":\"\(String(repeating: "x", count: 785_000))\"}".utf8)
            let envelope = try Poster.forward(inner, to: key, through: routing)
            #expect(envelope.count > 1_040_000 && envelope.count <= 1 << 20)
            #expect(try await bench.poster.post(envelope).status == 202)
            #expect(try await client.deliver().first?.envelope == inner)
            let line = try await client.liveSocket(limits: Self.large)
            #expect(try await bench.poster.post(envelope).status == 202)
            for try await case .text(let bytes) in line.messages {
                let pushed = RawClient.attachments(of: try client.opened(bytes))
                #expect(pushed.first?.envelope == inner, "a line carries it, too")
                break
            }
            line.close()
            #expect(try await bench.poster.post([UInt8](repeating: 0x20, count: (1 << 20) + 1)).status == 413)
        }
    }
}
