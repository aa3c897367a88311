import CommandTestSupport
import Foundation
import Terminal
import Testing
import WebTransport

/// Short links of invitations, as people make them at a cloud agent of ours.
@Suite struct ShortLinkCommandsTests {
    private let vaults: VaultFolder
    private static let free = "--allow-private"
    private static let fetched = ["--fetch", "--allow-private", "--allow-http"]

    init() throws { vaults = try VaultFolder() }

    /// Runs `body` with a vault that uses a cloud agent on this machine.
    private func whileMediated(_ body: (_ vault: String, _ mediator: String) async throws -> Void) async throws {
        let setup = CommandRun.Setup()
        let data = "\(vaults.folder.path)/agent"
        let running = Task {
            await CommandRun.run(["agent", "run", "--listen", "127.0.0.1:0", "--data", data, Self.free], setup)
        }
        do {
            let mediator = try await setup.output.line(beginningWith: "http://")
            let vault = await vaults.make("vault")
            let used = await vaults.run(["mediator", "use"], vault, [mediator, Self.free])
            #expect(used.status == 0, "\(used.talk)")
            try await body(vault, mediator)
        } catch {
            running.cancel()
            _ = await running.value
            throw error
        }
        running.cancel()
        #expect(await running.value.status == 0)
    }

    @Test
    func `the short link of an invitation at a cloud agent works, has a code that fits 80 by 24, and is taken back`()
        async throws
    {
        try await whileMediated { vault, mediator in
            let made = await vaults.run(["invite", "create"], vault, ["--short-link", Self.free, "--json"])
            let event = try #require(made.events("invitation-made").first, "\(made.talk)")
            let id = try #require(event["id"] as? String)
            let short = try #require(event["shortLink"] as? String, "\(made.talk)")
            #expect(event["shortLinkExpires"] is String)
            let shown = await CommandRun.run(["invite", "inspect", short, "--json"] + Self.fetched)
            #expect(shown.events("connection-invitation").first?["id"] as? String == id, "\(shown.talk)")
            let listed = await vaults.run(["invite", "list"], vault, ["--json"])
            #expect(listed.events("issued-invitation").first?["shortLink"] as? String == short)

            let other = await vaults.make("other")
            #expect(await vaults.run(["mediator", "use"], other, [mediator, Self.free]).status == 0)
            let listening = CommandRun.Setup()
            let (key, free) = (vaults.key, Self.free)
            let ours = Task { await CommandRun.run(["listen", vault, free, "--json"] + key, listening) }
            let accepted = await vaults.run(["invite", "accept"], other, [short, free, "--allow-http"])
            #expect(accepted.status == 0, "\(accepted.talk)")
            ours.cancel()
            _ = await ours.value

            let withdrawn = await vaults.run(["invite", "withdraw"], vault, [id, Self.free])
            #expect(
                withdrawn.status == 0 && withdrawn.talk.contains("serves its short link no longer"), "\(withdrawn.talk)"
            )
            let gone = await CommandRun.run(["invite", "inspect", short] + Self.fetched)
            #expect(gone.code == "web.fetch.status", "\(gone.talk)")
        }
    }

    @Test func `a terminal of 80 by 24 shows the whole code of the short link, and not that of the long one`()
        async throws
    {
        try await whileMediated { vault, _ in
            for (options, fits) in [([], false), (["--short-link"], true)] {
                var setup = CommandRun.Setup()
                (setup.isTerminal, setup.window) = (true, WindowSize(columns: 80, rows: 24))
                let made = await vaults.run(["invite", "create"], vault, options + [Self.free], setup: setup)
                #expect(made.status == 0, "\(made.talk)")
                let rows = made.talk.split(separator: "\n").filter { $0.contains("█") || $0.contains("▀") }
                #expect(rows.isEmpty != fits, "\(made.talk)")
                #expect(rows.count < 24 && rows.allSatisfy { $0.count <= 80 + 16 }, "\(made.talk)")
            }
        }
    }

    @Test func `without a short link of the mediator an invitation is made all the same, and the reason is shown`()
        async throws
    {
        let vault = await vaults.make("vault")
        let mediator = ScriptedMediator()
        let server = try await ScriptedServer { request, base in try? mediator.answer(request.body, at: base) }
        let line = [try mediator.link(at: server.base), Self.free]
        #expect(await vaults.run(["mediator", "use"], vault, line).status == 0)
        let made = await vaults.run(["invite", "create"], vault, ["--short-link", Self.free])
        #expect(made.status == 0, "\(made.talk)")
        #expect(made.lines.count == 1 && made.lines.first?.contains("?oob=") == true)
        #expect(made.talk.contains("serves no short link: "), "\(made.talk)")
        // On a busy machine its answer may come too late.
        let codes = ["(aries.connection.rejected)", "(agent.answer.missing)"]
        #expect(codes.contains(where: made.talk.contains), "\(made.talk)")
        await server.stop()
    }

    @Test func `an agent with its own endpoint uses the short link that listen serves`() async throws {
        let vault = await vaults.make("vault")
        let made = await vaults.run(
            ["invite", "create"], vault, ["--short-link", "--endpoint", "https://a.example", "--json"])
        let short = try #require(made.events("invitation-made").first?["shortLink"] as? String)
        #expect(short.hasPrefix("https://a.example/i/"))
        let plain = await vaults.run(["invite", "create"], vault, ["--short-link", "--endpoint", "https://a.example"])
        #expect(plain.lines.count == 1 && plain.lines.first?.hasPrefix("https://a.example/i/") == true)
    }
}
