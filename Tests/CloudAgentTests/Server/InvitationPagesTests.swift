import Aries
import AriesConnections
import Foundation
import Testing
import WebAssets
import WebTransport

@testable import CloudAgent

/// Short links and pages of the public port, asked over loopback.
@Suite struct InvitationPagesTests {
    private let folder = Folder()

    private func get(
        _ agent: RunningAgent, _ path: String, accept: String? = nil
    ) async throws -> HTTPResponse {
        let service = WebService()
        var request = HTTPRequest(.get, try RequestTarget(parsing: path))
        request.headers["Accept"] = accept
        let response = try await HTTPClient(service).send(
            request, to: WebConnectionTarget(agent.address.address, port: agent.address.port))
        await service.stop()
        return response
    }

    private static let browser = "text/html,application/xhtml+xml,*/*;q=0.8"

    @Test func `a wallet gets the invitation at the short link as JSON, a browser a page with its code`() async throws {
        let agent = try await RunningAgent(in: folder.path)
        let link = try #require(agent.server.shortLink())
        #expect(link.hasSuffix("/i"))
        for path in ["/i", "/prefix/i"] {
            let answer = try await get(agent, path, accept: "application/json")
            #expect(answer.status == 200 && answer.headers["content-type"] == "application/json")
            #expect(try Invitation(parsing: answer.body) == agent.server.invitation)
            let page = try await get(agent, path, accept: Self.browser)
            let text = String(decoding: page.body, as: UTF8.self)
            #expect(page.headers["content-type"] == "text/html; charset=utf-8")
            #expect(text.contains("<svg") && text.contains(link) && text.contains("?oob="), "\(text)")
            #expect(
                text.contains(#"href="assets/status.css""#) && !text.contains("<script") && !text.contains("style="))
        }
        let style = try await get(agent, "/assets/status.css")
        #expect(style.body == PageAssets.statusStyle.bytes)
        await agent.stop()
    }

    @Test func `names on the allow list have invitation links of their own, and the general link is gone`() async throws
    {
        let agent = try await RunningAgent(in: folder.path)
        try agent.server.allow(try AllowList(parsing: Array("anna\nbob\n".utf8)))
        #expect(try await get(agent, "/i").status == 404)
        #expect(try await get(agent, "/i/000000000000000000000000", accept: Self.browser).status == 404)
        let links = try ["anna", "bob"].map { try #require(agent.server.shortLink(for: $0)) }
        #expect(links[0] != links[1] && agent.server.shortLink(for: "carl") == nil)
        let name = try #require(links[0].split(separator: "/").last)
        #expect(name.count == 24)
        let answer = try await get(agent, "/i/\(name)")
        #expect(try Invitation(parsing: answer.body) == agent.server.invitations(for: "anna")?.current)
        await agent.stop()
    }

    @Test func `a page for a client's invitation shows its link as a QR code and escapes all received text`()
        async throws
    {
        let agent = try await RunningAgent(in: folder.path)
        let page = try await get(agent, "/?oob=%3Cscript%3Ealert(1)%3C/script%3E%22", accept: Self.browser)
        let text = String(decoding: page.body, as: UTF8.self)
        #expect(page.status == 200 && text.contains("<svg") && !text.contains("alert"))
        let long = try await get(agent, "/?oob=" + String(repeating: "A", count: 4000), accept: Self.browser)
        #expect(long.status == 200 && !String(decoding: long.body, as: UTF8.self).contains("<svg"))
        let plain = try await get(agent, "/", accept: Self.browser)
        #expect(String(decoding: plain.body, as: UTF8.self).contains("takes messages for wallets"))
        let wallet = try await get(agent, "/", accept: "application/json")
        #expect(String(decoding: wallet.body, as: UTF8.self) == InvitationPages.greeting)
        await agent.stop()
    }
}
