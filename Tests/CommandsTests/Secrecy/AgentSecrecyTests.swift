import CommandTestSupport
import Foundation
import Terminal
import Testing
import WebAddressing
import WebTransport

/// Whatever a cloud agent at work says, in its logs and to its operator, holds no key, no identifier and nothing of a
/// message.
@Suite struct AgentSecrecyTests {
    private let vaults: VaultFolder
    private static let free = "--allow-private"
    private static let body = "Zq7xKvW0mB3jY9Lt5Rd2 QpX8"
    private static let garbage = "Hn4cUe6sGf1oTa8iVk3P ZwJ7"

    init() throws { vaults = try VaultFolder() }

    private var data: String { "\(vaults.folder.path)/agent" }

    @Test(arguments: [["--json"], []])
    func `a cloud agent that delivered messages logs neither names of owners nor contents`(mode: [String]) async throws
    {
        let setup = CommandRun.Setup()
        let line = [
            "agent", "run", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--data", data,
            "--report-interval", "1s", Self.free,
        ]
        let running = Task { await CommandRun.run(line + mode, setup) }
        let link = try await link(in: setup, isJSON: !mode.isEmpty)
        let names = try await talk(over: link)
        let place = "The operator's page is at http://127.0.0.1:"
        let page = try await setup.talk.text(containing: place)
        let digits = page.split(separator: place).last?.prefix { $0.isNumber } ?? ""
        var said = try await operatorsPages(try #require(UInt16(digits)))
        running.cancel()
        let ended = await running.value
        #expect(ended.status == 0, "\(ended.talk)")
        for command in ["accounts", "status", "verify"] {
            let run = await CommandRun.run(["agent", command, "--data", data] + mode)
            #expect(run.status == 0, "\(run.talk)")
            said += run.output + run.talk
        }
        // The invitation is what it is there to say.
        said += (ended.output + ended.talk).replacing(link, with: "")
        #expect(said.contains("taken") && names.count > 10)
        for name in names { #expect(!said.contains(name), "\(name) was said") }
        for text in [Self.body, Self.garbage] { #expect(SecretSearch.leaks(of: Array(text.utf8), in: said) == []) }
        let secret = try vaults.folder.read("agent/agent.secret")
        #expect(!said.contains(String(decoding: secret, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    private func link(in setup: CommandRun.Setup, isJSON: Bool) async throws -> String {
        guard isJSON else { return try await setup.output.line(beginningWith: "http://") }
        let ready = try await setup.output.line(
            beginningWith: #"{"schema":"symbolon.events","version":1,"event":"cloud-agent","#)
        return try #require(EventLine(ready)?["link"] as? String)
    }

    /// Two wallets use the agent, connect, and one writes to the other; an unknown client sends invalid bytes.
    ///
    /// - Returns: The names of the wallets, their connections and their messages.
    private func talk(over link: String) async throws -> Set<String> {
        let (ann, bob) = (await vaults.make("ann"), await vaults.make("bob"))
        for vault in [ann, bob] {
            let used = await vaults.run(["mediator", "use"], vault, [link, Self.free])
            #expect(used.status == 0, "\(used.talk)")
        }
        let invited = await vaults.run(["invite", "create"], ann)
        let invitation = try #require(invited.lines.first, "\(invited.talk)")
        let (listened, key) = (CommandRun.Setup(), vaults.key)
        let listening = Task { await CommandRun.run(["listen", ann, Self.free, "--json"] + key, listened) }
        let accepted = await vaults.run(["invite", "accept"], bob, [invitation, Self.free, "--json"])
        let id = try #require(accepted.events("acceptance").first?["connection"] as? String, "\(accepted.talk)")
        let sent = await vaults.run(["messages", "send"], bob, [id, Self.body, Self.free])
        #expect(sent.status == 0, "\(sent.talk)")
        _ = try await listened.output.line(beginningWith: #"{"schema":"symbolon.events","version":1,"event":"message""#)
        listening.cancel()
        _ = await listening.value
        try await sendGarbage(to: link)
        return try await names(in: [ann, bob])
    }

    private func sendGarbage(to link: String) async throws {
        let address = try WebAddress(
            parsing: String(link.split(separator: "?")[0]) + "/\(Self.garbage.filter { $0 != " " })")
        let service = WebService()
        let request = HTTPRequest(
            .post, try RequestTarget(parsing: "/\(Self.garbage.filter { $0 != " " })"),
            headers: ["Content-Type": "application/didcomm-envelope-enc"], body: Array(Self.garbage.utf8))
        let answer = try await HTTPClient(service).send(
            request, to: WebConnectionTarget(.v4(IPv4Address(127, 0, 0, 1)), for: address))
        #expect(answer.status == 400)
        await service.stop()
    }

    /// Whatever the vaults tell that is long enough to name something: DIDs, keys, identifiers.
    private func names(in folders: [String]) async throws -> Set<String> {
        var names: Set<String> = []
        for vault in folders {
            let list = await vaults.run(["connections", "list"], vault, ["--json"])
            for event in list.events("connection") {
                let id = try #require(event["id"] as? String)
                for run in [
                    await vaults.run(["connections", "show"], vault, [id, "--json"]),
                    await vaults.run(["messages", "list"], vault, [id, "--json"]),
                ] {
                    for name in ["connection", "message"] {
                        for value in run.events(name).flatMap(\.strings) where Self.isName(value) {
                            names.insert(value)
                        }
                    }
                }
            }
        }
        return names
    }

    /// Returns true for a text that can be a DID, a key or an identifier: no sentence, no time and no address.
    private static func isName(_ text: String) -> Bool {
        text.utf8.count >= 16 && !text.hasPrefix("http") && !text.hasPrefix("ws") && !text.contains(" ")
            && !text.hasPrefix("20")
    }

    private func operatorsPages(_ port: UInt16) async throws -> String {
        let service = WebService()
        var said = ""
        for path in ["/", "/metrics", "/status", "/readyz"] {
            let answer = try await HTTPClient(service).send(
                HTTPRequest(.get, try RequestTarget(parsing: path)),
                to: WebConnectionTarget(.v4(IPv4Address(127, 0, 0, 1)), port: port))
            #expect(answer.status == 200, "\(path)")
            said += String(decoding: answer.body, as: UTF8.self)
        }
        await service.stop()
        return said
    }
}
