import TestSupport
import Testing
import WebAddressing
import WebTransport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct HTTPClientTests {
    private func get(
        _ port: UInt16, _ change: (inout ClientRequestLimits) -> Void = { _ in }
    ) async throws -> HTTPResponse {
        let service = WebService()
        var limits = ClientRequestLimits.patient
        change(&limits)
        let result: Result<HTTPResponse, any Error>
        do {
            let target = WebConnectionTarget(Loopback.host, port: port, host: .name("server.example"))
            let request = HTTPRequest(.get, try RequestTarget(parsing: "/"))
            result = .success(try await HTTPClient(service).send(request, to: target, limits: limits))
        } catch { result = .failure(error) }
        await service.stop()
        return try result.get()
    }

    private func code(_ answer: String, _ change: (inout ClientRequestLimits) -> Void = { _ in }) async throws
        -> WebError
        .Code?
    {
        let port = await RawPeer.serveOnce { await $0.say(answer) }
        do {
            _ = try await get(port, change)
            return nil
        } catch let error as WebError { return error.code }
    }

    @Test func `the HTTP client returns a redirect unfollowed`() async throws {
        let loopback = try await Loopback { request in
            request.target.path == "/"
                ? HTTPResponse(302, headers: ["Location": "/other"]) : HTTPResponse(200, text: "followed")
        }
        let response = try await loopback.get("/")
        #expect(response.status == 302)
        #expect(response.headers["location"] == "/other")
        await loopback.stop()
    }

    @Test func `the HTTP client sends the target's host in the Host field, whatever the address`() async throws {
        let loopback = try await Loopback { HTTPResponse(200, text: $0.headers["host"] ?? "") }
        #expect(try await get(loopback.address.port).text == "server.example:\(loopback.address.port)")
        await loopback.stop()
    }

    @Test(.shows("W8")) func `the HTTP client ignores proxies in the environment`() async {
        await #expect(processExitsWith: .success) {
            setenv("http_proxy", "127.0.0.1:1", 1)
            setenv("HTTP_PROXY", "127.0.0.1:1", 1)
            setenv("all_proxy", "127.0.0.1:1", 1)
            let loopback = try await Loopback { _ in HTTPResponse(200, text: "direct") }
            let response = try await loopback.get("/")
            await loopback.stop()
            exit(response.text == "direct" ? 0 : 1)
        }
    }

    @Test func `a response body at the limit is read and one byte more refused, with a length and in chunks`()
        async throws
    {
        let limit = { (limits: inout ClientRequestLimits) in limits.maximumBodyBytes = 10 }
        #expect(try await code("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789", limit) == nil)
        #expect(try await code("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n0123456789a", limit) == .responseTooLarge)
        let chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n"
        #expect(try await code(chunks + "5\r\n56789\r\n0\r\n\r\n", limit) == nil)
        #expect(try await code(chunks + "6\r\n56789a\r\n0\r\n\r\n", limit) == .responseTooLarge)
    }

    @Test func `a response that never ends is refused at the size limit`() async throws {
        let port = await RawPeer.serveOnce { peer in
            await peer.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while await peer.say("400\r\n" + String(repeating: "x", count: 1024) + "\r\n") {}
        }
        await #expect(throws: WebError(.responseTooLarge, "")) { try await get(port) { $0.maximumBodyBytes = 100_000 } }
    }

    @Test func `a response header at the limit is read and one byte more refused`() async throws {
        // The status line takes 17 bytes, Content-Length and its 0 19, Set-Cookie 14 and its value, the end 2.
        func answer(_ count: Int) -> String {
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nSet-Cookie: \(String(repeating: "y", count: count))\r\n\r\n"
        }
        let limit = { (limits: inout ClientRequestLimits) in limits.maximumHeaderBytes = 1000 }
        #expect(try await code(answer(1000 - 52), limit) == nil)
        #expect(try await code(answer(1000 - 51), limit) == .headerTooLarge)
    }

    @Test func `a response that arrives too slowly fails at its deadline`() async throws {
        let port = await RawPeer.serveOnce { peer in
            await peer.say("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            while await peer.say("x") { try? await Task.sleep(for: .milliseconds(20)) }
        }
        await #expect(throws: WebError(.deadline, "")) { try await get(port) { $0.deadline = .milliseconds(300) } }
    }

    @Test func `a response that never begins fails at its deadline`() async throws {
        let port = await RawPeer.serveOnce { _ = await $0.isEnded() }
        await #expect(throws: WebError(.deadline, "")) { try await get(port) { $0.deadline = .milliseconds(300) } }
    }

    @Test func `a response that is cut short is an error`() async throws {
        #expect(try await code("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234") == .connectionLost)
        let chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(try await code(chunks + "5\r\n012") == .connectionLost)
        #expect(try await code(chunks + "3\r\n012\r\n") == .connectionLost)
        #expect(try await code("HTTP/1.1 200 OK\r\nContent-Le") == .connectionLost)
        #expect(try await code("") == .connectionLost)
    }

    @Test func `a response without a length ends with its connection`() async throws {
        let port = await RawPeer.serveOnce { await $0.say("HTTP/1.0 200 OK\r\n\r\nold") }
        #expect(try await get(port).text == "old")
    }

    @Test(arguments: [
        "\r\n\r\n", "HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n", "220 mail.example ESMTP\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n",
    ])
    func `a response that is not HTTP is an error`(answer: String) async throws {
        #expect(try await code(answer) == .responseMalformed)
    }

    @Test func `interim responses are skipped, and one without a final response is a lost connection`() async throws {
        let interim = "HTTP/1.1 100 Continue\r\n\r\n"
        #expect(try await code(interim) == .connectionLost)
        #expect(try await code(interim + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") == nil)
        #expect(try await code(String(repeating: interim, count: 9)) == .responseMalformed)
    }

    @Test func `a response with contradictory lengths is an error`() async throws {
        #expect(
            try await code("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab") == .responseMalformed)
        #expect(try await code("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nab") == .responseMalformed)
    }

    @Test func `a port without a listener has its own error code`() async throws {
        let loopback = try await Loopback { _ in HTTPResponse(200) }
        await loopback.stop()
        await #expect(throws: WebError(.connectFailed, "")) { try await get(loopback.address.port) }
    }

    @Test func `cancelling a request's task closes its connection`() async throws {
        let (ended, hasEnded) = AsyncStream.makeStream(of: Bool.self)
        let port = await RawPeer.serveOnce { peer in
            hasEnded.yield(false)
            hasEnded.yield(await peer.isEnded())
        }
        let task = Task { try await get(port) }
        var events = ended.makeAsyncIterator()
        _ = await events.next()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await events.next() == true)
    }

    @Test func `pending requests fail with the service's code when it stops`() async throws {
        let loopback = try await Loopback { _ in
            try? await Task.sleep(for: .seconds(60))
            return HTTPResponse(200)
        }
        let task = Task { try await loopback.get("/") }
        #expect(await eventually { loopback.server.connectionCount == 1 })
        await loopback.service.stop()
        await #expect(throws: WebError.self) { try await task.value }
        await #expect(throws: WebError(.serviceStopped, "")) { try await loopback.get("/") }
        await loopback.server.stop(within: .zero)
    }

    @Test(.shows("W7")) func `a request that HTTP cannot express is refused before anything is sent`() async throws {
        let loopback = try await Loopback { _ in HTTPResponse(200) }
        await #expect(throws: WebError(.messageMalformed, "")) {
            try await loopback.get("/", headers: ["X": "a\r\nY: b"])
        }
        await #expect(throws: WebError(.messageMalformed, "")) {
            try await loopback.send(HTTPRequest(.get, RequestTarget(parsing: "/"), body: [1]))
        }
        let large = String(repeating: "y", count: 8192 - 5)
        #expect(try await loopback.get("/", headers: ["Cookie": String(large.dropLast(5 + 100))]).status == 200)
        await #expect(throws: WebError(.messageMalformed, "")) {
            try await loopback.get("/", headers: ["X": large + "y"])
        }
        await loopback.stop()
    }
}
