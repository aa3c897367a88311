import CommandTestSupport
import Foundation
import Terminal
import Testing

/// The setting of transports, and what shows all settings of a user.
@Suite struct TransportSettingTests {
    private let vaults: VaultFolder

    init() throws { vaults = try VaultFolder() }

    private func setup(_ transports: String) -> CommandRun.Setup {
        .init(variables: ["SYMBOLON_TRANSPORTS": transports])
    }

    @Test func `a wallet that may send by WebSockets alone refuses an inviter with HTTP, and says what to set`()
        async throws
    {
        let vault = await vaults.make("vault")
        let ended = try await vaults.whileListening { other, endpoint, _ in
            let made = await vaults.run(["invite", "create"], other, ["--endpoint", endpoint])
            let link = try #require(made.lines.first, "\(made.talk)")
            let line = [link, "--allow-private", "--timeout", "1h", "--name", "other"]
            let refused = await vaults.run(["invite", "accept"], vault, line, setup: setup("ws"))
            #expect(refused.code == "agent.delivery.transport" && refused.status == 4, "\(refused.talk)")
            #expect(refused.talk.contains("next:  Set SYMBOLON_TRANSPORTS"), "\(refused.talk)")
            let accepted = await vaults.run(["invite", "accept"], vault, line, setup: setup("http"))
            #expect(accepted.status == 0, "\(accepted.talk)")
            let text = ["other", "Hello", "--allow-private", "--timeout", "1h"]
            let sent = await vaults.run(["messages", "send"], vault, text, setup: setup("ws"))
            #expect(sent.code == "agent.delivery.transport", "\(sent.talk)")
            #expect(await vaults.run(["messages", "send"], vault, text, setup: setup("ws, http")).status == 0)
        }
        #expect(ended.events("message").count == 2, "the text of before comes too")
    }

    @Test(arguments: ["ftp", "http;ws", "http,,ws", ","])
    func `a setting that names no transport is refused with the place where it is set`(text: String) async throws {
        let vault = await vaults.make("vault")
        let sent = await vaults.run(["messages", "send"], vault, ["other", "Hello"], setup: setup(text))
        for run in [sent, await CommandRun.run(["config", "show"], setup(text))] {
            #expect(run.code == "config.bad-value" && run.status == 2, "\(run.talk)")
            #expect(run.talk.contains("SYMBOLON_TRANSPORTS: the value “\(text)”"), "\(run.talk)")
        }
    }

    @Test func `config show prints each setting with its value and source`() async throws {
        let none = await CommandRun.run(["config", "show"])
        #expect(none.status == 0, "\(none.talk)")
        #expect(none.lines.count == 5, "a title and four settings")
        #expect(none.lines.contains { $0.hasPrefix("transports ") && $0.hasSuffix("default") })
        let folder = vaults.folder.path
        try FileManager.default.createDirectory(atPath: folder + "/symbolon", withIntermediateDirectories: true)
        let file = try vaults.folder.write("symbolon/settings", "# mine\nvault = ~/vault\ntransports = http\n")
        let variables = ["XDG_CONFIG_HOME": folder, "HOME": "/srv/anna", "SYMBOLON_TRANSPORTS": "ws"]
        let shown = await CommandRun.run(["config", "show", "--json"], .init(variables: variables))
        let settings = shown.events("setting").map { event in
            ["name", "value", "source", "file", "line", "by"].map { "\(event[$0] ?? "-")" }
        }
        let empty = "\(NSNull())"
        #expect(
            settings == [
                ["vault", "/srv/anna/vault", "file", file, "2", empty],
                ["key-file", empty, "default", empty, empty, empty],
                settings.count > 2 ? settings[2] : [],
                ["transports", "ws", "environment", empty, empty, "SYMBOLON_TRANSPORTS"],
            ])
        _ = try vaults.folder.write("symbolon/settings", "transport = http\n")
        let wrong = await CommandRun.run(["config", "show"], .init(variables: variables))
        #expect(wrong.code == "config.unknown-setting" && wrong.talk.contains("Did you mean transports?"))
        #expect(wrong.talk.contains("symbolon config show"), "\(wrong.talk)")
    }
}
