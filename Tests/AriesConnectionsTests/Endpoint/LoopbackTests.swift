import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing
import WebAddressing
import WebTransport

@testable import AriesConnections

/// Agents that reach each other over real sockets of this machine.
@Suite struct LoopbackTests {
    /// An agent with an endpoint of its own.
    private struct Station {
        let agent: Agent
        let endpoint: AgentHTTPListener?
        let service: WebService
        let store: MemoryStore

        /// - Parameter scheme: The scheme of the agent's endpoint; nil for an agent without one.
        init(_ label: String, scheme: String?, seed: UInt64, answerWait: Duration = .seconds(5)) async throws {
            var configuration = AgentConfiguration(label: label)
            service = WebService()
            if let scheme {
                let endpoint = AgentHTTPListener(answerWait: answerWait)
                let address = try await endpoint.start()
                configuration.endpoint = try ServiceEndpoint(parsing: "\(scheme)://127.0.0.1:\(address.port)/in")
                self.endpoint = endpoint
            } else {
                endpoint = nil
            }
            store = MemoryStore()
            agent = Agent(
                store: store, transport: WebMessageTransport(service, policy: .allowPrivate),
                configuration: configuration,
                random: SeededRandom(seed: seed), wallTime: { WallTime(millisecondsSinceEpoch: 1_760_000_000_000) })
            try await agent.start()
            endpoint?.serve(agent)
        }

        func stop() async {
            await agent.stop()
            await endpoint?.stop(within: .zero)
            await service.stop()
        }

        var texts: [String] {
            store.records(of: "aries.message").compactMap { try? ConnectionMessage($0) }
                .filter { $0.direction == .received }.compactMap { $0.message.object["content"]?.string }
        }
    }

    private func eventually(_ holds: () async throws -> Bool) async throws -> Bool {
        for _ in 0..<12_000 {
            if try await holds() { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    private func talk(_ inviterScheme: String, _ inviteeScheme: String?) async throws {
        let inviter = try await Station("Inviter", scheme: inviterScheme, seed: 1)
        let invitee = try await Station("Invitee", scheme: inviteeScheme, seed: 2)
        let invitation = try await inviter.agent.invite(InvitationDraft(.outOfBand, label: "Inviter"))
        let connection = try await invitee.agent.accept(invitation).completed()
        let isComplete = try await eventually {
            try await inviter.agent.connections().connections.map(\.stage) == [.completed]
        }
        #expect(isComplete)
        let theirs = try #require(try await inviter.agent.connections().connections.first?.id)
        try await inviter.agent.send(BasicMessage("For your eyes only: there", sent: nil).message(id: "1"), on: theirs)
        try await invitee.agent.send(
            BasicMessage("For your eyes only: back", sent: nil).message(id: "2"), on: connection.id)
        #expect(
            try await eventually {
                inviter.texts == ["For your eyes only: back"] && invitee.texts == ["For your eyes only: there"]
            })
        await invitee.stop()
        await inviter.stop()
    }

    @Test(arguments: [("http", "http"), ("ws", "ws"), ("http", "ws"), ("ws", "http")])
    func `agents connect and talk over HTTP and WebSocket`(inviter: String, invitee: String) async throws {
        try await talk(inviter, invitee)
    }

    @Test(arguments: ["http", "ws"])
    func `an agent without an address connects and talks by the answers to what it sends`(scheme: String) async throws {
        try await talk(scheme, nil)
    }

    @Test func `a text message gets its response at once, however long the server may wait for answers`() async throws {
        let inviter = try await Station("Inviter", scheme: "http", seed: 1, answerWait: .seconds(600))
        let invitee = try await Station("Invitee", scheme: nil, seed: 2)
        let invitation = try await inviter.agent.invite(InvitationDraft(.outOfBand, label: "Inviter"))
        let connection = try await invitee.agent.accept(invitation).completed()
        for id in ["1", "2"] {
            try await invitee.agent.send(BasicMessage("Hello", sent: nil).message(id: id), on: connection.id)
        }
        let isConfirmed = try await eventually {
            inviter.texts == ["Hello", "Hello"] && invitee.store.records(of: AgentCategories.outbox).isEmpty
        }
        #expect(isConfirmed)
        await invitee.stop()
        await inviter.stop()
    }

    @Test
    func `a text for a side without an address waits after the response to its message, until it sends another one`()
        async throws
    {
        let inviter = try await Station("Inviter", scheme: "http", seed: 1)
        let invitee = try await Station("Invitee", scheme: nil, seed: 2)
        let invitation = try await inviter.agent.invite(InvitationDraft(.outOfBand, label: "Inviter"))
        let connection = try await invitee.agent.accept(invitation).completed()
        let theirs = try #require(try await inviter.agent.connections().connections.first?.id)
        for (sent, answer) in [("1", "2"), ("3", "4")] {
            try await invitee.agent.send(BasicMessage(sent, sent: nil).message(id: sent), on: connection.id)
            let isConfirmed = try await eventually {
                invitee.store.records(of: AgentCategories.outbox).isEmpty && inviter.texts.contains(sent)
            }
            #expect(isConfirmed)
            try await inviter.agent.send(BasicMessage(answer, sent: nil).message(id: answer), on: theirs)
            let isWaiting = try await eventually {
                let waiting = inviter.store.records(of: AgentCategories.outbox)
                return await inviter.agent.deliveryFailure(on: theirs) != nil && waiting.count == 1
            }
            #expect(isWaiting)
        }
        #expect(invitee.texts == ["2"])
        await invitee.stop()
        await inviter.stop()
    }

    @Test func `an endpoint serves an open invitation at its short link, as JSON or as a page, until it is withdrawn`()
        async throws
    {
        let station = try await Station("A <b>", scheme: "http", seed: 1)
        let address = try #require(await station.agent.context.configuration.endpoint.address)
        guard case .address(let host) = address.host else {
            Issue.record("the endpoint has a name")
            return
        }
        let target = WebConnectionTarget(host, port: address.port)
        let client = HTTPClient(station.service)
        let made = try await station.agent.invite(InvitationDraft(.outOfBand, label: "A <b>"))
        func get(_ path: String, accept: String? = nil) async throws -> HTTPResponse {
            var request = HTTPRequest(.get, try RequestTarget(parsing: path))
            request.headers["Accept"] = accept
            return try await client.send(request, to: target)
        }
        let served = try await get("/in/i/\(made.id)")
        #expect(served.status == 200 && served.headers["content-type"] == "application/json")
        #expect(try Invitation(parsing: served.body) == made)
        let page = String(decoding: try await get("/i/\(made.id)", accept: "text/html,*/*").body, as: UTF8.self)
        #expect(page.contains("connect with A &lt;b&gt;") && !page.contains("<b>"))
        for path in ["/i/none", "/i/\(made.id)x", "/i/" + String(repeating: "a", count: 300)] {
            #expect(try await get(path).status == 404)
        }
        _ = try await station.agent.withdraw(made.id)
        #expect(try await get("/i/\(made.id)").status == 404)
        await station.stop()
    }

    @Test func `an Aries endpoint accepts any post, and its response does not show whether the message was understood`()
        async throws
    {
        let station = try await Station("A", scheme: "http", seed: 1)
        let address = try #require(await station.agent.context.configuration.endpoint.address)
        guard case .address(let host) = address.host else {
            Issue.record("the endpoint has a name")
            return
        }
        let target = WebConnectionTarget(host, port: address.port)
        let client = HTTPClient(station.service)
        for body in ["{}", "hello", "{\"protected\":\"\"}"] {
            let request = HTTPRequest(.post, try RequestTarget(parsing: "/"), body: Array(body.utf8))
            let response = try await client.send(request, to: target)
            #expect(response.status == 202 && response.body.isEmpty)
        }
        let get = HTTPRequest(.get, try RequestTarget(parsing: "/"))
        let shown = try await client.send(get, to: target)
        #expect(shown.status == 200 && String(decoding: shown.body, as: UTF8.self).contains("with another wallet"))
        await station.agent.stop()
        let late = HTTPRequest(.post, try RequestTarget(parsing: "/"), body: Array("{}".utf8))
        #expect(try await client.send(late, to: target).status == 503, "it is to be brought again")
        await station.stop()
    }

    @Test(.shows("ARI-024", "CHK-108"))
    func `an agent does not connect to a private address from an invitation unless that is allowed`() async throws {
        let service = WebService()
        let transport = WebMessageTransport(service)
        for text in ["http://127.0.0.1:9", "ws://10.0.0.1", "http://169.254.169.254", "http://localhost:9"] {
            let endpoint = try ServiceEndpoint(parsing: text)
            await #expect(throws: FetchError.self) { try await transport.carry([1], to: endpoint) { _ in } }
        }
        await #expect(throws: AgentError(.deliveryWaits, "")) { try await transport.carry([1], to: .queue) { _ in } }
        await service.stop()
    }

    @Test(.shows("CHK-107")) func `HTTP status 500 from the other agent's server counts as a failed delivery`()
        async throws
    {
        let server = HTTPServer { _ in HTTPResponse(500) }
        let address = try await server.start()
        let service = WebService()
        let transport = WebMessageTransport(service, policy: .allowPrivate)
        let endpoint = try ServiceEndpoint(parsing: "http://127.0.0.1:\(address.port)")
        await #expect(throws: AgentError(.deliveryFailed, "")) { try await transport.carry([1], to: endpoint) { _ in } }
        await server.stop(within: .zero)
        await service.stop()
    }

    @Test(.shows("CHK-107"), arguments: [301, 302, 303, 307, 308])
    func `a redirect from the other agent's server counts as a failed delivery and is not followed`(status: Int)
        async throws
    {
        let posts = Lock(0)
        let server = HTTPServer { _ in
            posts.withLock { $0 += 1 }
            return HTTPResponse(status, headers: ["Location": "/elsewhere"])
        }
        let address = try await server.start()
        let service = WebService()
        let transport = WebMessageTransport(service, policy: .allowPrivate)
        let endpoint = try ServiceEndpoint(parsing: "http://127.0.0.1:\(address.port)")
        await #expect(throws: AgentError(.deliveryFailed, "")) { try await transport.carry([1], to: endpoint) { _ in } }
        #expect(posts.withLock { $0 } == 1)
        await server.stop(within: .zero)
        await service.stop()
    }

    @Test func `a return route carries one answer, and none after its time-out`() async throws {
        let path = HTTPReturnRoute()
        #expect(path.offer([1]))
        #expect(!path.offer([2]))
        #expect(await path.value(within: .seconds(60)) == [1])
        #expect(!path.offer([3]))
        #expect(path.close() == nil)
        let unread = HTTPReturnRoute()
        #expect(unread.offer([4]))
        #expect(unread.close() == [4])
        #expect(unread.close() == nil && !unread.offer([5]))
        let late = HTTPReturnRoute()
        #expect(await late.value(within: .milliseconds(1)) == nil)
        #expect(!late.offer([1]))
    }
}
