import Aries
import CloudAgent
import Foundation
import Terminal
import Testing

@testable import Commands

@Suite struct AgentRunTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ rest: String...) async -> CommandRun {
        let place = rest.contains("--listen") ? [] : ["--listen", "127.0.0.1:0"]
        return await CommandRun.run(
            ["agent", "run", "--data", "\(folder.path)/a/agent", "--for", "1ms"] + place + rest)
    }

    @Test func `without configuration it listens on this machine, shows its invitation and keeps it`() async throws {
        let first = await run("--public-url", "https://agent.example.org/")
        #expect(first.status == 0, "\(first.talk)")
        let link = try #require(first.lines.first)
        #expect(link.hasPrefix("https://agent.example.org?oob=") && first.lines.count == 1)
        #expect(first.talk.contains("Listens on 127.0.0.1:"))
        let again = await run("--public-url", "https://agent.example.org")
        #expect(again.lines == [link], "the same secret makes the same invitation")
        let file = "\(folder.path)/a/agent/agent.secret"
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `a store is not opened with another secret, and keeps its own`() async throws {
        #expect(await run().status == 0)
        let other = await run("--secret-file", "\(folder.path)/other")
        #expect(other.code == "cloud.secret.wrong" && other.status == 5)
        try Data("nothing".utf8).write(to: URL(filePath: "\(folder.path)/bad"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(folder.path)/bad")
        #expect(await run("--secret-file", "\(folder.path)/bad").code == "vault.key-file.malformed")
        #expect(await run().status == 0)
    }

    @Test func `options that exclude each other or lack their pair are usage errors`() async {
        #expect(await run("--open", "--closed").status == 2)
        #expect(await run("--tls-cert", "x").status == 2)
        #expect(await run("--store", "mysql://x").status == 2)
        for place in ["8040", "localhost:8040", "127.0.0.1:", "127.0.0.1:70000", "[::1:8040"] {
            #expect(await run("--listen", place).status == 2, "\(place)")
        }
    }

    @Test func `what cannot be listened on or kept is told`() async {
        #expect(await run("--listen", "192.0.2.1:8040").code == "web.listen.failed")
        #expect(await run("--store", "sqlite:\(folder.path)/none/there.sqlite").code == "cloud.store.path")
    }
}
