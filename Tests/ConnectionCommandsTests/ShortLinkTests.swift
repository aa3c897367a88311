import ByteCoding
import CommandTestSupport
import Foundation
import Testing
import WebTransport

/// Tests of the targets of short links, good and bad.
@Suite struct ShortLinkTests {
    static let invitation = SampleConnectionInvitation.invitation()

    static func long(_ base: String = "https://example.org/ssi") -> String {
        base + "?c_i=" + Base64URL.encode(Array(invitation.utf8))
    }

    private static func redirect(_ target: String, _ status: Int = 302) -> HTTPResponse {
        HTTPResponse(status, headers: ["Location": target])
    }

    private func answer(_ path: String, _ base: String) -> HTTPResponse? {
        switch path {
        case "/json": HTTPResponse(200, "application/json; charset=utf-8", Array(Self.invitation.utf8))
        case "/text": HTTPResponse(200, text: " \(Self.invitation)\n")
        case "/link": HTTPResponse(200, text: Self.long())
        case "/long": Self.redirect(Self.long(base + "/page"))
        case "/page": HTTPResponse(200, "text/html", Array("<!doctype html><p>Scan me".utf8))
        case "/application": Self.redirect(Self.long("didcomm://invite"), 301)
        case "/nobody": Self.redirect(Self.long("http://127.0.0.1:1/gone"))
        case "/request": HTTPResponse(200, text: SampleConnectionInvitation.request)
        case "/circle": Self.redirect("/circle-2")
        case "/circle-2": Self.redirect("/circle")
        case "/texts": HTTPResponse(200, text: base + "/texts-2")
        case "/texts-2": HTTPResponse(200, text: base + "/texts")
        case "/html": HTTPResponse(200, "application/json", Array("\n<html><body>Moved</body></html>".utf8))
        case "/huge": HTTPResponse(200, text: String(repeating: "a", count: 70_000))
        case "/empty": HTTPResponse(200, text: "")
        case "/words": HTTPResponse(200, text: "Nothing to see here.")
        case "/bytes": HTTPResponse(200, "application/octet-stream", [0xFF, 0xFE, 0x00])
        case "/half": HTTPResponse(200, "application/json", Array(Self.invitation.utf8.dropLast(9)))
        case "/other": HTTPResponse(200, "application/json", Array(#"{"hello":1}"#.utf8))
        case "/gone": HTTPResponse(410, text: "Gone.")
        case "/metadata": Self.redirect("http://169.254.169.254/latest")
        case "/mail": Self.redirect("mailto:a@b.example")
        case "/nowhere": HTTPResponse(302)
        default: nil
        }
    }

    private func withServer(_ body: (ScriptedServer) async throws -> Void) async throws {
        let server = try await ScriptedServer { request, base in answer(request.target.path, base) }
        do { try await body(server) } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private static let free = ["--fetch", "--allow-private", "--allow-http"]

    @Test func `an invitation is found in every form of answer that a short link may give`() async throws {
        try await withServer { server in
            for path in ["/json", "/text", "/link", "/long", "/application", "/nobody"] {
                let run = await CommandRun.run(["invite", "inspect", server.base + path, "--json"] + Self.free)
                #expect(run.status == 0, "\(path) \(run.talk)")
                #expect(run.events("short-link").first?["address"] as? String == server.base + path)
                #expect(run.events("connection-invitation").first?["id"] as? String == "i-1", "\(path)")
            }
            let request = await CommandRun.run(["invite", "inspect", server.base + "/request", "--json"] + Self.free)
            #expect(request.events("attached-request").first?["id"] as? String == "r-1", "\(request.talk)")
            #expect(server.requests.allSatisfy { $0.headers["Cookie"] == nil && $0.headers["Authorization"] == nil })
        }
    }

    static let bad: [(path: String, code: String)] = [
        ("/circle", "web.fetch.redirect-loop"), ("/texts", "web.fetch.redirect-loop"),
        ("/html", "aries.invitation.web-page"), ("/page", "aries.invitation.web-page"),
        ("/huge", "web.fetch.body-too-large"), ("/empty", "aries.invitation.not-recognised"),
        ("/words", "aries.invitation.not-recognised"), ("/bytes", "aries.invitation.not-recognised"),
        ("/half", "aries.invitation.malformed"), ("/other", "aries.invitation.not-recognised"),
        ("/gone", "web.fetch.status"), ("/missing", "web.fetch.status"),
        ("/metadata", "web.fetch.address-refused"), ("/mail", "web.fetch.redirect-scheme"),
        ("/nowhere", "web.fetch.redirect-malformed"),
    ]

    @Test func `a short link without an invitation is refused with cause and next step, by inspect and accept`()
        async throws
    {
        let vaults = try VaultFolder()
        let vault = await vaults.make("vault")
        let before = await vaults.run(["connections", "list"], vault)
        try await withServer { server in
            for (path, code) in Self.bad {
                let link = server.base + path
                let inspected = await CommandRun.run(["invite", "inspect", link] + Self.free)
                let accepted = await vaults.run(
                    ["invite", "accept"], vault, [link, "--allow-private", "--allow-http"])
                for run in [inspected, accepted] {
                    #expect(run.code == code, "\(path) \(run.talk)")
                    #expect(run.status != 0 && run.talk.contains("error: ") && run.talk.contains("next:  "))
                }
            }
        }
        #expect(await vaults.run(["connections", "list"], vault).output == before.output)
    }

    @Test func `a short link to this machine, or without TLS, is followed only if that is allowed`() async throws {
        try await withServer { server in
            let link = server.base + "/json"
            let named = await CommandRun.run(["invite", "inspect", link])
            #expect(named.status == 0 && named.output.contains("short link"))
            let strict = await CommandRun.run(["invite", "inspect", link, "--fetch"])
            #expect(strict.code == "web.fetch.insecure")
            let open = await CommandRun.run(["invite", "inspect", link, "--fetch", "--allow-http"])
            #expect(open.code == "web.fetch.address-refused")
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `text from a short link's server cannot steer the terminal`() async throws {
        let hostile = SampleConnectionInvitation.invitation(#","goal":"\u001b[2Jx\u202ey""#)
        let server = try await ScriptedServer { _, _ in HTTPResponse(200, text: hostile) }
        let shown = await CommandRun.run(["invite", "inspect", server.base + "/x"] + Self.free)
        let lines = await CommandRun.run(["invite", "inspect", server.base + "/x", "--json"] + Self.free)
        await server.stop()
        for text in [shown.output, shown.talk, lines.output, lines.talk] {
            #expect(!text.contains("\u{1b}") && !text.contains("\u{202e}"))
        }
        #expect(lines.events("connection-invitation").first?["goal"] as? String == "\u{1b}[2Jx\u{202e}y")
    }
}
