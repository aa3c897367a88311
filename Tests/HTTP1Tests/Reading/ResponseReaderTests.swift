import HTTP1
import Testing

/// RFC 9112 sections 4, 6.3 and 8.
@Suite struct ResponseReaderTests {
    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhirest", "200+hi./rest"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nrest", "200./rest"),
        ("HTTP/1.1 404 \r\nContent-Length: 2\r\n\r\nhi", "404+hi."),
        ("HTTP/1.1 500\r\nContent-Length: 2\r\n\r\nhi", "500+hi."),
        ("HTTP/1.0 200 OK \u{E9}\r\nContent-Length: 2\r\n\r\nhi", "200+hi."),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n1\r\nh\r\n1;a\r\ni\r\n0\r\nX: y\r\n\r\nrest",
            "200+hi./rest"
        ),
        ("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nrest", "204./rest"),
        ("HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\nrest", "304./rest"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nh", "200?"),
    ]) func `an HTTP response body ends where RFC 9112 section 6 3 has it`(bytes: String, record: String) {
        #expect(response(bytes) == record)
    }

    @Test func `only a response body without length and chunks ends with the connection, as section 8 has it`() {
        #expect(response("HTTP/1.1 200 OK\r\n\r\nhi", ends: true) == "200+hi.")
        #expect(response("HTTP/1.1 200 OK\r\n\r\n", ends: true) == "200.")
        #expect(response("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi", ends: true) == "200truncated")
        #expect(
            response("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n", ends: true) == "200truncated")
        #expect(response("HTTP/1.1 200 OK\r\nX: y", ends: true) == "truncated")
        #expect(response("", ends: true) == "truncated")
    }

    @Test func `an HTTP response to HEAD has no body, as RFC 9112 section 6 3 has it`() {
        #expect(response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nrest", to: .head) == "200./rest")
        #expect(response("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", to: .head) == "200.")
    }

    @Test(arguments: [
        "Content-Length: 2\r\nContent-Length: 2", "Content-Length: 2, 2", "Content-Length: +2", "Content-Length:",
        "Transfer-Encoding: chunked\r\nContent-Length: 2", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "X : y", "X: y\r\n z", "X: y\nZ: z", ": y", "X: \u{0}",
    ]) func `an HTTP response with ambiguous framing is refused, as RFC 9112 section 6 3 has it`(fields: String) {
        #expect(response("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nhi", ends: true) == "malformed")
    }

    @Test func `a response with an unknown coding, or any in HTTP 1 0, is refused, as RFC 9112 section 6 1 has it`() {
        #expect(response("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhi") == "codingNotServed")
        #expect(response("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\nhi") == "codingNotServed")
        #expect(response("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nhi") == "malformed")
    }

    @Test(arguments: [
        "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 099 OK", "HTTP/1.1 600 OK", "HTTP/1.1  200 OK",
        "HTTP/1.1\t200 OK", "http/1.1 200 OK",
        "HTTP/1.1 2x0 OK", "HTTP/1.1 1:0 OK", "HTTP/1.1 2/0 OK", "HTTP/1.1", "", "200 OK", "HTTP/1.1 200OK",
        "ICY 200 OK",
    ]) func `a malformed HTTP status line is refused, as RFC 9112 section 4 has it`(line: String) {
        #expect(response("\(line)\r\nContent-Length: 0\r\n\r\n") == "malformed")
    }

    @Test func `an HTTP response of another version than 1 0 or 1 1 is refused`() {
        for version in ["0.9", "1.2", "2.0"] {
            #expect(response("HTTP/\(version) 200 OK\r\n\r\n") == "versionNotServed")
        }
    }

    @Test func `eight interim responses are skipped and a ninth is refused, as RFC 9110 section 15 2 has it`() {
        let interim = "HTTP/1.1 103 Early Hints\r\nContent-Length: 9\r\nX: y\r\n\r\n"
        let final = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
        #expect(response("HTTP/1.1 100 Continue\r\n\r\n" + final) == "200+hi.")
        #expect(response(String(repeating: interim, count: 8) + final) == "200+hi.")
        #expect(response(String(repeating: interim, count: 9) + final) == "malformed")
    }

    @Test
    func `status 101 is accepted only after an upgrade request, and the bytes behind it are left`() {
        let change = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n"
        #expect(response(change + "frames", to: .upgrade) == "101./frames")
        #expect(response(change) == "malformed")
        #expect(response(change, to: .tunnel) == "malformed")
        #expect(response("HTTP/1.0 101 Switching Protocols\r\n\r\n", to: .upgrade) == "malformed")
        #expect(response("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nhi", to: .upgrade) == "404+hi.")
    }

    @Test func `a 2xx response to CONNECT has no body, as RFC 9112 section 6 3 has it`() {
        #expect(response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nTLS", to: .tunnel) == "200./TLS")
        #expect(response("HTTP/1.1 407 No\r\nContent-Length: 2\r\n\r\nhi", to: .tunnel) == "407+hi.")
    }

    @Test func `the default limits of an HTTP response are accepted, and one byte more is refused`() {
        let start = "HTTP/1.1 200 OK\r\n"
        for (count, record) in [(16384, "200."), (16385, "headerTooLarge")] {
            let head = start + "X: " + String(repeating: "a", count: count - 24) + "\r\n\r\n"
            #expect(response(bytes(head), ends: true) == record)
        }
        #expect(response(start + "Content-Length: 1048576\r\n\r\n") == "200?")
        #expect(response(start + "Content-Length: 1048577\r\n\r\n") == "bodyTooLarge")
        let chunked = start + "Transfer-Encoding: chunked\r\n\r\n"
        for (count, isTaken) in [(128, true), (129, false)] {
            let chunk = "1;" + String(repeating: "a", count: count - 2) + "\r\na\r\n0\r\n\r\n"
            #expect((response(chunked + chunk) == "200+a.") == isTaken)
        }
        let chunk = "1;" + String(repeating: "a", count: 63) + "\r\na\r\n"
        let most = chunked + String(repeating: chunk, count: 15)
        for (count, isTaken) in [(62, true), (63, false)] {
            let last = "1;" + String(repeating: "a", count: count - 1) + "\r\na\r\n0;a\r\n\r\n"
            #expect((response(most + last) == "200+\(String(repeating: "a", count: 16)).") == isTaken)
        }
        for (count, isTaken) in [(1024, true), (1025, false)] {
            let trailer = "X: " + String(repeating: "a", count: count - 7) + "\r\n\r\n"
            #expect((response(chunked + "0\r\n" + trailer) == "200.") == isTaken)
        }
    }

    @Test func `an HTTP response at its header and body limits is accepted, and past them refused`() {
        var limits = HTTPResponseReader.Limits()
        (limits.maximumHeaderBytes, limits.maximumBodyBytes) = (100, 3)
        for (count, record) in [(100, "200."), (101, "headerTooLarge")] {
            let head = "HTTP/1.1 200 OK\r\nX: " + String(repeating: "a", count: count - 24) + "\r\n\r\n"
            #expect(head.utf8.count == count)
            #expect(response(bytes(head), ends: true, limits) == record)
        }
        let start = "HTTP/1.1 200 OK\r\n"
        #expect(response(bytes(start + "Content-Length: 3\r\n\r\nabc"), limits) == "200+abc.")
        #expect(response(bytes(start + "Content-Length: 4\r\n\r\n"), limits) == "bodyTooLarge")
        #expect(response(bytes(start + "\r\nabc"), ends: true, limits) == "200+abc.")
        #expect(response(bytes(start + "\r\nabcd"), limits) == "200bodyTooLarge")
        #expect(response(bytes(start + "Transfer-Encoding: chunked\r\n\r\n4\r\n"), limits) == "200bodyTooLarge")
    }
}
