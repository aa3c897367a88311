import Testing

@testable import WebTransport

@Suite struct HTTPResponseEncodingTests {
    private func text(_ response: HTTPResponse, _ method: HTTPMethod? = .get, isLast: Bool = false) -> String? {
        HTTPResponseEncoding.message(response, to: method, date: "D", isLast: isLast).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test func `an HTTP response is written with its date and length`() {
        #expect(
            text(HTTPResponse(200, headers: ["A": "b"], body: [0x78]))
                == "HTTP/1.1 200 OK\r\nA: b\r\nDate: D\r\nContent-Length: 1\r\n\r\nx")
        #expect(
            text(HTTPResponse(204), isLast: true) == "HTTP/1.1 204 No Content\r\nDate: D\r\nConnection: close\r\n\r\n")
        #expect(text(HTTPResponse(299)) == "HTTP/1.1 299 \r\nDate: D\r\nContent-Length: 0\r\n\r\n")
        #expect(text(HTTPResponse(200, text: "x"), .head)?.hasSuffix("Content-Length: 1\r\n\r\n") == true)
    }

    @Test(arguments: [400, 405, 408, 413, 414, 417, 421, 426, 429, 431, 500, 501, 503, 505])
    func `the status line of each refusal of a server has the phrase of its status`(status: Int) throws {
        let line = try #require(text(HTTPResponse(status)))
        let words = line.prefix { $0 != "\r\n" }.split(separator: " ", maxSplits: 2)
        #expect(words.count == 3 && words.last?.first?.isUppercase == true && words.last != "Status", "\(line)")
    }

    @Test func `response fields that this module writes are not written twice`() {
        let response = HTTPResponse(
            200, headers: ["content-length": "9", "Connection": "x", "Transfer-Encoding": "chunked"])
        #expect(text(response) == "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 0\r\n\r\n")
    }

    @Test func `an encoded response that HTTP cannot express is not written`() {
        #expect(text(HTTPResponse(199)) == nil)
        #expect(text(HTTPResponse(600)) == nil)
        #expect(text(HTTPResponse(200, headers: ["a": "b\n"])) == nil)
    }

    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
    ])
    func `HTTP dates follow the calendar`(seconds: Int64, text: String) {
        #expect(HTTPDate.text(seconds: seconds) == text)
    }
}
