import HTTP1
import Testing

/// RFC 9112 sections 2 to 5.
@Suite struct HeadEncoderTests {
    @Test func `an HTTP header is written line by line and read back as it was`() throws {
        let fields = [(name: "Host", value: "a"), (name: "X", value: "b\tc")]
        let request = try HTTPHeadEncoder.request(method: "GET", target: "/a?b", fields: fields)
        #expect(text(request) == "GET /a?b HTTP/1.1\r\nHost: a\r\nX: b\tc\r\n\r\n")
        #expect(requests(request) == "GET /a?b.")
        let answer = try HTTPHeadEncoder.response(
            status: 200, phrase: "OK", fields: [(name: "Content-Length", value: "0")])
        #expect(text(answer) == "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        #expect(response(answer) == "200.")
        #expect(response(HTTPHeadEncoder.continueResponse + answer) == "200.")
    }

    @Test(arguments: ["\r", "\n", "\0", "\r\nX: y", "\u{7F}", "\u{1}"])
    func `a control character is never written into an HTTP header, as RFC 9110 section 5 5 has it`(text: String) {
        let part = "a\(text)b"
        for fields in [[(name: "X", value: part)], [(name: part, value: "y")]] {
            #expect(throws: HTTPEncodingError.self) {
                try HTTPHeadEncoder.request(method: "GET", target: "/", fields: fields)
            }
            #expect(throws: HTTPEncodingError.self) {
                try HTTPHeadEncoder.response(status: 200, phrase: "OK", fields: fields)
            }
        }
        #expect(throws: HTTPEncodingError.self) { try HTTPHeadEncoder.request(method: part, target: "/", fields: []) }
        #expect(throws: HTTPEncodingError.self) {
            try HTTPHeadEncoder.request(method: "GET", target: "/\(part)", fields: [])
        }
        #expect(throws: HTTPEncodingError.self) { try HTTPHeadEncoder.response(status: 200, phrase: part, fields: []) }
    }

    @Test func `an HTTP header to write with an empty or malformed part is refused`() {
        for (method, target) in [("", "/"), ("G T", "/"), ("GET", ""), ("GET", "/a b"), ("GET", "/\u{E9}")] {
            #expect(throws: HTTPEncodingError.self) {
                try HTTPHeadEncoder.request(method: method, target: target, fields: [])
            }
        }
        for name in ["", "a b", "a:", "\u{E9}"] {
            #expect(throws: HTTPEncodingError.self) {
                try HTTPHeadEncoder.response(status: 200, phrase: "", fields: [(name: name, value: "")])
            }
        }
        for status in [99, 600] {
            #expect(throws: HTTPEncodingError.self) {
                try HTTPHeadEncoder.response(status: status, phrase: "", fields: [])
            }
        }
    }
}
