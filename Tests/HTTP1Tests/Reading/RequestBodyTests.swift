import HTTP1
import Testing

/// RFC 9112 sections 6, 7 and 11.2.
@Suite struct RequestBodyTests {
    private func post(_ fields: String, _ body: String, version: String = "1.1") -> String {
        requests("POST / HTTP/\(version)\r\nHost: a\r\n\(fields)\r\n\(body)")
    }

    private func chunked(_ body: String) -> String { post("Transfer-Encoding: chunked\r\n", body) }

    @Test func `a body of Content-Length bytes is followed by the next request, as RFC 9112 section 6 3 has it`() {
        let next = "GET /b HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(post("Content-Length: 5\r\n", "hello\(next)") == "POST /+hello.GET /b.")
        #expect(post("Content-Length:\t05 \r\n", "hello") == "POST /+hello.")
        #expect(post("Content-Length: 0\r\n", next) == "POST /.GET /b.")
        #expect(post("", next) == "POST /.GET /b.")
        #expect(post("Content-Length: 5\r\n", "hell") == "POST /?")
        #expect(requests("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi\(next)") == "GET /+hi.GET /b.")
    }

    @Test(arguments: [
        "", "+5", "-5", "-0", "0x5", "5 5", "5,5", "5, 5", "5,", "5.0", "5e0", "\"5\"", "five", "5;", "5\u{A0}",
        "\u{665}",
        "0000000000000000005",
    ]) func `a Content-Length that is not 1 to 18 digits is refused, as RFC 9112 section 6 3 has it`(value: String) {
        #expect(post("Content-Length: \(value)\r\n", "hello") == "400")
    }

    @Test(arguments: [
        "Content-Length: 5\r\nContent-Length: 5\r\n", "Content-Length: 5\r\ncontent-length: 6\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nTE: a\r\nContent-Length: 0\r\n",
    ]) func `a request whose body could end in two ways is refused, as RFC 9112 section 6 1 has it`(fields: String) {
        #expect(post(fields, "0\r\n\r\n") == "400")
    }

    @Test(arguments: [
        "gzip", "chunked, gzip", "gzip, chunked", "chunked, chunked", "xchunked", "chunkedx", "", "identity",
        "\"chunked\"", "chunked;a",
    ])
    func `a Transfer-Encoding other than one chunked is refused with 501, as section 6 1 has it`(coding: String) {
        #expect(post("Transfer-Encoding: \(coding)\r\n", "0\r\n\r\n") == "501")
    }

    @Test func `a Transfer-Encoding in HTTP 1 0 is refused, as RFC 9112 section 6 1 has it`() {
        #expect(post("Transfer-Encoding: chunked\r\n", "0\r\n\r\n", version: "1.0") == "400")
    }

    @Test(arguments: [
        ("5\r\nhello\r\n0\r\n\r\n", "hello"), ("05\r\nhello\r\n0\r\n\r\n", "hello"),
        ("2\r\nhe\r\n3\r\nllo\r\n000\r\n\r\n", "hello"),
        ("A\r\nhellohello\r\n0\r\n\r\n", "hellohello"), ("a\r\nhellohello\r\n0;z\r\n\r\n", "hellohello"),
        ("5;a\r\nhello\r\n0\r\n\r\n", "hello"), ("5;a=b;c=\"d;\\\"e\"\r\nhello\r\n0\r\n\r\n", "hello"),
        ("5 ; a = b ;c\r\nhello\r\n0\r\n\r\n", "hello"), ("5\r\nhello\r\n0\r\nX: a\r\nY:\r\n\r\n", "hello"),
        ("0000000000000005\r\nhello\r\n0\r\n\r\n", "hello"),
    ]) func `body chunks are joined, and extensions and trailers dropped, as RFC 9112 section 7 1 has it`(
        body: String, decoded: String
    ) {
        #expect(chunked(body) == "POST /+\(decoded).")
        #expect(chunked(body + "GET /b HTTP/1.1\r\nHost: a\r\n\r\n") == "POST /+\(decoded).GET /b.")
    }

    @Test(arguments: ["", ";a", " "]) func `a body chunk without a size is not the last one, as section 7 1 has it`(
        size: String
    ) {
        #expect(chunked("\(size)\r\n\r\n") == "POST /400")
    }

    @Test(arguments: [
        "", " 5", "5 ", "5\t", "0x5", "+5", "-5", "g", ";a", "5;", "5;;", "5;=", "5;a=", "5;a=\"b", "5;a=\"b\"c", "5,5",
        "5.0",
        "5_", "5h", "5\u{0}", "5:", "5=a", "5 5", "00000000000000005", "5;a b", "5;a=\"b\\",
    ]) func `a malformed chunk size line of a body is refused, as RFC 9112 section 7 1 has it`(size: String) {
        #expect(chunked("\(size)\r\nhello\r\n0\r\n\r\n") == "POST /400")
    }

    @Test(arguments: [
        "5\r\nhello!\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n", "5\r\nhello0\r\n\r\n", "5\nhello\r\n0\r\n\r\n",
        "5\r\nhell\r\n0\r\n\r\n",
    ])
    func `a body chunk ends with CR LF where its size says, as RFC 9112 section 7 1 has it`(body: String) {
        let record = chunked(body)
        #expect(record == "POST /400")
    }

    @Test(arguments: [
        "Content-Length: 5", "transfer-encoding: chunked", "Host: b", "Connection: close", "Trailer: x", "TE: trailers",
        "Upgrade: x",
        "X", "X : a", " X: a", ": a", "X: a\r\n b", "X: a\nY: b", "X: \u{1}",
    ]) func `a trailer field that is malformed or sets the framing is refused, as RFC 9110 section 6 5 1 has it`(
        line: String
    ) {
        #expect(chunked("5\r\nhello\r\n0\r\n\(line)\r\n\r\n") == "POST /400")
    }

    @Test
    func
        `a body of exactly the limit is taken and one byte more is refused with 413, as RFC 9110 section 15 5 14 has it`()
    {
        var limits = HTTPRequestReader.Limits()
        limits.maximumBodyBytes = 10
        let start = "POST / HTTP/1.1\r\nHost: a\r\n"
        #expect(requests(bytes(start + "Content-Length: 10\r\n\r\n0123456789"), limits) == "POST /+0123456789.")
        #expect(requests(bytes(start + "Content-Length: 11\r\n\r\n"), limits) == "413")
        #expect(requests(bytes(start + "Content-Length: 999999999999999999\r\n\r\n"), limits) == "413")
        let chunks = start + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
        #expect(requests(bytes(chunks + "5\r\nhello\r\n0\r\n\r\n"), limits) == "POST /+hellohello.")
        #expect(requests(bytes(chunks + "6\r\n"), limits) == "POST /413")
        #expect(requests(bytes(chunks + "FFFFFFFFFFFFFFFF\r\n"), limits) == "POST /413")
    }

    @Test func `by default a request body of 1 MiB is accepted, and one byte more is refused`() {
        #expect(post("Content-Length: 1048576\r\n", "") == "POST /?")
        #expect(post("Content-Length: 1048577\r\n", "") == "413")
    }

    @Test func `the size line of a body chunk has a length limit, as RFC 9112 section 7 1 1 has it`() {
        for (count, record) in [(128, "POST /+a."), (129, "POST /400")] {
            let line = "1;" + String(repeating: "a", count: count - 2)
            #expect(chunked("\(line)\r\na\r\n0\r\n\r\n") == record)
        }
    }

    @Test func `all chunk extensions of a body have a limit together, as RFC 9112 section 7 1 1 has it`() {
        let chunk = "1;" + String(repeating: "a", count: 63) + "\r\na\r\n"
        let most = String(repeating: chunk, count: 16)
        #expect(chunked(most + "0\r\n\r\n") == "POST /+\(String(repeating: "a", count: 16)).")
        #expect(chunked(most + "0;a\r\n\r\n") == "POST /400")
        let shorter = String(most.dropFirst(chunk.count)) + "1;" + String(repeating: "a", count: 62) + "\r\na\r\n"
        #expect(chunked(shorter + "0;a\r\n\r\n") == "POST /400", "1,025 bytes")
    }

    @Test func `a trailer section past its limit is refused with 431, as RFC 9112 section 7 1 2 has it`() {
        for (count, record) in [(1024, "POST /."), (1025, "POST /431")] {
            let trailer = "X: " + String(repeating: "a", count: count - 7) + "\r\n\r\n"
            #expect(trailer.utf8.count == count)
            #expect(chunked("0\r\n" + trailer) == record)
        }
        #expect(chunked("0\r\n" + String(repeating: "X:\r\n", count: 300)) == "POST /431")
    }
}
