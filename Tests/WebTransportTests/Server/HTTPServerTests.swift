import Foundation
import TestSupport
import Testing
import WebAddressing

@testable import WebTransport

@Suite struct HTTPServerTests {
    private func answer(_ port: UInt16, _ text: String) async throws -> String {
        let peer = try #require(await RawPeer.connect(port: port))
        await peer.say(text)
        return await peer.hearText()
    }

    @Test func `an HTTP server listens by default only on this machine, at a free port`() async throws {
        let loopback = try await Loopback { _ in HTTPResponse(200) }
        #expect(loopback.address.address == Loopback.host)
        #expect(loopback.address.port != 0)
        // All of 127.0.0.0/8 is this machine, so a socket bound to all interfaces would answer here.
        #expect(await RawPeer.connect(port: loopback.address.port, host: "127.0.0.2") == nil)
        await loopback.stop()
    }

    @Test func `a server can listen at an IPv6 address`() async throws {
        var configuration = ServerConfiguration.patient
        configuration.address = try #require(IPAddress(parsing: "::1"))
        let loopback = try await Loopback(configuration) { HTTPResponse(200, text: $0.headers["host"] ?? "") }
        #expect(try await loopback.get("/").text == "[::1]:\(loopback.address.port)")
        await loopback.stop()
    }

    @Test func `a server port that is taken, and an address of another machine, are reported with their codes`()
        async throws
    {
        let loopback = try await Loopback { _ in HTTPResponse(200) }
        var configuration = ServerConfiguration.patient
        configuration.port = loopback.address.port
        await #expect(throws: WebError(.listenFailed, "")) {
            try await HTTPServer(configuration) { _ in HTTPResponse(200) }.start()
        }
        configuration.port = 0
        configuration.address = try #require(IPAddress(parsing: "192.0.2.1"))
        await #expect(throws: WebError(.listenFailed, "")) {
            try await HTTPServer(configuration) { _ in HTTPResponse(200) }.start()
        }
        await loopback.stop()
    }

    @Test func `the Date field of a response is the second in which it was made, as RFC 9110 section 6 6 1 has it`()
        async throws
    {
        let loopback = try await Loopback { _ in HTTPResponse(200) }
        let before = Int64(Date().timeIntervalSince1970)
        let text = try await answer(
            loopback.address.port, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let seconds = before...Int64(Date().timeIntervalSince1970)
        #expect(seconds.contains { text.contains("\r\nDate: \(HTTPDate.text(seconds: $0))\r\n") }, "\(text)")
        await loopback.stop()
    }

    @Test func `a server can be started once`() async throws {
        let loopback = try await Loopback { _ in HTTPResponse(200) }
        await #expect(throws: WebError(.serviceStopped, "")) { try await loopback.server.start() }
        await loopback.stop()
        await loopback.server.stop()
    }

    @Test(
        .shows("W4"),
        arguments: [
            ("Transfer-Encoding: chunked\r\nContent-Length: 3", 400),
            ("Content-Length: 3\r\nTransfer-Encoding: chunked", 400),
            ("Content-Length: 3\r\nTransfer-Encoding : chunked", 400),
            ("Content-Length: 3\r\nTransfer-Encoding\t: chunked", 400),
            ("Content-Length: 3\r\n Transfer-Encoding: chunked", 400),
            ("Content-Length: 3\r\ntransfer-ENCODING: identity", 400), ("Transfer-Encoding: gzip, chunked", 501),
            ("Transfer-Encoding: xchunked", 501), ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", 400),
        ])
    func `a request whose body could end in two ways is refused and the connection ends`(fields: String, status: Int)
        async throws
    {
        let loopback = try await Loopback { _ in HTTPResponse(200) }
        let text = try await answer(
            loopback.address.port, "POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 \(status) "))
        #expect(text.contains("Connection: close"))
        await loopback.stop()
    }

    @Test func `a body in chunks is read, and the next request behind it`() async throws {
        let loopback = try await Loopback { HTTPResponse(200, "text/plain", $0.body) }
        let peer = try #require(await RawPeer.connect(port: loopback.address.port))
        await peer.say(
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
        await peer.say("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let text = await peer.hearText()
        #expect(text.contains("Content-Length: 5\r\n\r\nabcdeHTTP/1.1 200 OK"))
        await loopback.stop()
    }

    @Test(arguments: ["Transfer-Encoding: gzip", "Content-Length: 3000000"])
    func `a client refused while it sends its body can go on sending and receives the response`(field: String)
        async throws
    {
        let loopback = try await Loopback { _ in HTTPResponse(200) }
        let peer = try #require(await RawPeer.connect(port: loopback.address.port))
        await peer.say("POST / HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n")
        // The answer is out, and the connection closed as far as the server's library knows.
        #expect(await eventually { loopback.server.connectionCount == 0 })
        for _ in 0..<100 { #expect(await peer.say([UInt8](repeating: 0x61, count: 20_000))) }
        let text = await peer.hearText()
        #expect(text.hasPrefix("HTTP/1.1 413") || text.hasPrefix("HTTP/1.1 501"))
        #expect(text.contains("Connection: close"))
        #expect(try await loopback.get("/").status == 200)
        await loopback.stop()
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400"), ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "HTTP/1.1 400"),
        ("GET /%ff HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 400"), ("GET /\r\n\r\n", "HTTP/1.1 400"),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\nx", "HTTP/1.1 400"),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx", "HTTP/1.1 400"),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: tea\r\n\r\nx", "HTTP/1.1 417"),
        ("BREW / HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 501"), ("TRACE / HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 405"),
        ("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 501"),
        ("GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 400"),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/1.1 505"), ("\u{16}\u{3}\u{1}", "HTTP/1.1 400"),
        ("GET /a%00b HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 400"),
    ])
    func `an invalid request is refused and its connection closed`(text: String, start: String) async throws {
        let loopback = try await Loopback { _ in HTTPResponse(200) }
        let heard = try await answer(loopback.address.port, text)
        #expect(heard.hasPrefix(start) && heard.contains("Connection: close"))
        #expect(try await loopback.get("/").status == 200)
        await loopback.stop()
    }

    @Test func `a client that expects 100-continue gets that interim response`() async throws {
        let loopback = try await Loopback { HTTPResponse(200, "text/plain", $0.body) }
        let peer = try #require(await RawPeer.connect(port: loopback.address.port))
        await peer.say(
            "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\nConnection: close\r\n\r\n")
        #expect(await peer.hearText(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        await peer.say("abc")
        #expect(await peer.hearText().hasSuffix("\r\n\r\nabc"))
        await loopback.stop()
    }

    @Test(.shows("W4"))
    func `pipelined requests are answered in order, and bodies among them are never misread`() async throws {
        let loopback = try await Loopback { request in
            if request.target.path == "/slow" { try? await Task.sleep(for: .milliseconds(50)) }
            return HTTPResponse(200, text: "[\(request.target.path) \(String(decoding: request.body, as: UTF8.self))]")
        }
        let port = loopback.address.port
        let three = "GET /slow HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n"
        let inOrder = try await answer(port, three + "GET /3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(inOrder.split(separator: "\n").filter { $0.hasPrefix("[") }.count == 1 || inOrder.contains("[/slow ]"))
        #expect(inOrder.contains("[/2 ]") && inOrder.hasSuffix("[/3 ]"))
        for count in [3, 30, 62, 300] {
            let body = String(repeating: "b", count: count)
            let text =
                "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nPOST /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                + "Content-Length: \(count)\r\n\r\n\(body)"
            let heard = try await answer(port, text)
            #expect(heard.contains("[/1 ]") && heard.contains("[/2 \(body)]"))
        }
        #expect(try await loopback.get("/").status == 200)
        await loopback.stop()
    }

    @Test(.shows("W4"))
    func `a request pipelined behind a server-wide OPTIONS is read once, wherever the bytes are cut`()
        async throws
    {
        let loopback = try await Loopback { HTTPResponse(200, text: "[\(String(decoding: $0.body, as: UTF8.self))]") }
        let options = "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"
        let next = Array(
            "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 9\r\n\r\nbody body".utf8)
        for cut in [1, 6, 20, 50, next.count - 4, next.count] {
            let peer = try #require(await RawPeer.connect(port: loopback.address.port))
            await peer.say(Array((options + options).utf8) + next[..<cut])
            let first = await peer.hearText(until: "\r\n\r\n")
            await peer.say(Array(next[cut...]))
            let heard = first + (await peer.hearText())
            #expect(heard.ranges(of: "HTTP/1.1 204 ").count == 2, "cut at \(cut)")
            #expect(heard.hasSuffix("[body body]") && !heard.contains("HTTP/1.1 4"), "cut at \(cut)")
        }
        // As many as a connection may make, in one piece.
        let many = try #require(await RawPeer.connect(port: loopback.address.port))
        await many.say(String(repeating: options, count: 1000))
        let answers = await many.hearText()
        #expect(answers.ranges(of: "HTTP/1.1 204 ").count == 1000)
        await loopback.stop()
    }

    @Test func `a 204 response has no Content-Length, and one to HEAD has it without a body`() async throws {
        var router = HTTPRouter()
        router.on(.delete, "/") { _ in HTTPResponse(204) }
        router.on(.get, "/") { _ in HTTPResponse(200, text: "12345") }
        let loopback = try await Loopback(router: router)
        let deleted = try await answer(
            loopback.address.port, "DELETE / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(deleted.hasPrefix("HTTP/1.1 204 ") && !deleted.contains("Content-Length"))
        let head = try await answer(loopback.address.port, "HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(head.contains("Content-Length: 5\r\n") && head.hasSuffix("\r\n\r\n"))
        #expect(
            try await loopback.send(HTTPRequest(.head, RequestTarget(parsing: "/"))).headers["content-length"] == "5")
        #expect(try await loopback.send(HTTPRequest(.delete, RequestTarget(parsing: "/"))).status == 204)
        await loopback.stop()
    }

    @Test(.shows("W7")) func `a handler's response that HTTP cannot express becomes a 500`() async throws {
        let loopback = try await Loopback { _ in HTTPResponse(200, headers: ["X": "a\r\nSet-Cookie: b"]) }
        let text = try await answer(loopback.address.port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 500 "))
        #expect(!text.contains("Set-Cookie"))
        await loopback.stop()
    }

    @Test(arguments: ["X", "A", "Auth", "X-Auth", "Content-Typ", "Content-Lengt", "Transfer-Encodin", "Proxy"])
    func `a header name that is the beginning of a known name is read as its own field`(name: String) async throws {
        let loopback = try await Loopback { HTTPResponse(200, text: $0.headers.values(name).joined(separator: ",")) }
        let text = try await answer(
            loopback.address.port, "GET / HTTP/1.1\r\nHost: a\r\n\(name): b\r\nConnection: close\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 200 ") && text.hasSuffix("\r\n\r\nb"))
        await loopback.stop()
    }

    @Test func `a server stops when it is released, and stopping one that never started is allowed`() async throws {
        await HTTPServer { _ in HTTPResponse(200) }.stop()
        var server: HTTPServer? = HTTPServer { _ in HTTPResponse(200) }
        let address = try #require(try await server?.start())
        let peer = try #require(await RawPeer.connect(port: address.port))
        #expect(await eventually { server?.connectionCount == 1 })
        server = nil
        #expect(await peer.isEnded())
        #expect(await eventually { await RawPeer.connect(port: address.port) == nil })
    }

    @Test func `a released server releases its handler, and all that the handler holds`() async throws {
        final class Held: Sendable {}
        var held: Held? = Held()
        weak let left = held
        var server: HTTPServer? = HTTPServer { [held] _ in HTTPResponse(200, text: "\(held == nil)") }
        held = nil
        _ = try await server?.start()
        #expect(left != nil)
        server = nil
        #expect(await eventually { left == nil })
    }

    @Test func `stopping a server lets requests finish, closes idle connections and accepts no new ones`() async throws
    {
        let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
        let door = Door()
        let loopback = try await Loopback { _ in
            hasBegun.yield()
            await door.pass()
            return HTTPResponse(200, text: "done")
        }
        let port = loopback.address.port
        let idle = try #require(await RawPeer.connect(port: port))
        let busy = try #require(await RawPeer.connect(port: port))
        await busy.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        var first = begun.makeAsyncIterator()
        await first.next()
        let stopping = Task { await loopback.server.stop(within: .seconds(110)) }
        #expect(await idle.isEnded())
        #expect(await eventually { await RawPeer.connect(port: port) == nil })
        await door.open()
        let text = await busy.hearText()
        #expect(text.hasSuffix("done") && text.contains("Connection: close"))
        await stopping.value
        await loopback.service.stop()
    }

    @Test func `requests that outlast a server's stopping deadline are cut off`() async throws {
        let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
        let loopback = try await Loopback { _ in
            hasBegun.yield()
            try? await Task.sleep(for: .seconds(60))
            return HTTPResponse(200)
        }
        let peer = try #require(await RawPeer.connect(port: loopback.address.port))
        await peer.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        var first = begun.makeAsyncIterator()
        await first.next()
        await loopback.server.stop(within: .milliseconds(100))
        #expect(await peer.isEnded())
        await loopback.service.stop()
    }
}

extension RawPeer: Equatable {
    static func == (left: RawPeer, right: RawPeer) -> Bool { left === right }
}
