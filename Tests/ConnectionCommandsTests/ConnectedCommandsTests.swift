import Aries
import AriesConnections
import CommandTestSupport
import CryptoSuite
import DIDComm
import Determinism
import Foundation
import JSON
import Terminal
import Testing
import Vault

/// Commands on a connection with another vault, which listens.
@Suite struct ConnectedCommandsTests {
    private let vaults: VaultFolder
    private let vault: String
    private static let free = "--allow-private"

    init() async throws {
        vaults = try VaultFolder()
        vault = await vaults.make("vault")
    }

    private struct Pair {
        let other: String
        let output: MemorySink
        let link: String
        let id: String
        let accepted: CommandRun
    }

    /// Runs `body` with a connection to a vault that listens; looks at every line of both.
    private func whileConnected(_ body: (Pair) async throws -> Void) async throws {
        let manual = try EventsManual()
        let ended = try await vaults.whileListening { other, endpoint, output in
            let invited = await vaults.run(["invite", "create"], other, ["--endpoint", endpoint])
            let link = try #require(invited.lines.first, "\(invited.talk)")
            let accepted = await vaults.run(["invite", "accept"], vault, [link, Self.free, "--json"])
            let id = try #require(
                accepted.events("acceptance").first?["connection"] as? String, "\(accepted.talk)")
            for line in accepted.lines { #expect(manual.complaints(about: line) == []) }
            try await body(Pair(other: other, output: output, link: link, id: id, accepted: accepted))
        }
        for line in ended.lines { #expect(manual.complaints(about: line) == []) }
    }

    private func run(_ command: [String], _ rest: [String]) async -> CommandRun {
        let run = await vaults.run(command, vault, rest)
        if rest.contains("--json"), let manual = try? EventsManual() {
            for line in run.lines { #expect(manual.complaints(about: line) == []) }
        }
        return run
    }

    @Test func `accepting an invitation reports last how the connection was made`() async throws {
        try await whileConnected { pair in
            #expect(pair.accepted.events("acceptance").first?["outcome"] as? String == "begun")
            let kinds = pair.accepted.lines.compactMap { EventLine($0)?.event }
            #expect(kinds.suffix(3) == ["connection", "acceptance", "finished"])
            let again = await run(["invite", "accept"], [pair.link, Self.free])
            #expect(again.lines == [pair.id])
            #expect(
                again.talk.hasSuffix("This invitation was accepted before; its connection with “Symbolon” is used.\n"))
            let inspected = await CommandRun.run(
                ["invite", "inspect", pair.link, "--vault", vault, "--json"] + vaults.key)
            let event = inspected.events("connection-invitation").first
            #expect(event?["outcome"] as? String == "accepted-before", "\(inspected.talk)")
            #expect(event?["connection"] as? String == pair.id)
        }
    }

    @Test func `a request that an invitation attaches is listed and answered with a message from a file`() async throws
    {
        let (asking, answering) = ("\(vaults.folder.path)/ask.json", "\(vaults.folder.path)/answer.json")
        let type = "https://didcomm.org/action-menu/1.0/menu"
        try #"{"@type":"\#(type)-request"}"#.write(toFile: asking, atomically: true, encoding: .utf8)
        try #"{"@type":"\#(type)","@id":"mine","title":"What?"}"#.write(
            toFile: answering, atomically: true, encoding: .utf8)
        _ = try await vaults.whileListening { other, endpoint, output in
            let invited = await vaults.run(
                ["invite", "create"], other, ["--endpoint", endpoint, "--request", asking])
            let link = try #require(invited.lines.first, "\(invited.talk)")
            let accepted = await run(["invite", "accept"], [link, Self.free, "--json"])
            #expect(accepted.status == 0, "\(accepted.talk)")
            let listed = await run(["requests", "list"], ["--json"])
            let request = try #require(listed.events("request").first, "\(accepted.talk) \(listed.talk)")
            #expect(request["type"] as? String == type + "-request")
            let id = try #require(request["id"] as? String)
            #expect(await run(["requests", "answer"], [id, Self.free]).code == "agent.request.unhandled")
            #expect(await run(["requests", "answer"], [id, "--message", asking, "--timeout", "0s"]).status == 2)
            let answered = await run(
                ["requests", "answer"], [id, "--message", answering, Self.free, "--timeout", "2m", "--json"])
            #expect(answered.events("request-answered").first?["isTold"] as? Bool == true, "\(answered.talk)")
            #expect(await run(["requests", "list"], ["--json"]).events("request").isEmpty)
            let connections = await vaults.run(["connections", "list"], other, ["--json"]).events("connection")
            let theirs = try #require(connections.first?["id"] as? String)
            let isThere = try await output.tells("connection-stage")
            #expect(isThere)
            #expect(await vaults.run(["messages", "list"], other, [theirs, "--json"]).output.contains(type + "\""))
        }
        #expect(
            await vaults.run(
                ["invite", "create"], vault, ["--endpoint", "http://a.example", "--request", vault + "/none"]
            ).code == "input.not-found")
    }

    @Test func `the peer answers pings and feature queries, and follows a rotation of our DID`() async throws {
        try await whileConnected { pair in
            let pinged = await run(["connections", "ping"], [pair.id, Self.free, "--count", "2", "--json"])
            #expect(pinged.status == 0, "\(pinged.talk)")
            #expect(pinged.events("ping").count == 2)
            #expect(await run(["connections", "ping"], [pair.id, Self.free]).output.hasPrefix("answered after "))

            let told = await run(["connections", "features"], [pair.id, Self.free, "--json"])
            let names = told.events("features").first?["protocols"] as? [String]
            #expect(names?.contains("https://didcomm.org/trust_ping/1.0") == true, "\(told.talk)")
            let some = await run(
                ["connections", "features"], [pair.id, Self.free, "--match", "https://didcomm.org/basicmessage/*"])
            #expect(some.lines == ["https://didcomm.org/basicmessage/1.0  sender, receiver"], "\(some.talk)")

            let before = await run(["connections", "show"], [pair.id]).output
            let rotated = await run(["connections", "rotate"], [pair.id, Self.free, "--json"])
            #expect(rotated.events("rotated").first?["isOurs"] as? Bool == true, "\(rotated.talk)")
            let isTold = try await pair.output.tells("rotated")
            #expect(isTold)
            #expect(await run(["connections", "show"], [pair.id]).output != before)
            #expect(await run(["connections", "ping"], [pair.id, Self.free]).status == 0)
        }
    }

    @Test func `a question is sent, shown to the other side and answered`() async throws {
        try await whileConnected { pair in
            let asked = await run(
                ["messages", "ask"],
                [pair.id, "For your eyes only: is it you?", "--answer", "Yes", "--answer", "No", Self.free])
            let question = try #require(asked.lines.first, "\(asked.talk)")
            let isTold = try await pair.output.tells("question")
            #expect(isTold)
            let listed = await vaults.run(["connections", "list"], pair.other, ["--json"])
            let theirs = try #require(listed.events("connection").first?["id"] as? String)
            let shown = await vaults.run(["messages", "list"], pair.other, [theirs])
            #expect(
                shown.output.contains("\(question)  asks: For your eyes only: is it you? (answers: “Yes”, “No”)"),
                "\(shown.output)")
            for (choice, code) in [("Perhaps", "aries.message.malformed"), ("Yes", nil)] as [(String, String?)] {
                let answered = await vaults.run(
                    ["messages", "answer"], pair.other, [theirs, question, choice, Self.free, "--timeout", "1s"])
                #expect(answered.code == code || code == nil && answered.code == "agent.delivery.failed")
            }
            let unknown = await vaults.run(["messages", "answer"], pair.other, [theirs, "none", "Yes", Self.free])
            #expect(unknown.code == "agent.request.unknown")
        }
    }

    @Test func `deleting a connection informs the peer, and with --silent does not`() async throws {
        try await whileConnected { pair in
            let deleted = await run(
                ["connections", "delete"], [pair.id, "--yes", Self.free, "--timeout", "2m", "--json"])
            #expect(deleted.events("connection-deleted").first?["isTold"] as? Bool == true, "\(deleted.talk)")
            let isTold = try await pair.output.tells("connection-ended")
            #expect(isTold)
            #expect(await run(["connections", "list"], []).lines.count == 1)
        }
    }

    @Test func `each line of standard input is sent as a text message, in order`() async throws {
        try await whileConnected { pair in
            let texts = ["For your eyes only: first", "For your eyes only: second", "For your eyes only: third"]
            var setup = CommandRun.Setup()
            setup.input = Array("\(texts[0])\n\n\(texts[1])\n\(texts[2])".utf8)
            let sent = await vaults.run(
                ["messages", "send"], vault, [pair.id, "-", Self.free, "--json"], setup: setup)
            #expect(sent.status == 0, "\(sent.talk)")
            #expect(sent.events("message").map { $0["text"] as? String } == texts)
            #expect(sent.events("delivery").map { $0["isDelivered"] as? Bool } == [true, true, true])
            for text in texts {
                let hasArrived = try await pair.output.waits(for: text)
                #expect(hasArrived)
            }
            let listed = await run(["messages", "list"], [pair.id, "--json"])
            #expect(listed.events("message").map { $0["text"] as? String } == texts)
        }
    }

    @Test func `messages watch prints messages as they are received and sent`() async throws {
        try await whileConnected { pair in
            let setup = CommandRun.Setup()
            let watching = Task { [vaults, vault] in
                await vaults.run(["messages", "watch"], vault, [Self.free, "--json"], setup: setup)
            }
            for _ in 0..<6000 where !setup.talk.text.contains("Watching") {
                try await Task.sleep(for: .milliseconds(10))
            }
            let sent = await run(["messages", "send"], [pair.id, "For your eyes only: good morning", Self.free])
            #expect(sent.status == 0, "\(sent.talk)")
            #expect(try await setup.output.waits(for: "For your eyes only: good morning"))
            watching.cancel()
            let ended = await watching.value
            #expect(ended.status == 0)
            #expect(ended.events("message").map { $0["direction"] as? String } == ["sent"])
            let short = await run(["messages", "watch"], [pair.id, Self.free, "--for", "1ms"])
            #expect(short.status == 0 && short.lines == [])
        }
    }

    @Test func `connections are exported to a sealed file, imported into another vault, and work there`() async throws {
        try await whileConnected { pair in
            let secret = try vaults.folder.writeSecret("secret", "carry these")
            let file = "\(vaults.folder.path)/one.export"
            let source = ["--export-passphrase", "file:\(secret)"]
            let exported = await run(
                ["connections", "export"], [file, "--connection", pair.id, "--json"] + source)
            #expect(exported.events("connections-archive").first?["connections"] as? Int == 1, "\(exported.talk)")
            #expect(await run(["connections", "export"], [file] + source).code == "vault.exists")
            let unknown = await run(["connections", "export"], ["\(file)2", "--connection", "none"] + source)
            #expect(unknown.code == "agent.connection.unknown")

            let third = await vaults.make("third")
            let imported = await vaults.run(["connections", "import"], third, [file] + source)
            #expect(imported.status == 0, "\(imported.talk)")
            let again = await vaults.run(["connections", "import"], third, [file] + source)
            #expect(again.code == "vault.record.exists")
            let other = await vaults.run(["connections", "import"], third, [file, "--connection", "x"] + source)
            #expect(other.code == "agent.connection.unknown")
            let wrong = try vaults.folder.writeSecret("wrong", "something else")
            let refused = await vaults.run(
                ["connections", "import"], third, [file, "--export-passphrase", "file:\(wrong)"])
            #expect(refused.code == "vault.export.wrong-passphrase")

            #expect(await run(["connections", "delete"], [pair.id, "--yes", "--silent"]).status == 0)
            let pinged = await vaults.run(["connections", "ping"], third, [pair.id, Self.free])
            #expect(pinged.status == 0, "\(pinged.talk)")
            let all = await vaults.run(["connections", "export"], third, ["\(file)3"] + source)
            #expect(all.output.hasPrefix("1 connections, "), "\(all.talk)")
        }
    }

    @Test func `a known inviter that refuses reuse gets a new connection, and the last line states the reason`()
        async throws
    {
        try await whileConnected { pair in
            guard case .invitation(let first) = try InvitationText(parsing: pair.link) else { return }
            // Another invitation with the same key, of which its owner knows nothing.
            var object = first.object
            object["@id"] = "unheard-of"
            let run = await run(
                ["invite", "accept"],
                [String(decoding: object.encoded, as: UTF8.self), Self.free, "--timeout", "1s", "--json"])
            #expect(run.code == "aries.connection.timeout" || run.code == "aries.connection.rejected", "\(run.talk)")
            let codes = run.events("passed-over").map { $0["code"] as? String }
            #expect(codes.contains("aries.connection.timeout"), "\(run.output)")
            let listed = await vaults.run(["connections", "list"], vault, ["--json"])
            #expect(listed.events("connection").first?["stage"] as? String == "completed")
        }
    }
}
