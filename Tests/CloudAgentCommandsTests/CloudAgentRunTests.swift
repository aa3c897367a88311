import Aries
import CloudAgent
import CommandTestSupport
import Foundation
import Terminal
import TestSupport
import Testing

@Suite struct CloudAgentRunTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ rest: String...) async -> CommandRun {
        let place = rest.contains("--listen") ? [] : ["--listen", "127.0.0.1:0"]
        return await CommandRun.run(
            ["agent", "run", "--data", "\(folder.path)/a/agent", "--for", "1ms"] + place + rest)
    }

    @Test func `an agent without configuration listens on this machine, shows its invitation and keeps it`()
        async throws
    {
        let first = await run("--public-url", "https://agent.example.org/")
        #expect(first.status == 0, "\(first.talk)")
        let link = try #require(first.lines.first)
        #expect(link.hasPrefix("https://agent.example.org?oob=") && first.lines.count == 1)
        #expect(first.talk.contains("Z info    Listening on 127.0.0.1:"))
        let again = await run("--public-url", "https://agent.example.org")
        #expect(again.lines == [link], "the same secret makes the same invitation")
        let file = "\(folder.path)/a/agent/agent.secret"
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `an agent refuses to open a store with another secret, and each store keeps its own`() async throws {
        #expect(await run().status == 0)
        let other = await run("--secret-file", "\(folder.path)/other")
        #expect(other.code == "cloud.secret.wrong" && other.status == 5)
        try Data("nothing".utf8).write(to: URL(filePath: "\(folder.path)/bad"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(folder.path)/bad")
        #expect(await run("--secret-file", "\(folder.path)/bad").code == "vault.key-file.malformed")
        #expect(await run().status == 0)
    }

    @Test func `an agent that finds another agent's store at its path does not start until its own is back`()
        async throws
    {
        let (path, manager) = ("\(folder.path)/a/agent/agent.sqlite", FileManager.default)
        let first = await run("--public-url", "https://agent.example.org")
        #expect(first.status == 0, "\(first.talk)")
        try manager.moveItem(atPath: path, toPath: "\(path).away")
        #expect(await run("--new-store", "--secret-file", "\(folder.path)/other").status == 0)
        let made = try #require(manager.contents(atPath: path))
        let replaced = await run()
        #expect(replaced.code == "cloud.secret.wrong" && replaced.status == 5 && replaced.lines.isEmpty)
        #expect(await run("--new-store").code == "cloud.secret.wrong", "--new-store begins where there is none alone")
        #expect(manager.contents(atPath: path) == made, "it stays as it is")
        try manager.removeItem(atPath: path)
        try manager.moveItem(atPath: "\(path).away", toPath: path)
        #expect(await run("--public-url", "https://agent.example.org").lines == first.lines)
    }

    @Test(.shows("A9"))
    func `an agent whose store is missing or empty beside its secret does not start unless a new store is requested`()
        async throws
    {
        let (path, manager) = ("\(folder.path)/a/agent/agent.sqlite", FileManager.default)
        let first = await run()
        #expect(first.status == 0, "\(first.talk)")
        try manager.moveItem(atPath: path, toPath: "\(path).away")
        let gone = await run()
        #expect(gone.code == "cloud.store.emptied" && gone.status == 10 && gone.talk.contains("--new-store"))
        #expect(!manager.fileExists(atPath: path), "nothing is made")
        _ = manager.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        #expect(await run().code == "cloud.store.emptied")
        let verified = await CommandRun.run(["agent", "verify", "--data", "\(folder.path)/a/agent"])
        #expect(verified.code == "cloud.store.emptied")
        #expect(manager.contents(atPath: path) == Data(), "it stays as it is")
        let anew = await run("--new-store", "--public-url", "https://agent.example.org")
        #expect(anew.status == 0, "\(anew.talk)")
        #expect(await run("--public-url", "https://agent.example.org").lines == anew.lines, "under the same invitation")
        try manager.removeItem(atPath: path)
        try manager.moveItem(atPath: "\(path).away", toPath: path)
        #expect(await run().status == 0)
        try manager.removeItem(atPath: "\(folder.path)/a/agent/agent.secret")
        let bare = await run()
        #expect(bare.code == "cloud.secret.wrong", "a store without its secret gets no other one")
        #expect(!manager.fileExists(atPath: "\(folder.path)/a/agent/agent.secret"))
    }

    @Test func `a second agent on one store is refused with the next step`() async throws {
        let setup = CommandRun.Setup()
        let line = ["agent", "run", "--data", "\(folder.path)/a/agent", "--listen", "127.0.0.1:0"]
        let running = Task { await CommandRun.run(line, setup) }
        _ = try await setup.output.line(beginningWith: "http://")
        let second = await run()
        #expect(second.code == "cloud.store.in-use" && second.status == 4, "\(second.talk)")
        #expect(await CommandRun.run(["agent", "status", "--data", "\(folder.path)/a/agent"]).status == 0)
        running.cancel()
        #expect(await running.value.status == 0)
        #expect(await run().status == 0)
    }

    @Test func `agent run options that exclude each other or lack their counterpart are usage errors`() async {
        #expect(await run("--open", "--closed").status == 2)
        #expect(await run("--tls-cert", "x").status == 2)
        #expect(await run("--store", "mysql://x").status == 2)
        for place in ["8040", "localhost:8040", "127.0.0.1:", "127.0.0.1:70000", "[::1:8040"] {
            #expect(await run("--listen", place).status == 2, "\(place)")
        }
    }

    @Test func `with --allow the agent prints one invitation for each name, and none for every client`() async throws {
        let file = try folder.write("names", "anna\n# x\nthe office *\n")
        let shown = await run("--allow", file)
        #expect(shown.status == 0 && shown.lines.count == 2, "\(shown.talk)")
        #expect(shown.lines[0].hasPrefix("anna\thttp://127.0.0.1:") && shown.lines[1].hasPrefix("the office\thttp://"))
        let json = await run("--allow", file, "--json")
        #expect(
            json.output.contains(#""event":"cloud-agent-invitation","#) && json.output.contains(#""isForMany":true"#))
        #expect(await run("--allow", "\(folder.path)/none").code == "config.not-found")
        #expect(await run("--allow", try folder.write("bad", "a\na\n")).code == "cloud.allow-list.malformed")
    }

    @Test func `the list of --allow is read again on request, shows new names, and a bad list changes nothing`()
        async throws
    {
        let (stream, asking) = AsyncStream.makeStream(of: Void.self)
        var setup = CommandRun.Setup()
        setup.rereads = { stream }
        let file = try folder.write("names", "anna\n")
        let line = ["agent", "run", "--data", "\(folder.path)/agent", "--listen", "127.0.0.1:0", "--allow", file]
        let running = Task { [setup] in await CommandRun.run(line, setup) }
        let first = try await setup.output.line(beginningWith: "anna\t")
        for (text, sign) in [
            ("anna\nanna\n", "The list stays as it was: "), ("bob\nanna\ncarl\n", "The list has 3 names"),
        ] {
            _ = try folder.write("names", text)
            asking.yield()
            _ = try await setup.talk.text(containing: sign)
        }
        _ = try await setup.output.line(beginningWith: "carl\t")
        try FileManager.default.removeItem(atPath: file)
        asking.yield()
        _ = try await setup.talk.text(containing: "The list stays as it was: config.not-found")
        running.cancel()
        let ended = await running.value
        #expect(ended.status == 0, "\(ended.talk)")
        let names = ended.lines.map { $0.prefix { $0 != "\t" } }
        #expect(names == ["anna", "bob", "carl"] && ended.lines.first == first, "the old one is not shown again")
        #expect(ended.talk.contains("cloud.allow-list.malformed") && ended.talk.contains("/names: "), "\(ended.talk)")
    }

    @Test(.enabled(if: BuiltProgram.url != nil, "skipped: the program was not built beside the tests"))
    func `SIGHUP makes an agent read its --allow list again, and ends an agent without a list`() async throws {
        let file = try folder.write("names", "anna\n")
        let line = ["agent", "run", "--data", "\(folder.path)/agent", "--listen", "127.0.0.1:0"]
        let listed = try BuiltProgram.Run(line + ["--allow", file], in: folder)
        #expect(try await listed.line("anna\t") != nil, "\(listed.errors)")
        _ = try folder.write("names", "bob\n")
        listed.signal(SIGHUP)
        #expect(try await listed.line("bob\t") != nil, "\(listed.errors)")
        listed.signal(SIGTERM)
        #expect(try await listed.status() == 0, "\(listed.errors)")
        let plain = try BuiltProgram.Run(line, in: folder)
        #expect(try await plain.line("http://") != nil, "\(plain.errors)")
        plain.signal(SIGHUP)
        #expect(try await plain.status() == -SIGHUP)
        let managed = try BuiltProgram.Run(
            line, in: folder, variables: ["NOTIFY_SOCKET": "\(folder.path)/nobody.sock"])
        #expect(try await managed.line("http://") != nil, "\(managed.errors)")
        managed.signal(SIGHUP)
        managed.signal(SIGTERM)
        #expect(try await managed.status() == 0, "\(managed.errors)")
    }

    @Test func `the agent states for each invitation whether it opens new accounts`() async throws {
        let words = "Opens no new accounts"
        #expect(await !run().talk.contains(words))
        let closed = await run("--closed")
        #expect(closed.talk.contains(words) && closed.lines.count == 1, "\(closed.talk)")
        let file = try folder.write("names", "anna\n")
        for (options, word) in [
            ([], "open"), (["--closed"], "closed"), (["--allow", file], "listed"),
            (["--allow", file, "--closed"], "closed"),
        ] {
            let line = [
                "agent", "run", "--data", "\(folder.path)/a", "--for", "1ms", "--listen", "127.0.0.1:0", "--json",
            ]
            let run = await CommandRun.run(line + options)
            #expect(run.output.contains(#""admission":"\#(word)""#), "\(options)")
        }
    }

    @Test func `an agent address that cannot be listened on and a store that cannot be made fail with their codes`()
        async
    {
        #expect(await run("--listen", "192.0.2.1:8040").code == "web.listen.failed")
        #expect(await run("--store", "sqlite:\(folder.path)/none/there.sqlite").code == "cloud.store.path")
    }
}
