import Aries
import DIDComm
import Determinism
import Foundation
import JSON
import TestSupport
import Testing
import WebTransport

@testable import CloudAgent

/// Invitations of clients that the agent serves at short links, over loopback.
@Suite struct ShortLinkServingTests {
    private let folder = Folder()
    /// Milliseconds since the tests' time.
    private let passed = Lock<Int64>(0)

    private var time: @Sendable () -> WallTime {
        { [passed] in
            WallTime(millisecondsSinceEpoch: Wallet.time().millisecondsSinceEpoch + passed.withLock { $0 })
        }
    }

    private func run(_ body: (RunningAgent, WebService) async throws -> Void) async throws {
        let agent = try await RunningAgent(in: folder.path, time: time)
        let service = WebService()
        try await body(agent, service)
        await service.stop()
        await agent.stop()
    }

    private func client(_ agent: RunningAgent, _ service: WebService) async throws -> RawClient {
        let client = try await RawClient.connect(agent.invitation, at: agent.address.port, service: service)
        _ = try await client.mediate()
        return client
    }

    private static func invitation(_ number: Int = 1) throws -> Invitation {
        var random = SeededRandom(seed: 7)
        let address = AgentAddress(
            key: AgentKey.make(from: &random).verkey, endpoint: try ServiceEndpoint(parsing: "https://a.example"))
        var draft = InvitationDraft(.outOfBand, label: "<b>Anna</b>")
        draft.goal = "To talk"
        return try draft.invitation(id: "invitation-\(number)", address: address)
    }

    private func shorten(
        _ client: RawClient, _ number: Int = 1, seconds: Int = 60, id: String? = nil
    ) async throws -> ShortLink {
        let link = try Self.invitation(number).link(base: "https://m.example")
        let request = ShortLinkRequest(link, seconds: seconds).message(id: "x").object
        let body: JSONObject = [
            "url": request["url"] ?? nil, "goal_code": request["goal_code"] ?? nil,
            "requested_validity_seconds": .int(seconds),
        ]
        let answer = try await client.ask("shorten-url/1.0/request-shortened-url", body, id: id)
        return try #require(answer.flatMap { ShortLink($0) })
    }

    private func get(
        _ link: ShortLink, _ agent: RunningAgent, _ service: WebService, accept: String? = nil
    ) async throws -> HTTPResponse {
        let path = try #require(link.address.range(of: "/i/").map { String(link.address[$0.lowerBound...]) })
        var request = HTTPRequest(.get, try RequestTarget(parsing: path))
        request.headers["Accept"] = accept
        return try await HTTPClient(service).send(
            request, to: WebConnectionTarget(agent.address.address, port: agent.address.port))
    }

    @Test(.shows("A11", "ARI-048"))
    func `a wallet gets the invitation of a client as JSON, a browser a page that shows nothing of it`()
        async throws
    {
        try await run { agent, service in
            let link = try await shorten(client(agent, service))
            let expected = Wallet.time().millisecondsSinceEpoch + 60_000
            #expect(link.expires.map { abs($0.millisecondsSinceEpoch - expected) < 1000 } == true)
            #expect(link.address.hasPrefix("http://\(agent.address)/i/"))
            let answer = try await get(link, agent, service, accept: "application/json")
            #expect(answer.status == 200 && answer.headers["content-type"] == "application/json")
            #expect(answer.headers["cache-control"] == "no-store")
            #expect(try Invitation(parsing: answer.body) == Self.invitation())
            let page = try await get(link, agent, service, accept: "text/html")
            let text = String(decoding: page.body, as: UTF8.self)
            #expect(page.status == 200 && text.contains("<svg") && text.contains("Who made it is not checked"))
            #expect(!text.contains("Anna") && !text.contains("To talk"))
            #expect(text.contains(#"href="../assets/status.css""#))
        }
    }

    @Test(.shows("ARI-048")) func `a short link counts until its time, and not past it`() async throws {
        try await run { agent, service in
            let link = try await shorten(client(agent, service), seconds: 60)
            passed.withLock { $0 = 59_999 }
            #expect(try await get(link, agent, service).status == 200)
            passed.withLock { $0 = 60_000 }
            #expect(try await get(link, agent, service).status == 404)
            passed.withLock { $0 = 0 }
            #expect(try await get(link, agent, service).status == 404, "it is deleted")
        }
    }

    @Test(.shows("A11")) func `each account has sixteen short links, of which a further one replaces the oldest`()
        async throws
    {
        try await run { agent, service in
            let (one, other) = (try await client(agent, service), try await client(agent, service))
            let kept = try await shorten(other)
            var links: [ShortLink] = []
            for number in 1...17 { links.append(try await shorten(one, number)) }
            #expect(Set(links.map(\.address)).count == 17)
            #expect(try await get(links[0], agent, service).status == 404)
            for link in links.dropFirst() { #expect(try await get(link, agent, service).status == 200) }
            #expect(try await get(kept, agent, service).status == 200)
        }
    }

    @Test func `the same message gets the same link, which a restart keeps`() async throws {
        var link = ShortLink("", expires: nil)
        try await run { agent, service in
            let client = try await client(agent, service)
            link = try await shorten(client, id: "once")
            passed.withLock { $0 = 5000 }
            #expect(try await shorten(client, id: "once") == link)
            passed.withLock { $0 = 0 }
        }
        try await run { agent, service in
            let answer = try await get(link, agent, service)
            #expect(answer.status == 200)
        }
    }

    @Test(.shows("A11", "ARI-048")) func `a client takes its own short links back, and no other`() async throws {
        try await run { agent, service in
            let (one, other) = (try await client(agent, service), try await client(agent, service))
            let link = try await shorten(one)
            func remove(_ client: RawClient, _ address: String) async throws -> Message? {
                try await client.ask("shorten-url/1.0/invalidate-shortened-url", ["shortened_url": .string(address)])
            }
            for (client, address) in [(other, link.address), (one, link.address + "A"), (one, "http://x/i"), (one, "")]
            {
                let answer = try await remove(client, address)
                #expect(answer.flatMap { ProblemReport($0) }?.code == "short_url_invalid")
            }
            #expect(try await get(link, agent, service).status == 200)
            let answer = try await remove(one, link.address)
            #expect(answer?.type.name == "ack" && answer?.object["status"]?.string == "OK")
            #expect(try await get(link, agent, service).status == 404)
            #expect(try await remove(one, link.address).flatMap { ProblemReport($0) }?.code == "short_url_invalid")
        }
    }

    @Test func `the short links of an account end with it`() async throws {
        try await run { agent, service in
            let client = try await client(agent, service)
            let link = try await shorten(client)
            try await client.ask("did-rotate/1.0/hangup")
            #expect(try await get(link, agent, service).status == 404)
        }
    }

    @Test(.shows("A11")) func `names that no agent with the secret made are not looked up`() throws {
        let secret = try RunningAgent.secret()
        for account: Int64 in [1, 77, 1 << 39] {
            let name = secret.shortLinkName(of: account, for: "id")
            #expect(name.utf8.count == 23 && secret.account(ofShortLink: name) == account)
            #expect(secret.shortLinkName(of: account, for: "other") != name)
            for place in 0..<23 {
                var changed = Array(name.utf8)
                changed[place] = changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                #expect(secret.account(ofShortLink: String(decoding: changed, as: UTF8.self)) != account)
            }
        }
        for name in ["", "i", "abc", String(repeating: "A", count: 23), String(repeating: "A", count: 24), "ä"] {
            #expect(secret.account(ofShortLink: name) == nil, "\(name)")
        }
    }
}
