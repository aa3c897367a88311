import CryptoSuite
import Determinism
import Foundation
import JSON
import TestSupport
import Testing
import Tuvali
import Vault
import VirtualRadio
import WebAddressing
import WebTransport

@testable import Desk

/// The server of a station, asked over loopback.
@Suite struct StationServerTests {
    /// A station with its server and a client.
    private final class Site: Sendable {
        let air = VirtualAir.private(seed: 5)
        let station: Station
        let server: StationServer
        let service = WebService()
        let codes = Lock<[String]>([])
        let running: Task<Void, Never>
        let target: WebConnectionTarget

        init(list: DayDecisionList? = nil) async throws {
            let station = StationTests.station(on: air, list: list)
            self.station = station
            running = Task { await station.run() }
            let codes = codes
            server = StationServer(
                [station], version: "1", makeRandom: { SystemRandom() },
                announce: { _, code in
                    codes.withLock { $0.append("\(code)") }
                })
            let address = try await server.start()
            await server.announceCodes()
            target = WebConnectionTarget(address.address, port: address.port)
        }

        var code: String { codes.withLock { $0.last ?? "" } }
        var origin: String { "http://127.0.0.1:\(target.port)" }

        func get(_ path: String, at name: String? = nil) async throws -> HTTPResponse {
            let host = try name.map { try WebHost(parsing: $0) }
            let place = host.map { WebConnectionTarget(target.address, port: target.port, host: $0) } ?? target
            return try await HTTPClient(service).send(HTTPRequest(.get, RequestTarget(parsing: path)), to: place)
        }

        func socket(origin: String?, to target: WebConnectionTarget? = nil) async throws -> WebSocketConnection {
            var headers: HTTPHeaders = [:]
            headers["Origin"] = origin
            return try await WebSocketClient(service).connect(
                to: target ?? self.target, HTTPRequest(.get, RequestTarget(parsing: "/1/events"), headers: headers))
        }

        /// Shows the right code on a socket; the answer, null when the server has closed the socket.
        func answer(toCodeOn socket: WebSocketConnection) async throws -> JSONValue {
            let opening: JSONValue = ["do": "open", "code": .string(code)]
            // The server may have closed the socket before.
            try? await socket.send(.text(opening.text))
            return try await next(of: socket)
        }

        /// Opens the page, and returns the first message.
        func open(_ opening: JSONValue) async throws -> (socket: WebSocketConnection, answer: JSONValue) {
            let socket = try await socket(origin: origin)
            try await socket.send(.text(opening.text))
            return (socket, try await next(of: socket))
        }

        /// The next message; null when the server has closed the socket.
        func next(of socket: WebSocketConnection) async throws -> JSONValue {
            do {
                for try await message in socket.messages {
                    guard case .text(let text) = message else { continue }
                    return try JSONValue(parsing: text)
                }
            } catch let error as WebError where error.code == .socketClosed {
                return .null
            }
            return .null
        }

        func stop() async {
            running.cancel()
            await running.value
            await server.stop()
            await service.stop()
            await air.close()
        }
    }

    @Test(.shows("VD1", "VD4"))
    func `the desk page and its files are served with a content policy that allows nothing external`() async throws {
        let site = try await Site()
        for path in ["/", "/1", "/assets/desk.js", "/assets/desk.css", "/assets/desk.en.json", "/assets/desk.svg"] {
            let response = try await site.get(path)
            #expect(response.status == 200, "\(path)")
            let policy = response.headers["Content-Security-Policy"] ?? ""
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; connect-src 'self'"), "\(path)")
            #expect(policy.contains("require-trusted-types-for 'script'"))
            #expect(response.headers["Permissions-Policy"]?.hasPrefix("camera=(self), microphone=()") == true)
        }
        #expect(try await site.get("/2").status == 404)
        #expect(try await site.get("/assets/").status == 404)
        await site.stop()
    }

    @Test(.shows("VD2")) func `a host name that resolves to this machine gets no file of the desk`() async throws {
        let site = try await Site()
        for path in ["/", "/1", "/assets/desk.js", "/nothing"] {
            for name in ["evil.example", "127.0.0.1.nip.example"] {
                let response = try await site.get(path, at: name)
                #expect(response.status == 421, "\(path) at \(name)")
            }
        }
        await site.stop()
    }

    @Test(.shows("VD1")) func `a WebSocket of another origin, or without one, cannot open the desk page`() async throws
    {
        let site = try await Site()
        let code = site.code
        for origin in ["http://evil.example", "http://127.0.0.1:1", "null"] {
            await #expect(throws: WebError(.upgradeRefused, "")) { try await site.socket(origin: origin) }
        }
        #expect(try await site.answer(toCodeOn: site.socket(origin: nil)) == .null)
        #expect(site.code == code, "the code was not looked at")
        #expect(try await site.open(["do": "open", "code": .string(code)]).answer["type"] == "opened")
        await site.stop()
    }

    @Test(.shows("VD2")) func `a WebSocket under a host name that resolves to this machine is refused`() async throws {
        let site = try await Site()
        let code = site.code
        for name in ["evil.example", "127.0.0.1.nip.example"] {
            let target = WebConnectionTarget(
                site.target.address, port: site.target.port, host: try WebHost(parsing: name))
            let socket = try await site.socket(origin: "http://\(name):\(target.port)", to: target)
            #expect(try await site.answer(toCodeOn: socket) == .null, "\(name)")
            #expect(site.code == code, "\(name)")
        }
        await site.stop()
    }

    @Test func `a browser connection that lost control of the page is closed, and its commands are ignored`()
        async throws
    {
        let air = VirtualAir.private(seed: 6)
        let station = StationTests.station(on: air)
        let gate = BrowserGate(random: SystemRandom(), clock: SystemMonotonicClock()) { _ in }
        let server = HTTPServer(ServerConfiguration(), router: StationServer.router([(station, gate)], "1"))
        let address = try await server.start()
        let service = WebService()
        var headers: HTTPHeaders = [:]
        headers["Origin"] = "http://127.0.0.1:\(address.port)"
        let socket = try await WebSocketClient(service).connect(
            to: WebConnectionTarget(address.address, port: address.port),
            HTTPRequest(.get, RequestTarget(parsing: "/1/events"), headers: headers))
        let opening: JSONValue = ["do": "open", "code": .string("\(await gate.code)")]
        try await socket.send(.text(opening.text))
        var messages = socket.messages.makeAsyncIterator()
        guard case .text(let opened)? = try await messages.next() else { return #expect(Bool(false), "not opened") }
        #expect(try JSONValue(parsing: opened)["type"] == "opened")
        // The page is no longer this connection's, although nothing has closed its socket yet.
        await gate.leave(1)
        try await socket.send(.text(#"{"do":"handover"}"#))
        var type: String?
        do {
            while type != "code", case .text(let text)? = try await messages.next() {
                type = try JSONValue(parsing: text)["type"]?.string
            }
        } catch let error as WebError where error.code == .socketClosed {
            // The end of the messages.
        }
        #expect(type != "code")
        #expect(socket.isClosed)
        await server.stop(within: .zero)
        await service.stop()
        await air.close()
    }

    @Test(.shows("VD2"), .enabled("this machine has no IPv6") { await Self.hasVersion6() })
    func `the desk page is served at both loopback addresses, so that no other program has localhost`() async throws {
        let site = try await Site()
        let target = WebConnectionTarget(
            Self.version6, port: site.target.port, host: try WebHost(parsing: "localhost"))
        let page = try await HTTPClient(site.service).send(
            HTTPRequest(.get, RequestTarget(parsing: "/")), to: target)
        #expect(page.status == 200)
        let socket = try await site.socket(origin: "http://localhost:\(target.port)", to: target)
        #expect(try await site.answer(toCodeOn: socket)["type"] == "opened")
        await site.stop()
    }

    @Test(.shows("VD2"), .enabled("this machine has no IPv6") { await Self.hasVersion6() })
    func `a desk does not start if another program has its port at the other loopback address`() async throws {
        var configuration = ServerConfiguration()
        configuration.address = Self.version6
        let stranger = HTTPServer(configuration, router: HTTPRouter { _ in HTTPResponse(200, text: "mine") })
        var own = ServerConfiguration()
        own.port = try await stranger.start().port
        let desk = StationServer(
            [], own, version: "1", makeRandom: { SystemRandom() }, announce: { _, _ in })
        await #expect(throws: WebError(.listenFailed, "")) { try await desk.start() }
        await stranger.stop(within: .zero)
    }

    private static let version6 = IPAddress.v6(IPv6Address(high: 0, low: 1))

    private static func hasVersion6() async -> Bool {
        var configuration = ServerConfiguration()
        configuration.address = version6
        let probe = HTTPServer(configuration, router: HTTPRouter { _ in HTTPResponse(404, text: "") })
        guard (try? await probe.start()) != nil else { return false }
        await probe.stop(within: .zero)
        return true
    }

    @Test func `a one-time code opens the desk page once, and the browser's token opens it again`() async throws {
        let site = try await Site()
        let code = site.code
        let (first, answer) = try await site.open(["do": "open", "code": .string(code)])
        #expect(answer["type"] == "opened")
        #expect(site.code != code)
        let token = try #require(answer["token"]?.string)
        #expect(try await site.open(["do": "open", "code": .string(code)]).answer["cause"] == "refused")
        #expect(try await site.open(["do": "open", "token": "x"]).answer["cause"] == "refused")
        let next = site.code
        let foreign = try await site.socket(origin: site.origin)
        try await foreign.send(.text(#"{"do":"accept","session":1}"#))
        #expect(try await site.answer(toCodeOn: foreign) == .null)
        #expect(site.code == next, "the code that came behind it was not looked at")
        let (_, again) = try await site.open(["do": "open", "token": .string(token)])
        #expect(again["type"] == "opened")
        _ = first
        await site.stop()
    }

    @Test func `the oldest WebSocket without a code is closed for a new one, so that the page can be opened`()
        async throws
    {
        let site = try await Site()
        var silent: [WebSocketConnection] = []
        for _ in 0..<BrowserGate.maximumWaiting { silent.append(try await site.socket(origin: site.origin)) }
        let gate = site.server.gates[0]
        while await gate.waitingCount < BrowserGate.maximumWaiting { await Task.yield() }
        let (page, answer) = try await site.open(["do": "open", "code": .string(site.code)])
        #expect(answer["type"] == "opened")
        #expect(try await site.next(of: silent[0]) == .null)
        #expect(!silent[1].isClosed)
        #expect(try await site.answer(toCodeOn: silent[1])["type"] == "opened", "the others were not closed")
        _ = page
        await site.stop()
    }

    @Test func `clients that hold 64 connections do not keep the desk page from being served`() async throws {
        let site = try await Site()
        let others = WebService()
        var held: [WebSocketConnection] = []
        let (page, answer) = try await site.open(["do": "open", "code": .string(site.code)])
        #expect(answer["type"] == "opened")
        for _ in 0..<70 {
            var headers: HTTPHeaders = [:]
            headers["Origin"] = site.origin
            held.append(
                try await WebSocketClient(others).connect(
                    to: site.target, HTTPRequest(.get, RequestTarget(parsing: "/1/events"), headers: headers)))
        }
        #expect(try await site.get("/").status == 200)
        #expect(!page.isClosed, "the page that was opened stays")
        await site.stop()
        await others.stop()
    }

    @Test func `a second browser takes over the page with the next code, and the first is notified`() async throws {
        let site = try await Site()
        let (first, answer) = try await site.open(["do": "open", "code": .string(site.code)])
        #expect(answer["type"] == "opened")
        let (_, other) = try await site.open(["do": "open", "code": .string(site.code)])
        #expect(other["type"] == "opened")
        var last: JSONValue = .null
        while true {
            let message = try await site.next(of: first)
            if message.isNull { break }
            last = message
        }
        #expect(last["cause"] == "taken-over")
        await site.stop()
    }

    @Test func `a locked desk page is notified of it, and its token no longer opens the page`() async throws {
        let site = try await Site()
        let (socket, answer) = try await site.open(["do": "open", "code": .string(site.code)])
        let token = try #require(answer["token"]?.string)
        try await socket.send(.text(#"{"do":"lock"}"#))
        var last: JSONValue = .null
        while true {
            let message = try await site.next(of: socket)
            if message.isNull { break }
            last = message
        }
        #expect(last["cause"] == "locked")
        #expect(try await site.open(["do": "open", "token": .string(token)]).answer["cause"] == "refused")
        await site.stop()
    }

    @Test func `the page gets a credential once, before states that refer to it, and a message at its erasure`()
        async throws
    {
        let site = try await Site()
        let code = try #require(
            try await StationTests.snapshot(of: site.station) { $0.state.code != nil }.state.code)
        let (socket, _) = try await site.open(["do": "open", "code": .string(site.code)])
        let wallet = Task { try await StationTests.send(#"{"name":"Amina"}"#, to: code, on: site.air) }
        var kinds: [String] = []
        var message: JSONValue = nil
        while message["step"] != "deciding" {
            message = try await site.next(of: socket)
            kinds.append(message["type"]?.string ?? "")
            if message["type"] == "credential" { #expect(message["session"] == 1) }
        }
        #expect(kinds.count { $0 == "credential" } == 1)
        #expect(kinds.suffix(2) == ["credential", "state"])
        try await socket.send(.text(#"{"do":"accept","session":1}"#))
        #expect(try await wallet.value == .disconnected(.completed(.accepted)))
        try await socket.send(.text(#"{"do":"erase"}"#))
        while message["type"] != "erased" {
            message = try await site.next(of: socket)
            #expect(message["type"] != "credential")
        }
        await site.stop()
    }

    @Test func `the desk page gets 500 entries of the list, and the total`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "desk-\(UUID().uuidString)").path()
        let key = VaultKey.keyFile(Secret(copying: [UInt8](repeating: 5, count: 32)))
        let vault = try await Vault.create(at: folder, key: key)
        try await vault.write { writer in
            for number in 1...501 {
                let text = #"{"time":1790000000000,"station":1,"result":"genuine","accepted":true,"types":[]}"#
                try writer.insert("\(number)", in: DayDecisionList.category, tags: [], value: Array(text.utf8))
            }
        }
        let list = DayDecisionList(
            in: vault, days: 2, wallTime: { WallTime(millisecondsSinceEpoch: 1_790_000_000_000) },
            random: SeededRandom(seed: 3))
        let site = try await Site(list: list)
        let (socket, _) = try await site.open(["do": "open", "code": .string(site.code)])
        try await socket.send(.text(#"{"do":"list","text":""}"#))
        var answer = try await site.next(of: socket)
        while answer["type"] != "list" { answer = try await site.next(of: socket) }
        #expect(answer["total"] == 501)
        #expect(answer["entries"]?.array?.count == 500)
        await site.stop()
        await vault.close()
        try FileManager.default.removeItem(atPath: folder)
    }

    @Test func `the desk page gets the state of its station and the answers to its commands`() async throws {
        let site = try await Site()
        _ = try await StationTests.snapshot(of: site.station) { $0.state.code != nil }
        let (socket, _) = try await site.open(["do": "open", "code": .string(site.code)])
        var state = try await site.next(of: socket)
        while state["type"] != "state" { state = try await site.next(of: socket) }
        #expect(state["step"] == "waiting")
        #expect(state["code"]?["words"]?.array?.count == 6)
        #expect((state["code"]?["path"]?.string?.utf8.count ?? 0) > 100)
        try await socket.send(.text(#"{"do":"explain","text":"4006381333931"}"#))
        var answer = try await site.next(of: socket)
        while answer["type"] != "explained" { answer = try await site.next(of: socket) }
        #expect(answer["kind"] == "unknown")
        try await socket.send(.text(#"{"do":"handover"}"#))
        while answer["type"] != "code" { answer = try await site.next(of: socket) }
        #expect(answer["code"]?.string == site.code)
        await site.stop()
    }
}
