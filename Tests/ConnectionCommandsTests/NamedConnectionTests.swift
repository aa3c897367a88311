import CommandProgram
import CommandTestSupport
import Foundation
import Terminal
import TestSupport
import Testing

/// Connections, invitations and requests by name and by the beginning of their identifiers; defaults of the user.
@Suite struct NamedConnectionTests {
    private let vaults: VaultFolder
    private let vault: String
    private static let free = "--allow-private"

    init() async throws {
        vaults = try VaultFolder()
        vault = await vaults.make("vault")
    }

    /// Runs `body` with connections to a vault that listens, one for each name.
    private func whileConnected(_ names: [String], _ body: (_ ids: [String], _ other: String) async throws -> Void)
        async throws
    {
        _ = try await vaults.whileListening { other, endpoint, _ in
            var ids: [String] = []
            for name in names {
                let invited = await vaults.run(["invite", "create"], other, ["--endpoint", endpoint])
                let link = try #require(invited.lines.first)
                let accepted = await vaults.run(
                    ["invite", "accept"], vault, [link, "--name", name, Self.free])
                ids.append(try #require(accepted.lines.first, "\(accepted.talk)"))
            }
            try await body(ids, other)
        }
    }

    @Test func `every command on a connection takes its name, or the beginning of its identifier`() async throws {
        try await whileConnected(["Bank"]) { ids, _ in
            let id = ids[0]
            for word in ["Bank", id, String(id.prefix(4))] {
                let shown = await vaults.run(["connections", "show"], vault, [word, "--json"])
                #expect(shown.events("connection").first?["id"] as? String == id, "\(word): \(shown.talk)")
                #expect(await vaults.run(["connections", "ping"], vault, [word, Self.free]).status == 0)
                #expect(await vaults.run(["messages", "list"], vault, [word]).status == 0)
                #expect(await vaults.run(["messages", "send"], vault, [word, "Good morning.", Self.free]).status == 0)
                let watched = await vaults.run(["messages", "watch"], vault, [word, Self.free, "--for", "1ms"])
                #expect(watched.status == 0)
            }
            let renamed = await vaults.run(["connections", "rename"], vault, ["Bank", "Old bank"])
            #expect(renamed.lines == ["\(id)  Old bank"])
            #expect(await vaults.run(["connections", "show"], vault, ["Bank"]).code == "agent.connection.unknown")
            #expect(await vaults.run(["connections", "show"], vault, [String(id.prefix(3))]).status != 0)
            let deleted = await vaults.run(
                ["connections", "delete"], vault, ["Old bank", "--yes", "--silent", "--json"])
            #expect(deleted.events("connection-deleted").first?["connection"] as? String == id)
        }
    }

    @Test func `a name of two connections is refused with their identifiers, and of one that is given up it is not`()
        async throws
    {
        try await whileConnected(["Twin", "Twin"]) { ids, _ in
            let refused = await vaults.run(["connections", "ping"], vault, ["Twin", Self.free])
            #expect(refused.code == "usage.bad-value")
            #expect(ids.allSatisfy { refused.talk.contains($0) }, "\(refused.talk)")
            #expect(await vaults.run(["connections", "rename"], vault, [ids[0], ""]).status == 0)
            let shown = await vaults.run(["connections", "show"], vault, ["Twin", "--json"])
            #expect(shown.events("connection").first?["id"] as? String == ids[1])
        }
    }

    @Test func `an invitation is withdrawn by the beginning of its identifier`() async throws {
        let made = await vaults.run(["invite", "create"], vault, ["--endpoint", "https://a.example", "--json"])
        let id = try #require(made.events("invitation-made").first?["id"] as? String)
        #expect(await vaults.run(["invite", "withdraw"], vault, ["none"]).code == "agent.invitation.unknown")
        let withdrawn = await vaults.run(["invite", "withdraw"], vault, [String(id.prefix(8))])
        #expect(withdrawn.lines == ["\(id)  withdrawn"], "\(withdrawn.talk)")
    }

    @Test func `the vault and its key file come from the environment, or else from the file of settings`() async throws
    {
        let words = ["vault label", "connections list", "invite list", "requests list", "vault check"]
        var setup = CommandRun.Setup()
        setup.variables["SYMBOLON_VAULT"] = vault
        setup.variables["SYMBOLON_KEY_FILE"] = vaults.key[1]
        for line in words {
            let command = line.split(separator: " ").map(String.init) + (line == "vault label" ? ["Alice"] : [])
            let run = await CommandRun.run(command, setup)
            #expect(run.status == 0, "\(line): \(run.talk)")
            let none = await CommandRun.run(command)
            #expect(none.code == "usage.missing-operand", "\(line): \(none.talk)")
        }
        let settings = "\(vaults.folder.path)/symbolon"
        try FileManager.default.createDirectory(atPath: settings, withIntermediateDirectories: true)
        var stored = CommandRun.Setup()
        stored.variables["XDG_CONFIG_HOME"] = vaults.folder.path
        stored.variables["HOME"] = vaults.folder.path
        for (text, code) in [
            ("# mine\nvault = \(vault)\nkey-file = \(vaults.key[1])\n", nil),
            ("vault = ~/vault\nkey-file = ~/key\n", nil), ("vault \(vault)\n", "config.malformed"),
            ("volt = \(vault)\n", "config.unknown-setting"), ("key-file = ~/key\n", "usage.missing-operand"),
            ("vault = ~/vault\n", "usage.missing-option"),
        ] as [(String, String?)] {
            _ = try vaults.folder.write("symbolon/settings", text)
            let run = await CommandRun.run(["connections", "list"], stored)
            #expect(run.code == code, "\(text): \(run.talk)")
        }
        stored.variables["SYMBOLON_KEY_FILE"] = vaults.key[1]
        #expect(await CommandRun.run(["connections", "list"], stored).status == 0, "a variable counts before the file")
        let other = await vaults.make("other")
        _ = await CommandRun.run(["vault", "label", other, "Bob"], setup)
        #expect(await CommandRun.run(["connections", "list", other], setup).status == 0, "an argument counts first")
    }

    @Test func `vault create makes the key file of the environment, and takes it the second time`() async throws {
        let folder = try TemporaryFolder()
        var setup = CommandRun.Setup()
        setup.variables["SYMBOLON_VAULT"] = folder.path + "/vault"
        setup.variables["SYMBOLON_KEY_FILE"] = folder.path + "/vault.key"
        #expect(await CommandRun.run(["vault", "create"], setup).status == 0)
        #expect(await CommandRun.run(["connections", "list"], setup).status == 0)
        setup.variables["SYMBOLON_VAULT"] = folder.path + "/second"
        #expect(await CommandRun.run(["vault", "create"], setup).status == 0)
        #expect(try folder.names() == ["second", "vault", "vault.key"])
    }

    @Test func `the label of vault create stands in invitations and requests, until another is given`() async throws {
        let folder = try TemporaryFolder()
        let (path, key) = (folder.path + "/vault", ["--new-key-file", folder.path + "/key"])
        var setup = CommandRun.Setup()
        setup.isTerminal = true
        setup.answers = ["  Alice Example "]
        let made = await CommandRun.run(["vault", "create", path] + key, setup)
        #expect(made.talk.contains("What others see as your name"), "\(made.talk)")
        func label(_ options: [String] = []) async throws -> String? {
            let open = ["--key-file", folder.path + "/key"]
            let invited = await CommandRun.run(
                ["invite", "create", path, "--endpoint", "https://a.example"] + options + open)
            let shown = await CommandRun.run(["invite", "inspect", try #require(invited.lines.first), "--json"])
            return shown.events("connection-invitation").first?["label"] as? String
        }
        #expect(try await label() == "Alice Example")
        #expect(try await label(["--label", "A."]) == "A.")
        #expect(await CommandRun.run(["vault", "label", path, "Alice", "--key-file", key[1]]).status == 0)
        #expect(try await label() == "Alice")
        #expect(await CommandRun.run(["vault", "label", path, "", "--key-file", key[1]]).status == 0)
        #expect(try await label() == "Symbolon")
        let long = String(repeating: "a", count: 257)
        #expect(await CommandRun.run(["vault", "label", path, long, "--key-file", key[1]]).code == "usage.bad-value")
    }

    @Test func `chat sends each line, shows what the other side writes, and ends with the input`() async throws {
        try await whileConnected(["Bank"]) { ids, other in
            var setup = CommandRun.Setup()
            setup.input = Array("Good morning.\n\nFor your eyes only: is it you?\n".utf8)
            let run = await vaults.run(["chat"], vault, ["Bank", Self.free, "--json"], setup: setup)
            #expect(run.status == 0, "\(run.talk)")
            let sent = run.events("message").map { $0["text"] as? String }
            #expect(sent == ["Good morning.", "For your eyes only: is it you?"])
            let listed = await vaults.run(["connections", "list"], other, ["--json"])
            let theirs = try #require(listed.events("connection").first?["id"] as? String)
            let heard = await vaults.run(["messages", "list"], other, [theirs])
            #expect(heard.output.contains("is it you?"), "\(heard.output)")
        }
    }

    @Test func `chat with --port shows what the other side writes while it waits for a line`() async throws {
        _ = try await vaults.whileListening { other, endpoint, _ in
            let server = try await ScriptedServer { _, _ in nil }
            let own = server.base
            await server.stop()
            let invited = await vaults.run(["invite", "create"], other, ["--endpoint", endpoint])
            let link = try #require(invited.lines.first)
            let accepted = await vaults.run(
                ["invite", "accept"], vault, [link, "--name", "Bank", "--endpoint", own, Self.free])
            #expect(accepted.status == 0, "\(accepted.talk)")
            var setup = CommandRun.Setup()
            let input = HeldInput()
            setup.source = input
            let port = try #require(own.split(separator: ":").last.map(String.init))
            let chatting = Task { [vaults, vault, setup] in
                await vaults.run(["chat"], vault, ["Bank", "--port", port, Self.free], setup: setup)
            }
            _ = try await setup.talk.text(containing: "Ctrl-D ends")
            let listed = await vaults.run(["connections", "list"], other, ["--json"])
            let theirs = try #require(listed.events("connection").first?["id"] as? String)
            let told = await vaults.run(["messages", "send"], other, [theirs, "For your eyes only: yes", Self.free])
            #expect(told.status == 0, "\(told.talk)")
            _ = try await setup.output.text(containing: "Bank: For your eyes only: yes\n")
            input.end()
            let ended = await chatting.value
            #expect(ended.status == 0, "\(ended.talk)")
        }
    }

    @Test func `an interruption ends chat with exit status 0`() async throws {
        try await whileConnected(["Bank"]) { _, _ in
            var setup = CommandRun.Setup()
            setup.source = HeldInput()
            let chatting = Task { [vaults, vault, setup] in
                await vaults.run(["chat"], vault, ["Bank", Self.free], setup: setup)
            }
            _ = try await setup.talk.text(containing: "Ctrl-D ends")
            chatting.cancel()
            let ended = await chatting.value
            #expect(ended.status == 0 && ended.code == nil, "\(ended.talk)")
        }
    }

    @Test func `chat on a connection that is not complete is refused`() async throws {
        let made = try await SampleVault.makeConnection(in: vault, keyFile: vaults.key[1])
        #expect(await vaults.run(["chat"], vault, [made, Self.free]).code == "agent.connection.incomplete")
    }
}

/// Standard input whose lines a test gives one by one.
private final class HeldInput: ByteSource {
    private let lines: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init() { (lines, continuation) = AsyncStream.makeStream(of: String.self) }

    func give(_ line: String) { continuation.yield(line) }

    func end() { continuation.finish() }

    func readAll(limit: Int) async -> [UInt8]? { nil }

    func readLine(limit: Int) async -> [UInt8]? {
        var iterator = lines.makeAsyncIterator()
        return await iterator.next().map { Array($0.utf8) }
    }
}
