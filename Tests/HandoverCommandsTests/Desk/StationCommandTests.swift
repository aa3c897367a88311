import BlueZRadio
import CommandTestSupport
import Foundation
import JSON
import Terminal
import Testing
import WebAddressing
import WebTransport

/// `symbolon desk` in this process, with a page made of a WebSocket and wallets that run `send`.
@Suite struct StationCommandTests {
    /// An event or a message that did not come in time.
    private struct Missing: Error {
        let what: String
    }

    private let handOver: HandOver

    init() throws { handOver = try HandOver() }

    /// A desk that runs until it is ended.
    private struct RunningStation {
        let setup: CommandRun.Setup
        let run: Task<CommandRun, Never>

        /// Waits for an event whose fields fit, and returns it.
        func event(_ name: String, _ fits: (JSONValue) -> Bool = { _ in true }) async throws -> JSONValue {
            for _ in 0..<6000 {
                for line in setup.output.text.split(separator: "\n") {
                    guard let value = try? JSONValue(parsing: String(line)) else { continue }
                    if value["event"]?.string == name, fits(value) { return value }
                }
                try await Task.sleep(for: .milliseconds(10))
            }
            throw Missing(what: name)
        }

        func end() async -> CommandRun {
            run.cancel()
            return await run.value
        }
    }

    private func start(_ arguments: [String] = []) -> RunningStation {
        let setup = CommandRun.Setup()
        let line = ["desk", "--json", "--json-codes", "--port", "0", "--air", handOver.airPath] + arguments
        return RunningStation(setup: setup, run: Task { await CommandRun.run(line, setup) })
    }

    /// Opens the page of a station, and returns its socket.
    private func open(_ desk: RunningStation, _ service: WebService, station: Int = 1) async throws
        -> WebSocketConnection
    {
        let url = try await desk.event("desk") { $0["station"]?.int == station }["url"]?.string ?? ""
        let address = try WebAddress(parsing: url)
        let code = try await desk.event("desk-code") { $0["station"]?.int == station }["code"]?.string ?? ""
        var headers: HTTPHeaders = [:]
        headers["Origin"] = "http://127.0.0.1:\(address.port)"
        let target = WebConnectionTarget(.v4(IPv4Address(127, 0, 0, 1)), port: address.port)
        let socket = try await WebSocketClient(service).connect(
            to: target, HTTPRequest(.get, RequestTarget(parsing: "/\(station)/events"), headers: headers))
        try await socket.send(.text(#"{"do":"open","code":"\#(code)"}"#))
        return socket
    }

    /// The next message of a type.
    private func message(
        _ type: String, of socket: WebSocketConnection, _ fits: (JSONValue) -> Bool = { _ in true }
    ) async throws -> JSONValue {
        for try await message in socket.messages {
            guard case .text(let text) = message, let value = try? JSONValue(parsing: text) else { continue }
            if value["type"]?.string == type, fits(value) { return value }
        }
        throw Missing(what: type)
    }

    @Test func `one-time codes are on standard error, and in the events of --json only with --json-codes`() async throws
    {
        let setup = CommandRun.Setup()
        let line = ["desk", "--json", "--port", "0", "--air", handOver.airPath]
        let run = Task { await CommandRun.run(line, setup) }
        let words = try await setup.talk.line(beginningWith: "This code opens the page:")
        let code = try #require(words.split(separator: " ").last.map(String.init))
        _ = try await setup.output.text(containing: #""event":"desk-code""#)
        run.cancel()
        let ended = await run.value
        #expect(code.utf8.count == 9)
        #expect(ended.output.contains(#""event":"desk-code""#) && !ended.output.contains(code))
    }

    @Test func `a credential shown on the desk page is rejected there, and the wallet is informed`() async throws {
        let desk = start()
        let service = WebService()
        let socket = try await open(desk, service)
        let uri = try await desk.event("desk-session") { $0["what"] == "waiting" }["uri"]?.string ?? ""
        let file = try handOver.folder.write("id.json", #"{"name":"Amina"}"#)
        async let wallet = handOver.send(file, to: uri, ["--yes"])
        let shown = try await message("credential", of: socket)
        #expect(shown["session"] == 1)
        _ = try await message("state", of: socket) { $0["step"] == "deciding" }
        try await socket.send(.text(#"{"do":"reject","session":1}"#))
        #expect(await wallet.status == 4)
        _ = try await desk.event("desk-session") { $0["what"] == "rejected" }
        _ = try await desk.event("desk-session") { $0["what"] == "waiting" && $0["session"] == 2 }
        let run = await desk.end()
        #expect(run.status == 0)
        #expect(!run.output.contains("Amina"))
        #expect(!run.talk.contains("Amina"))
        await service.stop()
    }

    @Test func `events of a code at the desk have its own number, and no session`() async throws {
        let desk = start()
        let service = WebService()
        let socket = try await open(desk, service)
        let credential =
            #"{\"@context\":[\"https://www.w3.org/ns/credentials/v2\"],\"type\":[\"VerifiableCredential\"]}"#
        try await socket.send(.text(#"{"do":"explain","text":"\#(credential)"}"#))
        let shown = try await message("credential", of: socket)
        try await socket.send(.text(#"{"do":"reject","session":\#(shown["session"]?.int ?? 0)}"#))
        let rejected = try await desk.event("desk-session") { $0["what"] == "rejected" }
        #expect(rejected["session"] == .null && rejected["scan"] == 1)
        let judged = try await desk.event("desk-session") { $0["what"] == "not-checked" || $0["what"] == "refused" }
        #expect(judged["session"] == .null && judged["scan"] == 1 && judged["code"]?.string != nil)
        let waiting = try await desk.event("desk-session") { $0["what"] == "waiting" }
        #expect(waiting["session"] == 1 && waiting["scan"] == .null)
        _ = await desk.end()
        await service.stop()
    }

    @Test func `the desk page marks a wallet that did not read the request, and a wrong answer by its code`()
        async throws
    {
        let desk = start(["--ask", "name"])
        let service = WebService()
        let socket = try await open(desk, service)
        let uri = try await desk.event("desk-session") { $0["what"] == "waiting" }["uri"]?.string ?? ""
        let file = try handOver.folder.write("id.json", #"{"name":"Amina"}"#)
        async let wallet = handOver.send(file, to: uri.replacingOccurrences(of: "&request=1", with: ""))
        let shown = try await message("credential", of: socket)
        #expect(shown["credential"]?["unread"] == true)
        #expect(shown["credential"]?["incomplete"] == true)
        _ = try await message("state", of: socket) { $0["step"] == "deciding" }
        try await socket.send(.text(#"{"do":"reject","session":1}"#))
        #expect(await wallet.status == 4)
        let rejected = try await desk.event("desk-session") { $0["what"] == "rejected" }
        #expect(rejected["code"] == .null)
        let next = try await desk.event("desk-session") { $0["what"] == "waiting" && $0["session"] == 2 }
        #expect(await handOver.send(file, to: next["uri"]?.string ?? "").status == 4)
        let refused = try await desk.event("desk-session") { $0["what"] == "rejected" && $0["session"] == 2 }
        #expect(refused["code"] == "desk.answer-unusable")
        _ = await desk.end()
        await service.stop()
    }

    @Test func `a desk with --require-answer ends the session of a wallet that does not read the request`() async throws
    {
        let desk = start(["--ask", "name", "--require-answer"])
        let uri = try await desk.event("desk-session") { $0["what"] == "waiting" }["uri"]?.string ?? ""
        let file = try handOver.folder.write("id.json", #"{"name":"Amina"}"#)
        let sent = await handOver.send(file, to: uri.replacingOccurrences(of: "&request=1", with: ""))
        #expect(sent.code == "tuvali.session.peer-disconnected")
        let ended = try await desk.event("desk-session") { $0["what"] == "ended" }
        #expect(ended["code"] == "desk.request-unread")
        let run = await desk.end()
        #expect(!run.output.contains("arrived"))
    }

    @Test func `the desk page offers the request of --ask once, and first`() async throws {
        let desk = start(["--ask", "over-18"])
        let service = WebService()
        let socket = try await open(desk, service)
        let opened = try await message("opened", of: socket)
        #expect(opened["requests"] == [["age-over-18"], [], ["name", "portrait"]])
        _ = await desk.end()
        await service.stop()
    }

    @Test func `desk --stations 2 gives each station a page, a code and a name`() async throws {
        let desk = start(["--stations", "2"])
        let urls = try await (desk.event("desk") { $0["station"] == 1 }, desk.event("desk") { $0["station"] == 2 })
        #expect(urls.0["url"]?.string?.hasSuffix("/1") == true)
        #expect(urls.1["url"]?.string?.hasSuffix("/2") == true)
        let uri = try await desk.event("desk-session") { $0["station"] == 2 && $0["what"] == "waiting" }["uri"]
        #expect(uri?.string?.contains("DESK%202") == true)
        #expect(await desk.end().status == 0)
    }

    @Test func `desk --keep stores its list in the vault, and the page finds its entries`() async throws {
        let (vault, key) = ("\(handOver.folder.path)/vault", "\(handOver.folder.path)/key")
        #expect(await CommandRun.run("vault", "create", vault, "--new-key-file", key, "--label", "Desk").status == 0)
        let policy = try handOver.folder.write("policy.json", #"{"otherwise":"reject"}"#)
        let desk = start(["--keep", "2", "--vault", vault, "--key-file", key, "--policy", policy])
        let uri = try await desk.event("desk-session") { $0["what"] == "waiting" }["uri"]?.string ?? ""
        let file = try handOver.folder.write("id.json", #"{"name":"Amina"}"#)
        #expect(await handOver.send(file, to: uri, ["--yes"]).status == 4)
        let service = WebService()
        let socket = try await open(desk, service)
        var found: JSONValue = .null
        for _ in 0..<200 where found["total"] != 1 {
            try await socket.send(.text(#"{"do":"list","text":"rejected"}"#))
            found = try await message("list", of: socket)
        }
        #expect(found["entries"]?[0]?["accepted"] == false)
        #expect(await desk.end().status == 0)
        await service.stop()
    }

    @Test(arguments: [
        (["--name", "a name that is much too long"], "tuvali.uri.bad-name"), (["--vault", "v"], "usage.conflict"),
        (["--policy", "POLICY"], "desk.policy-malformed"), (["--ask", "colour"], "request.preset"),
        (["--trust", "missing"], "input.not-found"), (["--stations", "9"], "usage.bad-value"),
        (["--keep", "2", "--vault", "missing"], "vault.not-found"),
    ])
    func `desk with unusable options ends before a radio is opened`(_ arguments: [String], _ code: String) async throws
    {
        let policy = try handOver.folder.write("policy.json", "[]")
        let line = ["desk", "--port", "0"] + arguments.map { $0 == "POLICY" ? policy : $0 }
        #expect(await CommandRun.run(line).code == code)
    }

    @Test func `desk refuses a second station on an adapter, which serves one`() async throws {
        var setup = CommandRun.Setup()
        (setup.bluetooth.hasBus, setup.bluetooth.daemonRuns, setup.bluetooth.daemonVersion) = (true, true, "5.66")
        setup.bluetooth.adapters = [.init(name: "hci0", address: "00:AA:01:00:00:00", isPowered: true)]
        let refused = await CommandRun.run(["desk", "--port", "0", "--stations", "2", "--radio", "bluez"], setup)
        #expect(refused.code == "usage.conflict")
        #expect(refused.words.contains("add --radio virtual"))
    }

    @Test func `desk reads the trust file of the settings by default, and fails if it is missing`() async throws {
        let setup = CommandRun.Setup(variables: ["SYMBOLON_TRUST": handOver.folder.path + "/missing"])
        #expect(await CommandRun.run(["desk", "--port", "0"], setup).code == "input.not-found")
    }
}
