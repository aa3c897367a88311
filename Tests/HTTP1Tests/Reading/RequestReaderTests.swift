import HTTP1
import TestSupport
import Testing

/// RFC 9112 section 9.3.2, and what the reader holds.
@Suite struct RequestReaderTests {
    private static let one = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let two = "POST /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"

    @Test func `pipelined HTTP requests are separated however the bytes are cut, as RFC 9112 section 9 3 2 has it`() {
        let all = bytes(Self.one + Self.two + Self.one)
        let divergent = DecoderVerifier.divergentDeliveries(of: [all], expecting: "GET /a.POST /b+hi.GET /a.") {
            pieces in
            var reader = HTTPRequestReader()
            var (record, body): (String, [UInt8]) = ("", [])
            for piece in pieces {
                let piece = Array(piece)
                var position = 0
                loop: while true {
                    switch reader.next(in: piece.span, from: &position) {
                    case .needsMore: break loop
                    case .head(let head): record += "\(head.method) \(head.target)"
                    case .body(let range): body += piece[range]
                    case .end:
                        record += body.isEmpty ? "." : "+\(text(body))."
                        body = []
                    case .refused: return "refused"
                    }
                }
            }
            return record
        }
        #expect(divergent == [])
    }

    @Test func `an HTTP request that is cut short is never reported as whole`() {
        let request = bytes(Self.two)
        for count in 0..<request.count {
            #expect(!requests(Array(request[..<count])).contains("."))
        }
    }

    @Test func `bytes behind the end of an HTTP request stay with the caller`() {
        let input = bytes(Self.one + "rest")
        var reader = HTTPRequestReader()
        var position = 0
        guard case .head = reader.next(in: input.span, from: &position) else {
            Issue.record("no head")
            return
        }
        #expect(!reader.isIdle)
        guard case .end = reader.next(in: input.span, from: &position) else {
            Issue.record("no end")
            return
        }
        #expect(text(input[position...]) == "rest")
        #expect(reader.isIdle)
    }

    @Test func `an HTTP request reader that refused its input refuses all later input`() {
        let input = bytes("GET / HTTP/1.1\n" + Self.one)
        var reader = HTTPRequestReader()
        var position = 0
        for _ in 0..<3 {
            guard case .refused(let fault) = reader.next(in: input.span, from: &position) else {
                Issue.record("not refused")
                return
            }
            #expect(fault.status == 400)
            #expect(fault.cause == .malformed)
            #expect(!fault.reason.isEmpty)
        }
    }

    @Test func `a request for a WebSocket is recognised by both fields and HTTP 1 1, as RFC 6455 section 4 2 1 has it`()
    {
        let fields = "Host: a\r\nUpgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n"
        #expect(head("GET / HTTP/1.1\r\n\(fields)\r\n")?.asksForWebSocket == true)
        #expect(head("GET / HTTP/1.0\r\n\(fields)\r\n")?.asksForWebSocket == false)
        #expect(head("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n")?.asksForWebSocket == false)
        #expect(
            head("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n")?.asksForWebSocket == false)
    }
}
