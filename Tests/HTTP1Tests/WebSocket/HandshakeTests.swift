import HTTP1
import Testing

/// RFC 6455 sections 1.3 and 4.
@Suite struct HandshakeTests {
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    private static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    private func judge(_ fields: String, line: String = "GET / HTTP/1.1") -> WebSocketHandshake.UpgradeRequestCheck? {
        head("\(line)\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\(fields)\r\n").map(
            WebSocketHandshake.judge)
    }

    private func isMalformed(_ judgement: WebSocketHandshake.UpgradeRequestCheck?) -> Bool {
        if case .malformed = judgement { return true }
        return false
    }

    @Test func `the example key of RFC 6455 section 1 3 gives its accept value`() {
        #expect(WebSocketHandshake.accept(for: Self.key) == Self.accept)
        #expect(WebSocketHandshake.key(bytes("the sample nonce")) == Self.key)
        let fields = "Sec-WebSocket-Key: \(Self.key)\r\nSec-WebSocket-Version: 13\r\n"
        #expect(judge(fields) == .accepted(accept: Self.accept))
    }

    @Test func `a WebSocket request without GET, a 16-byte key or one version is refused, as section 4 2 1 has it`() {
        let (key, version) = ("Sec-WebSocket-Key: \(Self.key)\r\n", "Sec-WebSocket-Version: 13\r\n")
        #expect(isMalformed(judge(key + version, line: "POST / HTTP/1.1")))
        #expect(isMalformed(judge(key + version + "Content-Length: 1\r\n")))
        for fields in [version, key + key + version, key + version + version] {
            #expect(isMalformed(judge(fields)))
        }
        for text in ["", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZWU=", "dGhlIHNhbXBsZSBub25jZ!=="] {
            #expect(isMalformed(judge("Sec-WebSocket-Key: \(text)\r\n" + version)))
        }
        #expect(
            head("GET / HTTP/1.1\r\nHost: a\r\n\(key)\(version)\r\n").map(WebSocketHandshake.judge).map(isMalformed)
                == true)
    }

    @Test func `a WebSocket version other than 13, or none, is reported as not served, as section 4 4 has it`() {
        let key = "Sec-WebSocket-Key: \(Self.key)\r\n"
        for version in ["0", "8", "14", "013", "13, 8"] {
            #expect(judge(key + "Sec-WebSocket-Version: \(version)\r\n") == .versionNotServed)
        }
        #expect(judge(key) == .versionNotServed)
    }

    private func fault(_ fields: String, status: Int = 101, offering protocols: [String] = []) -> String? {
        var reader = HTTPResponseReader(to: .upgrade)
        var position = 0
        let answer = bytes("HTTP/1.1 \(status) Switching Protocols\r\n\(fields)\r\n")
        guard case .head(let head) = reader.next(in: answer.span, from: &position) else { return "no head" }
        return WebSocketHandshake.fault(of: head, key: Self.key, protocols: protocols)
    }

    @Test func `a WebSocket client accepts only the answer to its own key, as RFC 6455 section 4 1 has it`() {
        let (upgrade, connection) = ("Upgrade: WebSocket\r\n", "Connection: upgrade\r\n")
        let accept = "Sec-WebSocket-Accept: \(Self.accept)\r\n"
        #expect(fault(upgrade + connection + accept) == nil)
        for fields in [
            upgrade + connection, upgrade + accept, connection + accept, upgrade + connection + accept + accept,
        ] {
            #expect(fault(fields) != nil)
        }
        #expect(fault(upgrade + connection + "Sec-WebSocket-Accept: \(Self.accept.lowercased())\r\n") != nil)
        let all = upgrade + connection + accept
        for status in [200, 204, 426] { #expect(fault(all, status: status) != nil, "\(status)") }
        #expect(fault(all + "Sec-WebSocket-Extensions: permessage-deflate\r\n") != nil)
        #expect(fault(all + "Sec-WebSocket-Protocol: b\r\n", offering: ["a", "b"]) == nil)
        #expect(fault(all + "Sec-WebSocket-Protocol: c\r\n", offering: ["a", "b"]) != nil)
        #expect(fault(all + "Sec-WebSocket-Protocol: a\r\nSec-WebSocket-Protocol: b\r\n", offering: ["a", "b"]) != nil)
    }
}
