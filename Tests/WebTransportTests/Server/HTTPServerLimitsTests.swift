import TestSupport
import Testing
import WebTransport

@Suite struct HTTPServerLimitsTests {
    private func server(
        _ change: (inout HTTPServerLimits) -> Void,
        handler: @escaping HTTPRouter.Handler = { _ in HTTPResponse(200, text: "x") }
    ) async throws -> Loopback {
        var configuration = ServerConfiguration.patient
        change(&configuration.limits)
        return try await Loopback(configuration, handler: handler)
    }

    private func answer(_ loopback: Loopback, _ text: String) async throws -> String {
        let peer = try #require(await RawPeer.connect(port: loopback.address.port))
        await peer.say(text)
        return await peer.hearText()
    }

    @Test(.shows("W1"))
    func `a request header at the limit is answered, and one byte more or far more is refused`() async throws {
        let loopback = try await server { $0.maximumHeaderBytes = 1000 }
        // The request line takes 16 bytes, host and connection 9 and 19, the cookie 10 and its value, the end 2.
        func request(_ count: Int) -> String {
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nCookie: \(String(repeating: "y", count: count))\r\n\r\n"
        }
        #expect(try await answer(loopback, request(1000 - 56)).hasPrefix("HTTP/1.1 200 "))
        #expect(try await answer(loopback, request(1000 - 55)).hasPrefix("HTTP/1.1 431 "))
        #expect(try await answer(loopback, request(100_000)).hasPrefix("HTTP/1.1 431 "))
        #expect(try await loopback.get("/").status == 200)
        await loopback.stop()
    }

    @Test(.shows("W1")) func `a request body at the limit is answered, and one byte more refused before it arrives`()
        async throws
    {
        let loopback = try await server {
            $0.maximumBodyBytes = 1000
        } handler: {
            HTTPResponse(200, text: "\($0.body.count)")
        }
        #expect(try await loopback.post("/", [UInt8](repeating: 1, count: 1000)).text == "1000")
        let refused = try await answer(loopback, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n")
        #expect(refused.hasPrefix("HTTP/1.1 413 "))
        await loopback.stop()
    }

    @Test(.shows("W3"), arguments: [true, false])
    func `the allowed number of connections is accepted and one more refused`(perHost: Bool) async throws {
        let loopback = try await server {
            if perHost { $0.maximumConnectionsPerHost = 2 } else { $0.maximumConnections = 2 }
        }
        let port = loopback.address.port
        let first = try #require(await RawPeer.connect(port: port))
        let second = try #require(await RawPeer.connect(port: port))
        #expect(await eventually { loopback.server.connectionCount == 2 })
        let third = try #require(await RawPeer.connect(port: port))
        #expect(await third.hearText().hasPrefix("HTTP/1.1 503 "))
        for peer in [first, second] {
            await peer.say("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(await peer.hearText().hasPrefix("HTTP/1.1 200 "))
        }
        #expect(await eventually { loopback.server.connectionCount == 0 })
        #expect(try await loopback.get("/").status == 200)
        await loopback.stop()
    }

    @Test func `connections from this machine have no limit per source where a proxy may run on it`() async throws {
        let loopback = try await server {
            $0.maximumConnectionsPerHost = 1
            $0.limitsOwnMachine = false
        }
        let peers = [
            try #require(await RawPeer.connect(port: loopback.address.port)),
            try #require(await RawPeer.connect(port: loopback.address.port)),
        ]
        for peer in peers {
            await peer.say("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(await peer.hearText().hasPrefix("HTTP/1.1 200 "))
        }
        await loopback.stop()
    }

    @Test func `the memory of all connections together is limited, and freed memory can be used again`() async throws {
        let door = Door()
        let loopback = try await server {
            $0.maximumHeldBytes = 3000
        } handler: { request in
            if request.target.path == "/wait" { await door.pass() }
            return HTTPResponse(
                200, "text/plain", [UInt8](repeating: 65, count: request.target.path == "/big" ? 3000 : 1))
        }
        let slow = try #require(await RawPeer.connect(port: loopback.address.port))
        await slow.say(
            "POST /wait HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n" + String(repeating: "a", count: 1999))
        #expect(await eventually { loopback.server.heldBytes == 1999 })
        #expect(try await loopback.post("/", [UInt8](repeating: 1, count: 1001)).status == 200)
        #expect(try await loopback.post("/", [UInt8](repeating: 1, count: 1002)).status == 503)
        #expect(try await loopback.get("/big").status == 503, "answers count too")
        #expect(loopback.server.heldBytes == 1999)
        await slow.say("a")
        await door.open()
        #expect(await slow.hearText(until: "\r\n\r\nA").hasPrefix("HTTP/1.1 200 "))
        #expect(await eventually { loopback.server.heldBytes == 0 })
        // A connection that goes gives back what it had.
        let lost = try #require(await RawPeer.connect(port: loopback.address.port))
        await lost.say(
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n" + String(repeating: "a", count: 1500))
        #expect(await eventually { loopback.server.heldBytes == 1500 })
        await lost.end()
        #expect(await eventually { loopback.server.heldBytes == 0 })
        await loopback.stop()
    }

    @Test func `bytes behind a request that is being answered count as memory`() async throws {
        let door = Door()
        let loopback = try await server {
            $0.maximumHeldBytes = 3000
        } handler: { _ in
            await door.pass()
            return HTTPResponse(200, text: "x")
        }
        let peer = try #require(await RawPeer.connect(port: loopback.address.port))
        let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        let second = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n" + String(repeating: "a", count: 900)
        await peer.say(get + second)
        #expect(await eventually { loopback.server.heldBytes == second.utf8.count })
        let greedy = try #require(await RawPeer.connect(port: loopback.address.port))
        await greedy.say(get + String(repeating: second, count: 3))
        #expect(await greedy.hearText().hasPrefix("HTTP/1.1 503 "))
        await door.open()
        await peer.say("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(await peer.hearText().ranges(of: "HTTP/1.1 200 ").count == 3)
        #expect(await eventually { loopback.server.heldBytes == 0 })
        await loopback.stop()
    }

    @Test(
        .shows("W3"),
        arguments: ["", "GET / HTTP/1.1\r\nHo", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx"])
    func `a new connection replaces the oldest one that has sent no whole request`(
        begun: String
    ) async throws {
        let loopback = try await server {
            ($0.maximumConnections, $0.replacesWaiting) = (3, true)
        }
        var held: [RawPeer] = []
        for number in 1...3 {
            let peer = try #require(await RawPeer.connect(port: loopback.address.port))
            await peer.say(begun)
            held.append(peer)
            #expect(await eventually { loopback.server.connectionCount == number })
        }
        let answered = try await answer(loopback, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(answered.hasPrefix("HTTP/1.1 200 "))
        #expect(await held[0].isEnded())
        let rest =
            begun.isEmpty ? "GET / HTTP/1.1\r\nHost: a\r\n\r\n" : begun.hasPrefix("G") ? "st: a\r\n\r\n" : "yyyyyyyy"
        await held[1].say(rest)
        #expect(await held[1].hearText(until: "\r\n\r\nx").hasPrefix("HTTP/1.1 200 "), "the others stay")
        await loopback.stop()
    }

    @Test(.shows("W3")) func `a connection whose request is being answered is not replaced by a new one`() async throws
    {
        let door = Door()
        let loopback = try await server {
            ($0.maximumConnections, $0.replacesWaiting) = (1, true)
        } handler: { _ in
            await door.pass()
            return HTTPResponse(200, text: "x")
        }
        let busy = try #require(await RawPeer.connect(port: loopback.address.port))
        await busy.say("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(await eventually { await door.count == 1 })
        let refused = try await answer(loopback, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(refused.hasPrefix("HTTP/1.1 503 "))
        await door.open()
        #expect(await busy.hearText().hasPrefix("HTTP/1.1 200 "))
        await loopback.stop()
    }

    @Test(.shows("W2"))
    func `a request header that does not arrive in time closes the connection, however slowly bytes come`()
        async throws
    {
        let loopback = try await server { $0.headerDeadline = .milliseconds(200) }
        let silent = try #require(await RawPeer.connect(port: loopback.address.port))
        #expect(await silent.isEnded())
        let slow = try #require(await RawPeer.connect(port: loopback.address.port))
        await slow.say("GET / HTTP/1.1\r\nHo")
        var isThere = true
        for _ in 0..<2000 where isThere {
            isThere = await slow.say("s")
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(!isThere)
        #expect(await eventually { loopback.server.connectionCount == 0 })
        await loopback.stop()
    }

    @Test(.shows("W2")) func `a request body that does not arrive in time is answered with 408`() async throws {
        let loopback = try await server { $0.bodyDeadline = .milliseconds(100) }
        let text = try await answer(loopback, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab")
        #expect(text.hasPrefix("HTTP/1.1 408 "))
        await loopback.stop()
    }

    @Test func `a request handler that does not finish in time is cancelled and answered with 503`() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
        let loopback = try await server {
            $0.handlerDeadline = .milliseconds(100)
        } handler: { _ in
            try? await Task.sleep(for: .seconds(60))
            continuation.yield(Task.isCancelled)
            return HTTPResponse(200)
        }
        #expect(try await loopback.get("/").status == 503)
        var wasCancelled = stream.makeAsyncIterator()
        #expect(await wasCancelled.next() == true)
        await loopback.stop()
    }

    @Test func `a request handler is cancelled when its client disconnects`() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
        let loopback = try await server { _ in
        } handler: { _ in
            try? await Task.sleep(for: .seconds(5))
            continuation.yield(Task.isCancelled)
            return HTTPResponse(200)
        }
        var limits = ClientRequestLimits.patient
        limits.deadline = .milliseconds(200)
        await #expect(throws: WebError(.deadline, "")) {
            try await loopback.send(HTTPRequest(.get, RequestTarget(parsing: "/")), limits: limits)
        }
        var ended = stream.makeAsyncIterator()
        #expect(await ended.next() != nil)
        await loopback.stop()
    }

    @Test(.shows("W2")) func `a response that the client does not read in time closes the connection`() async throws {
        let loopback = try await server {
            $0.responseDeadline = .milliseconds(200)
        } handler: { _ in
            HTTPResponse(200, "text/plain", [UInt8](repeating: 65, count: 50_000_000))
        }
        let peer = try #require(await RawPeer.connect(port: loopback.address.port))
        await peer.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await eventually { loopback.server.connectionCount == 1 })
        #expect(await eventually { loopback.server.connectionCount == 0 })
        await loopback.stop()
    }

    @Test func `a client that reads nothing and closes its own side delays no other client`() async throws {
        let loopback = try await server {
            $0.responseDeadline = .seconds(5)
        } handler: { request in
            let count = request.target.path == "/big" ? 50_000_000 : 1
            return HTTPResponse(200, "text/plain", [UInt8](repeating: 65, count: count))
        }
        var peers: [RawPeer] = []
        for _ in 0..<3 {
            let peer = try #require(await RawPeer.connect(port: loopback.address.port, receiveBuffer: 4096))
            await peer.say("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await peer.hear { !$0.isEmpty }.isEmpty == false, "the answer is on its way")
            peers.append(peer)
        }
        // Until the system's buffers are full.
        try await Task.sleep(for: .milliseconds(500))
        for peer in peers { await peer.finish() }
        for _ in 0..<3 { #expect(try await loopback.get("/").status == 200) }
        #expect(await eventually { loopback.server.connectionCount <= 1 }, "they are gone")
        await loopback.stop()
    }

    @Test func `an HTTP connection without a request is kept for a limited time`() async throws {
        let loopback = try await server { $0.idleDeadline = .milliseconds(200) }
        let peer = try #require(await RawPeer.connect(port: loopback.address.port))
        await peer.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await peer.hearText(until: "\r\n\r\nx").hasPrefix("HTTP/1.1 200 "))
        #expect(await peer.isEnded())
        await loopback.stop()
    }

    @Test func `an HTTP connection serves the allowed number of requests, and marks the last response`() async throws {
        let loopback = try await server { $0.maximumRequestsPerConnection = 2 }
        let peer = try #require(await RawPeer.connect(port: loopback.address.port))
        await peer.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let first = await peer.hearText(until: "\r\n\r\nx")
        #expect(!first.contains("Connection: close"))
        await peer.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let second = await peer.hearText()
        #expect(second.contains("Connection: close"))
        await loopback.stop()
    }

    @Test func `a refused HTTP client that never stops sending is cut off at the deadline`() async throws {
        let loopback = try await server {
            $0.lingerDeadline = .milliseconds(100)
        } handler: { _ in
            HTTPResponse(200)
        }
        let peer = try #require(await RawPeer.connect(port: loopback.address.port))
        await peer.say("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n")
        #expect(await peer.isEnded())
        #expect(await eventually { await peer.say("a") == false })
        await loopback.stop()
    }

    @Test func `a refused HTTP client that sends more than the server discards is cut off`() async throws {
        let loopback = try await server { _ in
        } handler: { _ in
            HTTPResponse(200)
        }
        let peer = try #require(await RawPeer.connect(port: loopback.address.port))
        await peer.say("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n")
        #expect(await peer.isEnded())
        let piece = [UInt8](repeating: 0x61, count: 1 << 20)
        var sent = 0
        while sent < 64, await peer.say(piece) { sent += 1 }
        #expect((4..<64).contains(sent))
        await loopback.stop()
    }
}
