import Glibc
import TestSupport
import Testing
import WebAddressing

@testable import WebTransport

/// Answers that break HTTP, never end, or are too large, from a server of raw sockets.
@Suite struct HostileAnswerTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"

    /// The code that a fetch of a server with this behaviour ends with.
    private func code(
        within deadline: Duration = .seconds(60), _ behaviour: @escaping HostileServer.Behaviour
    ) async throws -> FetchError.Code? {
        var harness = try FetchHarness()
        harness.rules.deadline = deadline
        let server = try HostileServer(behaviour)
        defer { server.stop() }
        return try await harness.code("http://a.test:\(server.port)/")
    }

    @Test func `a well-formed response is accepted, and the request has no cookie, credential or referrer`()
        async throws
    {
        let server = try HostileServer { connection in
            connection.request()
            connection.send(Self.head + "Set-Cookie: a=b\r\nContent-Length: 2\r\n\r\nok")
        }
        defer { server.stop() }
        let harness = try FetchHarness()
        for _ in 0..<2 {
            let result = try await harness.fetch("http://a.test:\(server.port)/x?y#z")
            #expect(result.body == Array("ok".utf8))
            #expect(result.mediaType == "text/plain")
        }
        for request in server.requests {
            let lines = request.split(separator: "\r\n").map(String.init)
            #expect(lines.first == "GET /x?y HTTP/1.1")
            let names = lines.dropFirst().compactMap { $0.split(separator: ":").first?.lowercased() }
            #expect(
                Set(names).isSubset(of: [
                    "host", "accept", "accept-encoding", "user-agent", "connection", "pragma", "cache-control",
                    "origin",
                ]))
            #expect(lines.contains { $0.lowercased() == "host: a.test:\(server.port)" })
        }
        #expect(server.requests.count == 2)
    }

    @Test(.shows("F5")) func `an endless body is cut at the limit, in any transfer coding`() async throws {
        let filler = String(repeating: "x", count: 8192)
        #expect(
            try await code { connection in
                connection.request()
                connection.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n")
                while connection.send("2000\r\n" + filler + "\r\n") { continue }
            } == .bodyTooLarge)
        #expect(
            try await code { connection in
                connection.request()
                connection.send(Self.head + "Connection: close\r\n\r\n")
                while connection.send(filler) { continue }
            } == .bodyTooLarge)
    }

    @Test func `a body of the greatest length is accepted, and one announced a byte longer is not read`() async throws {
        let limit = FetchRules().maximumBodyBytes
        #expect(
            try await code { connection in
                connection.request()
                connection.send(Self.head + "Content-Length: \(limit)\r\n\r\n" + String(repeating: "x", count: limit))
            } == nil)
        #expect(
            try await code { connection in
                connection.request()
                connection.send(Self.head + "Content-Length: \(limit + 1)\r\n\r\n")
                connection.hang()
            } == .bodyTooLarge)
    }

    @Test(.shows("F5")) func `a server that sends slowly, or nothing, is given up at the deadline`() async throws {
        #expect(
            try await code(within: .milliseconds(500)) { connection in
                connection.request()
                connection.trickle(Self.head + String(repeating: "X-Slow: yes\r\n", count: 1000))
            } == .deadline)
        #expect(
            try await code(within: .milliseconds(500)) { connection in
                connection.request()
                connection.send(Self.head + "Content-Length: 1000\r\n\r\n")
                connection.trickle(String(repeating: "x", count: 1000))
            } == .deadline)
        #expect(
            try await code(within: .milliseconds(500)) { connection in
                connection.request()
                connection.hang()
            } == .deadline)
    }

    @Test(.shows("F6")) func `a response that ends before it is whole fails the fetch`() async throws {
        let beginnings = [
            "", "HTTP/1.1", "HTTP/1.1 200 OK\r\n", Self.head, Self.head + "Content-Length: 10\r\n\r\n",
            Self.head + "Content-Length: 10\r\n\r\n123456789", Self.head + "Transfer-Encoding: chunked\r\n\r\n5\r\nab",
            Self.head + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
        ]
        for beginning in beginnings {
            let found = try await code { connection in
                connection.request()
                connection.send(beginning)
            }
            #expect(found == .truncated || found == .malformed, "\(beginning) gave \(String(describing: found))")
        }
    }

    @Test func `a whole chunked response is accepted, also in pieces`() async throws {
        #expect(
            try await code { connection in
                connection.request()
                connection.trickle("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n")
            } == nil)
        #expect(
            try await code { connection in
                connection.request()
                connection.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n")
                connection.hang()
            } == nil)
    }

    @Test func `a connection reset during the response fails the fetch`() async throws {
        #expect(
            try await code { connection in
                connection.request()
                connection.send(Self.head + "Content-Length: 10\r\n\r\n12345")
                connection.reset()
            } == .truncated)
    }

    @Test(.shows("F6")) func `a response that is no HTTP is refused`() async throws {
        let texts = [
            "<html>hello</html>\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n\r\n", "220 mail ESMTP\r\n\r\n",
            "\u{0}\u{1}\u{2}\r\n\r\n",
            "HTTP/1.1 abc OK\r\n\r\n", "HTTP/1.1 99 Low\r\n\r\n", "HTTP/1.1 1000 High\r\n\r\n",
            "HTTP/1.1 -200 OK\r\n\r\n",
            Self.head + "Content-Length: -1\r\n\r\n", Self.head + "Content-Length: 1x\r\n\r\nab",
            Self.head + "Content-Length: 99999999999999999999\r\n\r\nab",
            Self.head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
            Self.head + "Transfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n",
        ]
        for text in texts {
            let found = try await code(within: .seconds(20)) { connection in
                connection.request()
                connection.send(text)
            }
            #expect(found == .malformed || found == .truncated, "\(text) gave \(String(describing: found))")
        }
    }

    @Test(.shows("F5")) func `a response header larger than the limit is refused, however it grows`() async throws {
        let line = String(repeating: "x", count: 1000)
        // A header field that the library keeps, one that it ignores, and one that never ends.
        let known = try await code { connection in
            connection.request()
            connection.send(Self.head)
            for _ in 0..<40 { connection.send("Server: " + line + "\r\n") }
            connection.send("Content-Length: 0\r\n\r\n")
        }
        let single = try await code { connection in
            connection.request()
            connection.send(Self.head + "Location: ")
            while connection.send(line) { continue }
        }
        let unknown = try await code { connection in
            connection.request()
            connection.send(Self.head + "X-Big: ")
            while connection.send(line) { continue }
        }
        for found in [known, single, unknown] { #expect(found == .headerTooLarge || found == .malformed) }
    }

    @Test func `endless response header lines are given up at the deadline`() async throws {
        #expect(
            try await code(within: .milliseconds(500)) { connection in
                connection.request()
                connection.send(Self.head)
                while connection.send("X-Big: x\r\n") { usleep(1000) }
            } == .deadline)
    }

    @Test(.shows("F6")) func `a compressed body is refused although its header is correct`() async throws {
        #expect(
            try await code { connection in
                connection.request()
                connection.send(Self.head + "Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\u{1F}ab")
            } == .encoded)
    }

    @Test func `an error for an unsuccessful status contains the status`() async throws {
        let server = try HostileServer { connection in
            connection.request()
            connection.send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        let harness = try FetchHarness()
        do {
            _ = try await harness.fetch("http://a.test:\(server.port)/")
            Issue.record("a status of 503 was taken")
        } catch let error as FetchError {
            #expect(error.code == .status)
            #expect(error.wireCode == 503)
        }
    }

    @Test func `fetching from a port without a listener has its own code`() async throws {
        let server = try HostileServer { _ in }
        let port = server.port
        server.stop()
        #expect(try await FetchHarness().code("http://a.test:\(port)/") == .unreachable)
    }

    @Test func `a fetch that cannot be requested is refused before anything is sent`() async throws {
        let server = try HostileServer { $0.request() }
        defer { server.stop() }
        #expect(try await FetchHarness().code("http://a.test:\(server.port)/%00") == .target)
        #expect(server.requests == [])
    }

    @Test func `a caller that cancels a fetch is not kept waiting`() async throws {
        let server = try HostileServer { connection in
            connection.request()
            connection.hang()
        }
        defer { server.stop() }
        let harness = try FetchHarness()
        let task = Task { try await harness.fetch("http://a.test:\(server.port)/") }
        for _ in 0..<2000 where server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        task.cancel()
        await #expect(throws: FetchError(.cancelled, "")) { try await task.value }
    }
}
