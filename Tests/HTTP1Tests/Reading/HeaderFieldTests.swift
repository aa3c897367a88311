import HTTP1
import Testing

/// RFC 9112 section 5, RFC 9110 section 5.
@Suite struct HeaderFieldTests {
    private func field(_ line: String) -> String { requests("GET / HTTP/1.1\r\nHost: a\r\n\(line)\r\n\r\n") }

    @Test
    func `header names keep their spelling and compare without case, and values lose the blanks around them`() {
        let fields = head("GET / HTTP/1.1\r\nHost: a\r\nX-One: \t b c\t \r\nx-ONE:\r\nY:d\r\n\r\n")?.fields
        #expect(fields?.count == 4)
        #expect(fields?.name(at: 1) == "X-One")
        #expect(fields?.value(at: 1) == "b c")
        #expect(fields?.values(of: "X-one") == ["b c", ""])
        #expect(fields?.onlyValue(of: "y") == "d")
        #expect(fields?.onlyValue(of: "x-one") == nil)
        #expect(fields?.onlyValue(of: "z") == nil)
        #expect(fields?.valueBytes(at: 3).elementsEqual([0x64]) == true)
    }

    @Test func `list elements are found over all header fields of a name, as RFC 9110 section 5 6 1 has it`() {
        let fields = head("GET / HTTP/1.1\r\nHost: a\r\nL: a , B,,\r\nl: c\r\n\r\n")?.fields
        #expect(fields?.list(of: "L") == ["a", "B", "c"])
        for word in ["A", "b", "C"] { #expect(fields?.list(of: "l", holds: word) == true) }
        for word in ["a ,", "d", "ab"] { #expect(fields?.list(of: "l", holds: word) == false) }
    }

    @Test(arguments: [
        "X : a", "X\t: a", " X: a", "\tX: a", ": a", "X", "X\u{0}: a", "X(: a", "X\u{E9}: a", "X: a\r\n b",
        "X: a\r\n\tb",
        "X y: a", "\"X\": a",
    ]) func `a header name that is no token, a folded line and a blank before the colon are refused`(
        line: String
    ) {
        #expect(field(line) == "400")
    }

    @Test(arguments: Array(UInt8(0)...31) + [127])
    func `a header with a control character other than tab is refused, as RFC 9110 section 5 5 has it`(control: UInt8) {
        let value = bytes("GET / HTTP/1.1\r\nHost: a\r\nX: a") + [control] + bytes("b\r\n\r\n")
        #expect(requests(value) == (control == 9 ? "GET /." : "400"))
        #expect(requests(bytes("GET /") + [control] + bytes("a HTTP/1.1\r\nHost: a\r\n\r\n")) == "400")
        let chunk = bytes("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;a=") + [control]
        #expect(requests(chunk + bytes("b\r\na\r\n0\r\n\r\n")) == (control == 9 ? "POST /+a." : "POST /400"))
    }

    @Test(arguments: ["\n", "\r", "\r\r\n", "\n\r", "\r\u{0}\n"])
    func `a header line ends only with CR LF, as RFC 9112 section 2 2 has it`(end: String) {
        #expect(requests("GET / HTTP/1.1\(end)Host: a\r\n\r\n") == "400")
        #expect(requests("GET / HTTP/1.1\r\nHost: a\(end)X: b\r\n\r\n") == "400")
        #expect(requests("GET / HTTP/1.1\r\nHost: a\r\nX: b\(end)\r\n") == "400")
    }

    @Test func `bytes above 127 in a header value are text, as RFC 9110 section 5 5 has it`() {
        let request = bytes("GET / HTTP/1.1\r\nHost: a\r\nX: ") + Array(128...255) + bytes("\r\n\r\n")
        #expect(requests(request) == "GET /.")
    }

    @Test
    func `an HTTP header at the limit is accepted and one byte more is refused with 431, as RFC 6585 section 5 has it`()
    {
        var limits = HTTPRequestReader.Limits()
        limits.maximumHeaderBytes = 200
        for (count, record) in [(200, "GET /."), (201, "431")] {
            for start in ["", "\r\n"] {
                let most = start + "GET / HTTP/1.1\r\nHost: a\r\nX: \r\n\r\n"
                let value = String(repeating: "a", count: count - most.utf8.count)
                let request = start + "GET / HTTP/1.1\r\nHost: a\r\nX: \(value)\r\n\r\n"
                #expect(request.utf8.count == count)
                #expect(requests(bytes(request), limits) == record)
            }
        }
        let many = String(repeating: "a:\r\n", count: 50)
        let long = String(repeating: "a", count: 200)
        #expect(requests(bytes("GET / HTTP/1.1\r\nHost: a\r\n\(many)"), limits) == "431")
        #expect(requests(bytes("GET / HTTP/1.1\r\nHost: a\r\nX: " + long), limits) == "431")
    }

    @Test
    func `a request line at the limit is accepted and one byte more is refused with status 414`() {
        var limits = HTTPRequestReader.Limits()
        limits.maximumRequestLineBytes = 100
        for (count, record) in [(100, "."), (101, "414")] {
            let target = "/" + String(repeating: "a", count: count - 14)
            let request = "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n"
            #expect(requests(bytes(request), limits) == (record == "." ? "GET \(target)." : record))
        }
        limits.maximumHeaderBytes = 100
        #expect(requests(bytes("GET /" + String(repeating: "a", count: 200)), limits) == "414")
    }

    @Test func `the default HTTP limits accept 8 KiB of header and a request line of 8000 bytes`() {
        let line = "GET /" + String(repeating: "a", count: 7986) + " HTTP/1.1"
        #expect(line.utf8.count == 8000)
        #expect(requests("\(line)\r\nHost: a\r\n\r\n").hasSuffix("a."))
        #expect(requests("GET /a\(line.dropFirst(5))\r\nHost: a\r\n\r\n") == "414")
        let rest = 8192 - "GET / HTTP/1.1\r\nHost: a\r\nX: \r\n\r\n".utf8.count
        #expect(requests("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "b", count: rest))\r\n\r\n") == "GET /.")
        #expect(requests("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "b", count: rest + 1))\r\n\r\n") == "431")
    }

    @Test(arguments: [
        ("", false), ("Connection: close\r\n", true), ("connection: x, Close\r\n", true),
        ("Connection: closed\r\n", false),
    ])
    func `an HTTP connection ends at a close option and in HTTP 1 0, as section 9 3 has it`(line: String, isLast: Bool)
    {
        #expect(head("GET / HTTP/1.1\r\nHost: a\r\n\(line)\r\n")?.isLast == isLast)
        #expect(head("GET / HTTP/1.0\r\nHost: a\r\n\(line)\r\n")?.isLast == true)
    }

    @Test
    func `Expect is read only as 100-continue with a body, as RFC 9110 section 10 1 1 has it`() {
        let expect = "Host: a\r\nExpect: 100-Continue\r\n"
        #expect(head("POST / HTTP/1.1\r\n\(expect)Content-Length: 1\r\n\r\n")?.expectsContinue == true)
        #expect(head("POST / HTTP/1.1\r\n\(expect)Transfer-Encoding: chunked\r\n\r\n")?.expectsContinue == true)
        #expect(head("POST / HTTP/1.0\r\n\(expect)Content-Length: 1\r\n\r\n")?.expectsContinue == false)
        #expect(head("POST / HTTP/1.1\r\n\(expect)Content-Length: 0\r\n\r\n")?.expectsContinue == false)
        for value in ["x", "", "100-continue, x", "100-continue\r\nExpect: 100-continue"] {
            #expect(requests("GET / HTTP/1.1\r\nHost: a\r\nExpect: \(value)\r\n\r\n") == "417")
        }
    }
}
