import Aries
import AriesConnections
import CommandTestSupport
import CryptoSuite
import DIDComm
import Determinism
import Foundation
import Terminal
import TestSupport
import Testing
import Vault
import WebTransport

@testable import ConnectionCommands

@Suite struct ConnectionCommandsTests {
    private let folder: TemporaryFolder
    private let vault: String
    private let key: [String]

    init() async throws {
        folder = try TemporaryFolder()
        vault = "\(folder.path)/vault"
        key = ["--key-file", "\(folder.path)/key"]
        let made = await CommandRun.run(["vault", "create", vault, "--new-key-file", "\(folder.path)/key"])
        #expect(made.status == 0, "\(made.talk)")
    }

    private func run(_ command: [String], _ rest: [String] = [], vault path: String? = nil) async -> CommandRun {
        await CommandRun.run(command + [path ?? vault] + rest + key)
    }

    private func create(_ rest: String...) async -> CommandRun {
        await run(
            ["invite", "create"], rest.contains("--endpoint") ? rest : rest + ["--endpoint", "http://127.0.0.1:9"])
    }

    private func value(_ name: String, of event: String, in lines: [String]) -> String? {
        for line in lines.reversed() {
            let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            if object?["event"] as? String == event { return object?[name] as? String }
        }
        return nil
    }

    @Test func `a created invitation is a link that inspect explains`() async throws {
        let made = await create("--goal", "To see", "--multi-use", "--expires-in", "1h")
        #expect(made.status == 0, "\(made.talk)")
        #expect(made.lines.count == 1)
        let link = try #require(made.lines.first)
        #expect(link.hasPrefix("http://127.0.0.1:9?oob="))
        let explained = await CommandRun.run(["invite", "inspect", link])
        #expect(explained.status == 0 && explained.output.contains("To see"), "\(explained.talk)")
        let older = await create("--kind", "connections")
        #expect(older.lines.first?.hasPrefix("http://127.0.0.1:9?c_i=") == true)
    }

    @Test(arguments: ["inline", "did:peer:2", "did:peer:4"])
    func `an invitation can be created with every form of service, and its events are as the manual says`(form: String)
        async throws
    {
        let manual = try EventsManual()
        let made = await create("--service", form, "--handshake", "connections/1.0", "--json")
        #expect(made.status == 0, "\(made.talk)")
        for line in made.lines { #expect(manual.complaints(about: line) == []) }
    }

    @Test func `the QR code of an invitation is written to a file on request`() async throws {
        let made = await create("--qr-file", "\(folder.path)/code.svg")
        #expect(made.status == 0, "\(made.talk)")
        #expect(try folder.names().contains("code.svg"))
        #expect(await create("--qr-file", "\(folder.path)/code.txt").code == "usage.bad-value")
    }

    @Test func `options that an invitation's kind cannot express are refused`() async {
        #expect(await create("--kind", "connections", "--goal", "x").code == "usage.conflict")
        #expect(await create("--kind", "connections", "--service", "did:peer:4").code == "usage.conflict")
        #expect(await create("--kind", "connections", "--handshake", "didexchange/1.1").code == "usage.conflict")
        #expect(await create("--endpoint", "nowhere").code == "usage.bad-value")
    }

    @Test func `an unknown connection is refused with its own code by every command`() async {
        for command in ["show", "delete"] {
            #expect(await run(["connections", command], ["none"]).code == "agent.connection.unknown")
        }
        #expect(await run(["connections", "rename"], ["none", "x"]).code == "agent.connection.unknown")
        #expect(await run(["messages", "list"], ["none"]).code == "agent.connection.unknown")
        #expect(await run(["messages", "send"], ["none", "x"]).code == "agent.connection.unknown")
        #expect(await run(["messages", "ask"], ["none", "x", "--answer", "y"]).code == "agent.connection.unknown")
        #expect(await run(["messages", "watch"], ["none"]).code == "agent.connection.unknown")
        for command in ["ping", "features", "rotate"] {
            #expect(await run(["connections", command], ["none"]).code == "agent.connection.unknown")
        }
    }

    @Test func `message lines of standard input may end with LF or CRLF, and empty lines are skipped`() throws {
        let bytes = Array("one\r\n\r\ntwo\n three\rfour \r\r\n\nlast\r".utf8)
        #expect(try MessagesSendCommand.texts(in: bytes) == ["one", "two", " three\rfour \r", "last"])
    }

    @Test func `all texts of standard input are checked before the first is sent`() async {
        func send(_ input: String) async -> String? { await send(Array(input.utf8)) }
        func send(_ input: [UInt8]) async -> String? {
            let setup = CommandRun.Setup(input: input)
            return await CommandRun.run(["messages", "send", vault, "none", "-"] + key, setup).code
        }
        let longest = String(repeating: "x", count: 65_536)
        #expect(await send("") == "input.empty")
        #expect(await send("\n\n") == "input.empty")
        #expect(await send("a\n\(longest)\n") == "agent.connection.unknown")
        #expect(await send("a\n\(longest)x\n") == "input.too-large")
        #expect(await send("a\r\n\(longest)\r\n") == "agent.connection.unknown", "an end of line counts for nothing")
        #expect(await send("\r\n\r\n") == "input.empty")
        #expect(await send([UInt8](repeating: 0xFF, count: 21_845)) == "agent.connection.unknown")
        #expect(await send([UInt8](repeating: 0xFF, count: 21_846)) == "input.too-large", "each byte becomes three")
    }

    @Test(arguments: [
        [], ["--web-socket", "--handshake", "connections/1.0"], ["--handshake", "connections/1.0"],
        ["--handshake", "didexchange/1.0"],
    ])
    func `connect demo connects two agents and sends a text each way`(options: [String]) async throws {
        let manual = try EventsManual()
        let run = await CommandRun.run(["connect", "demo", "--json"] + options)
        #expect(run.status == 0, "\(run.talk)")
        for line in run.lines { #expect(manual.complaints(about: line) == []) }
        #expect(run.lines.filter { $0.contains(#""direction":"received""#) }.count == 2)
        let name = value("protocol", of: "connect-demo", in: run.lines)
        #expect(name?.hasSuffix(options.last ?? "didexchange/1.1") == true)
    }

    @Test func `connect demo prints which agent does what`() async {
        let run = await CommandRun.run(["connect", "demo"])
        #expect(run.status == 0)
        #expect(
            run.talk.contains("inviter") && run.talk.contains("hears: Good morning."), "\(run.talk)"
        )
        #expect(run.output.hasPrefix("connected by "))
    }

    @Test func `text that is no invitation is refused before the vault is opened`() async {
        #expect(await run(["invite", "accept"], ["hello"]).code == "aries.invitation.not-recognised")
        #expect(await run(["invite", "accept"], ["http://127.0.0.1:9/abc"]).code == "web.fetch.insecure")
        #expect(await run(["invite", "accept"], ["https://127.0.0.1:9/abc"]).code == "web.fetch.address-refused")
    }

    /// Runs `body` with the endpoint of another vault that listens, and its output.
    private func whileListening(
        _ body: (_ vault: String, _ endpoint: String, _ output: MemorySink) async throws -> Void
    ) async throws {
        let other = "\(folder.path)/other"
        let made = await CommandRun.run(["vault", "create", other] + key)
        #expect(made.status == 0, "\(made.talk)")
        let setup = CommandRun.Setup()
        let listening = Task { [key] in
            await CommandRun.run(["listen", other, "--allow-private", "--json"] + key, setup)
        }
        let line = try await setup.output.line(
            beginningWith: #"{"schema":"symbolon.events","version":1,"event":"listening""#)
        let endpoint = try #require(value("endpoint", of: "listening", in: [line]))
        do { try await body(other, endpoint, setup.output) } catch {
            listening.cancel()
            _ = await listening.value
            throw error
        }
        listening.cancel()
        let ended = await listening.value
        #expect(ended.status == 0, "\(ended.talk)")
        let manual = try EventsManual()
        for line in ended.lines { #expect(manual.complaints(about: line) == []) }
    }

    @Test func `two vaults are connected, exchange messages, and delete the connection`() async throws {
        try await whileListening { other, endpoint, output in
            let invited = await run(["invite", "create"], ["--endpoint", endpoint], vault: other)
            let link = try #require(invited.lines.first, "\(invited.talk)")
            let accepted = await run(
                ["invite", "accept"], [link, "--allow-private", "--name", "Them", "--json"])
            #expect(accepted.status == 0, "\(accepted.talk)")
            let manual = try EventsManual()
            for line in accepted.lines { #expect(manual.complaints(about: line) == []) }
            let id = try #require(value("id", of: "connection", in: accepted.lines))
            let again = await run(["invite", "accept"], [link, "--allow-private"])
            #expect(again.lines == [id], "\(again.talk)")

            let sent = await run(["messages", "send"], [id, "For your eyes only: good morning", "--allow-private"])
            #expect(sent.status == 0, "\(sent.talk)")
            try await waitFor("For your eyes only: good morning", in: output)
            #expect(await run(["messages", "list"], [id]).output.contains(">  For your eyes only: good morning"))

            #expect(await run(["connections", "list"]).output.contains("Them"))
            #expect(await run(["connections", "rename"], [id, "Others"]).lines == ["\(id)  Others"])
            #expect(await run(["connections", "show"], [id]).output.contains("Others"))
            #expect(await run(["connections", "delete"], [id]).code == "usage.missing-option")
            #expect(await run(["connections", "delete"], [id, "--yes", "--allow-private"]).status == 0)
            #expect(await run(["connections", "list"]).lines.count == 1)
        }
    }

    private func waitFor(_ text: String, in output: MemorySink) async throws {
        for _ in 0..<6000 where !output.text.contains(text) { try await Task.sleep(for: .milliseconds(10)) }
        #expect(output.text.contains(text))
    }

    /// Another vault with the same key file.
    private func otherVault() async -> String {
        let other = "\(folder.path)/other"
        #expect(await CommandRun.run(["vault", "create", other] + key).status == 0)
        return other
    }

    @Test
    func `an invitation with an address that our rules refuse fails at once, with the cause and the option that helps`()
        async throws
    {
        let made = await create()
        let link = try #require(made.lines.first)
        let other = await otherVault()
        for _ in 0..<2 {
            let refused = await run(["invite", "accept"], [link], vault: other)
            #expect(refused.code == "web.fetch.address-refused" && refused.talk.contains("--allow-private"))
        }
        let listed = await run(["connections", "list", "--json"], vault: other)
        #expect(value("stage", of: "connection", in: listed.lines) == "requested", "it can be tried again")
        #expect(value("code", of: "connection", in: listed.lines) == "web.fetch.address-refused")
        #expect(listed.lines.count { $0.contains(#""event":"connection""#) } == 1, "both tries are one connection")
    }

    @Test
    func `an inviter that does not answer is waited for, and accepting again continues the same connection`()
        async throws
    {
        let inviter = try await ScriptedServer { _, _ in HTTPResponse(202) }
        let made = await create("--endpoint", inviter.base, "--goal", "To see")
        let link = try #require(made.lines.first)
        let other = await otherVault()
        let accept = [link, "--allow-private", "--timeout", "500ms"]
        let late = await run(["invite", "accept"], accept, vault: other)
        #expect(late.code == "aries.connection.timeout" && late.talk.contains("neither --endpoint nor a mediator"))
        let again = await run(["invite", "accept"], accept + ["--endpoint", "http://127.0.0.1:9"], vault: other)
        #expect(again.code == "aries.connection.timeout", "\(again.talk)")
        let listed = await run(["connections", "list"], ["--json"], vault: other)
        #expect(listed.lines.count { $0.contains(#""event":"connection""#) } == 1)
        #expect(value("stage", of: "connection", in: listed.lines) == "requested")
        #expect(value("ourDID", of: "connection", in: listed.lines)?.hasPrefix("did:peer:4") == true)
        #expect(value("goal", of: "connection", in: listed.lines) == "To see")
        #expect(value("created", of: "connection", in: listed.lines) != nil)
        let invitation = try #require(value("invitation", of: "connection", in: listed.lines))
        let issued = await run(["invite", "list"], ["--json"])
        #expect(value("id", of: "issued-invitation", in: issued.lines) == invitation)
        await inviter.stop()
    }

    @Test(.shows("ARI-127")) func `invitations are listed, shown again with their link, and can be withdrawn`()
        async throws
    {
        #expect(await create("--goal", "To see", "--multi-use").status == 0)
        let manual = try EventsManual()
        let listed = await run(["invite", "list"], ["--json"])
        for line in listed.lines { #expect(manual.complaints(about: line) == []) }
        let id = try #require(value("id", of: "issued-invitation", in: listed.lines))
        #expect(value("state", of: "issued-invitation", in: listed.lines) == "open")
        #expect(value("link", of: "issued-invitation", in: listed.lines)?.contains("oob=") == true)
        let shown = await run(["invite", "list"])
        #expect(shown.output.contains("To see") && shown.output.contains("many"))
        let link = value("link", of: "issued-invitation", in: listed.lines)
        let again = await run(["invite", "show"], [String(id.prefix(12))])
        #expect(again.lines == [link] && again.talk.contains("state: open, for many") && again.talk.contains("QR code"))
        #expect(await run(["invite", "show"], [id, "--json"]).lines.first?.contains(id) == true)
        #expect(await run(["invite", "withdraw"], [id]).lines == ["\(id)  withdrawn"])
        let closed = await run(["invite", "show"], [id])
        #expect(closed.lines == [link] && closed.talk == "state: withdrawn, for many\n")
        #expect(await run(["invite", "list"]).output.contains("withdrawn"))
        #expect(await run(["invite", "withdraw"], ["none"]).code == "agent.invitation.unknown")
    }

    @Test func `accepting an invitation makes our DID with the requested method`() async throws {
        let inviter = try await ScriptedServer { _, _ in HTTPResponse(202) }
        let made = await create("--endpoint", inviter.base)
        let link = try #require(made.lines.first)
        let other = await otherVault()
        _ = await run(
            ["invite", "accept"], [link, "--allow-private", "--timeout", "200ms", "--did-form", "did:peer:2"],
            vault: other)
        let listed = await run(["connections", "list"], ["--json"], vault: other)
        #expect(value("ourDID", of: "connection", in: listed.lines)?.hasPrefix("did:peer:2") == true)
        await inviter.stop()
    }

    private static func asking(_ service: String) -> String {
        let parts = [
            #"{"@type":"https://didcomm.org/out-of-band/1.1/invitation","@id":"o-1","label":"Desk","requests~attach":[{"#,
            #""@id":"r","data":{"json":{"@type":"https://didcomm.org/x/1.0/ask","@id":"m\u001b[2J\u202e"}}}],"services":["#,
            #"{"id":"inline","type":"did-communication","recipientKeys":["GJ1SzoWzavQYfNL9XkaJdrQejfztN4XqdsiV4ct3LXKL"],"#,
            #""serviceEndpoint":"\#(service)"}]}"#,
        ]
        return parts.joined()
    }

    @Test func `a connectionless request is stored and shown sanitised, and declining it informs its sender`()
        async throws
    {
        let heard = try await ScriptedServer { _, _ in HTTPResponse(202) }
        let accepted = await run(
            ["invite", "accept"], [Self.asking(heard.base), "--allow-private", "--json"])
        #expect(accepted.status == 0, "\(accepted.talk)")
        #expect(value("outcome", of: "acceptance", in: accepted.lines) == "request-only")
        #expect(accepted.lines.contains { $0.contains(#""event":"request""#) })
        let alone = await run(["invite", "accept"], [SampleConnectionInvitation.request])
        #expect(alone.status == 0 && alone.talk.hasSuffix("The request is kept; no connection was made.\n"))
        let listed = await run(["requests", "list"])
        #expect(listed.lines.count == 3 && listed.output.contains("https://didcomm.org/x/1.0/ask"))
        #expect(!listed.output.contains("\u{1B}") && !listed.output.contains("\u{202E}"))
        #expect(await run(["connections", "list"]).lines.count == 1, "the titles alone")
        let shown = await run(["requests", "show"], ["r-1"])
        #expect(shown.lines.count == 1 && shown.output.hasPrefix("{") && shown.output.contains("r-1"))
        let event = await run(["requests", "show"], ["r-1", "--json"])
        #expect(value("message", of: "request", in: event.lines)?.contains(#""@id":"r-1""#) == true)
        #expect(heard.requests.isEmpty)

        let declined = await run(["requests", "decline"], ["m\u{1B}[2J\u{202E}", "--allow-private", "--json"])
        #expect(declined.lines.contains { $0.contains(#""isTold":true"#) }, "\(declined.output) \(declined.talk)")
        #expect(heard.requests.count == 1)
        // A request whose sender names no address for answers can be declined, too.
        let untold = await run(["requests", "decline"], ["r-1", "--allow-private"])
        #expect(untold.lines == ["r-1  declined"] && untold.talk.contains("could not be told"), "\(untold.talk)")
        #expect(await run(["requests", "decline"], ["r-1"]).code == "agent.request.unknown")
        #expect(await run(["requests", "list"]).lines.count == 1)
        await heard.stop()
    }

    @Test func `listen ends after the time of --for`() async {
        let run = await run(["listen"], ["--for", "10ms"])
        #expect(run.status == 0, "\(run.talk)")
    }

    @Test func `a connection can be listed, shown, renamed and deleted`() async throws {
        let id = try await SampleVault.makeConnection(in: vault, keyFile: key[1])
        let listed = await run(["connections", "list"])
        #expect(listed.lines.last?.hasPrefix("\(id)  requested  invitee  Them") == true, "\(listed.output)")
        #expect(await run(["connections", "rename"], [id, "Others"]).lines == ["\(id)  Others"])
        #expect(await run(["connections", "rename"], [id, ""]).lines == ["\(id)  Inviter"])
        let shown = await run(["connections", "show"], [id, "--json"])
        #expect(value("label", of: "connection", in: shown.lines) == "Inviter")
        #expect(value("imageURL", of: "connection", in: shown.lines) == "https://example.org/logo.png")
        let rows = await run(["connections", "show"], [id]).lines
        #expect(rows.contains("invitation  1") && rows.contains("goal        To talk"), "\(rows)")
        #expect(rows.contains("picture     https://example.org/logo.png (not fetched)"), "\(rows)")
        #expect(rows.contains("begun       1970-01-01T00:00:00Z"), "\(rows)")
        let manual = try EventsManual()
        for line in shown.lines { #expect(manual.complaints(about: line) == []) }
        #expect(await run(["messages", "list"], [id]).lines == [])
        #expect(await run(["connections", "delete"], [id, "--silent"]).code == "usage.missing-option")
        #expect(await run(["connections", "delete"], [id, "--yes", "--silent"]).lines == ["\(id)  deleted"])
        #expect(await run(["connections", "list"]).lines.count == 1, "the titles alone")
    }
}
