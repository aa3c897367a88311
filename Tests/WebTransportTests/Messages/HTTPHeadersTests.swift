import Testing
import WebTransport

@Suite struct HTTPHeadersTests {
    @Test func `HTTP header names compare without case and keep their order`() {
        var headers: HTTPHeaders = ["Accept": "a", "X-One": "1"]
        headers.add("accept", "b")
        #expect(headers["ACCEPT"] == "a")
        #expect(headers.values("Accept") == ["a", "b"])
        #expect(headers.fields.map(\.name) == ["Accept", "X-One", "accept"])
        headers["accept"] = "c"
        #expect(headers.values("Accept") == ["c"])
        headers["accept"] = nil
        #expect(headers.fields.map(\.name) == ["X-One"])
    }

    @Test func `the size of HTTP headers counts colon, blank and line end`() {
        #expect(HTTPHeaders().sizeBytes == 0)
        #expect((["a": "bc"] as HTTPHeaders).sizeBytes == 7)
    }

    @Test(arguments: ["", "a b", "a:", "a\r", "ä", "a\u{0}", "a(", "[a]"])
    func `an HTTP header name that is no token is a fault`(name: String) {
        #expect(HTTPHeaders(dictionaryLiteral: (name, "x")).firstFault != nil)
        #expect(HTTPHeaders(dictionaryLiteral: ("a!#$%&'*+-.^_`|~9Z", "x")).firstFault == nil)
    }

    @Test(arguments: ["a\r\nb: c", "\n", "\u{0}", "\u{7F}", "\u{1B}[0m"])
    func `an HTTP header value with a control character is refused, so that it cannot add a header`(value: String) {
        #expect(HTTPHeaders(dictionaryLiteral: ("a", value)).firstFault != nil)
        #expect(HTTPHeaders(dictionaryLiteral: ("a", "b\tc é")).firstFault == nil)
    }
}
