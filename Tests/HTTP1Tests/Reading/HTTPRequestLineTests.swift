import HTTP1
import Testing

/// RFC 9112 section 3, RFC 9110 sections 7.1, 7.2 and 9.1.
@Suite struct HTTPRequestLineTests {
    private func line(_ line: String, host: String = "Host: a\r\n") -> String {
        requests("\(line)\r\n\(host)\r\n")
    }

    @Test(arguments: [
        "GET / HTTP/1.1", "GET /a?b=c HTTP/1.1", "M-SEARCH /a HTTP/1.1", "X!#$%&'*+-.^_`|~ /a HTTP/1.1",
        "GET //a HTTP/1.1",
        "GET /%41;b HTTP/1.1", "CONNECTED /a HTTP/1.1", "CONNEC /a HTTP/1.1", "TRACES /a HTTP/1.1",
        "TRAC /a HTTP/1.1", "GET /~a!$&'()*+,;=:@ HTTP/1.0", "OPTIONS * HTTP/1.1", "get / HTTP/1.1",
    ]) func `an HTTP request line by the grammar is accepted, as RFC 9112 section 3 has it`(line: String) {
        #expect(self.line(line) == line.dropLast(9) + ".")
    }

    @Test(arguments: [
        "GET  / HTTP/1.1", "GET /  HTTP/1.1", " GET / HTTP/1.1", "GET / HTTP/1.1 ", "GET\t/ HTTP/1.1", "GET /", "GET",
        "GET ",
        "/ HTTP/1.1", "GET /a b HTTP/1.1", "G(T / HTTP/1.1", "G\u{E9}T / HTTP/1.1", "GET, / HTTP/1.1",
        "GET /a#b HTTP/1.1",
        "GET a HTTP/1.1", "GET * HTTP/1.1", "GET ?a HTTP/1.1", "GET /% HTTP/1.1", "GET /%4 HTTP/1.1",
        "GET /%zz HTTP/1.1",
        "GET /\u{E9} HTTP/1.1", "GET /a\"b HTTP/1.1", "GET / http/1.1", "GET / HTTP/1.1x", "GET / HTTP/11",
        "GET / HTTP/1.",
        "GET / HTTPS/1.1", "GET / HTTP/01.1", "GET / RTSP/1.0", " / HTTP/1.1", "OPTIONS  HTTP/1.1", "CONNECT  HTTP/1.1",
        "TRACE  HTTP/1.1", "OPTIONS *a HTTP/1.1", "OPTIONS ** HTTP/1.1", "OPTION * HTTP/1.1", "OPTIONSX * HTTP/1.1",
    ]) func `a malformed request line is refused with 400, as RFC 9112 section 3 has it`(line: String) {
        #expect(self.line(line) == "400")
    }

    @Test(arguments: ["HTTP/0.9", "HTTP/1.2", "HTTP/2.0", "HTTP/3.0"])
    func `another HTTP version is refused with status 505, as RFC 9110 section 15 6 6 has it`(version: String) {
        #expect(line("GET / \(version)") == "505")
    }

    @Test func `CONNECT and TRACE requests are refused with statuses of their own, as RFC 9110 section 9 3 has it`() {
        #expect(line("CONNECT a:80 HTTP/1.1") == "501")
        #expect(line("CONNECT / HTTP/1.1") == "501")
        #expect(line("TRACE / HTTP/1.1") == "405")
        #expect(line("TRACE * HTTP/1.1") == "405")
        #expect(line("trace / HTTP/1.1") == "trace /.")
    }

    @Test(arguments: [
        ("http://b/x", "b", "/x"), ("http://b:81/x?y", "b:81", "/x?y"), ("HTTP://B", "B", "/"),
        ("https://b?c", "b", "/?c"),
        ("http://[::1]:8/x", "[::1]:8", "/x"), ("/x", "a", "/x"),
    ]) func `the authority of an absolute request target wins over Host, as RFC 9112 section 3 2 2 has it`(
        target: String, authority: String, path: String
    ) {
        let head = head("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(head?.authority == authority)
        #expect(head?.target == path)
    }

    @Test(arguments: [
        "http://", "http:///a", "http:/a", "ftp://a/", "ws://a/", "http://u@a/", "http://a:b/", "http://a:123456/",
        "http://[::1/", "http://[]/", "http://[:::]/", "http://[1:2]/", "http://[::1%25a]/",
        "http://a:65536/", "http://a/[b]", "http://[::1]/[", "http://a[/", "http://%41/",
    ]) func `an absolute request target without a valid authority is refused, as section 3 2 2 has it`(target: String) {
        #expect(line("GET \(target) HTTP/1.1") == "400")
    }

    @Test(arguments: [
        "a", "a.b", "a:80", "127.0.0.1", "[::1]", "[::1]:80", "a-b_c", "a:", "a:65535", "[::ffff:1.2.3.4]:0", "a:00080",
    ])
    func `a valid Host field is accepted, as RFC 9112 section 3 2 has it`(host: String) {
        #expect(line("GET / HTTP/1.1", host: "Host: \(host)\r\n") == "GET /.")
        #expect(head("GET / HTTP/1.1\r\nhost:\t\(host) \r\n\r\n")?.authority == host)
    }

    @Test(arguments: [
        "", "a b", "a/b", "a?b", "a#b", "u@a", "a:b", "a:80:80", "a:-1", "a:123456", "a:65536", "a:99999", "::1",
        "[::1", "[a]b", "[]", "[:::]", "[1:2]", "[::g]", "[::1]b", "[v1.a]",
        "[1.2.3.4]", "[::1:]", "[::12345]", "[fe80::1%a]",
        "a%41",
        "http://a", "\u{E9}", "\"a\"",
    ]) func `a malformed Host field is refused, as RFC 9112 section 3 2 has it`(host: String) {
        #expect(line("GET / HTTP/1.1", host: "Host: \(host)\r\n") == "400")
    }

    @Test func `the host of an HTTP request has 1 to 255 characters, as RFC 1035 section 2 3 4 has it`() {
        for (count, record) in [(1, "GET /."), (255, "GET /."), (256, "400")] {
            let host = String(repeating: "a", count: count)
            #expect(line("GET / HTTP/1.1", host: "Host: \(host):80\r\n") == record)
        }
        #expect(line("GET / HTTP/1.1", host: "Host: :80\r\n") == "400")
    }

    @Test func `a request has exactly one Host field, except in HTTP 1 0, as RFC 9112 section 3 2 has it`() {
        #expect(line("GET / HTTP/1.1", host: "") == "400")
        #expect(line("GET http://a/ HTTP/1.1", host: "") == "400")
        #expect(line("GET / HTTP/1.1", host: "Host: a\r\nhost: a\r\n") == "400")
        #expect(line("GET / HTTP/1.0", host: "Host: a\r\nhost: a\r\n") == "400")
        #expect(line("GET / HTTP/1.0", host: "") == "GET /.")
        #expect(head("GET / HTTP/1.0\r\n\r\n")?.authority == nil)
    }

    @Test func `an empty line before an HTTP request is skipped, two are refused, as RFC 9112 section 2 2 has it`() {
        #expect(requests("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n") == "GET /.")
        #expect(requests("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n") == "400")
        #expect(requests("\r\n") == "?")
        #expect(requests("\n") == "400")
    }
}
