import HTTP1
import Testing

/// RFC 6455 sections 5.2, 5.3 and 5.7.
@Suite struct FrameWriterTests {
    @Test func `the WebSocket frames of RFC 6455 section 5 7 are written byte for byte`() {
        #expect(WebSocketFrameWriter.frame(.text, bytes("Hello")) == [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
        #expect(
            WebSocketFrameWriter.frame(.text, bytes("Hello"), mask: 0x37FA_213D)
                == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
        #expect(WebSocketFrameWriter.frame(.text, isFinal: false, bytes("Hel")) == [0x01, 0x03, 0x48, 0x65, 0x6C])
        #expect(WebSocketFrameWriter.frame(.continuation, bytes("lo")) == [0x80, 0x02, 0x6C, 0x6F])
        #expect(WebSocketFrameWriter.header(.binary, payloadBytes: 256) == [0x82, 0x7E, 0x01, 0x00])
        #expect(
            WebSocketFrameWriter.header(.binary, payloadBytes: 65536) == [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0])
    }

    @Test(arguments: [0, 1, 3, 4, 7, 8, 9, 125, 126, 127, 65535, 65536])
    func `a WebSocket message that is written is read back unchanged, with and without a mask`(count: Int) {
        let payload = (0..<count).map { UInt8(97 + $0 % 26) }
        #expect(frames(WebSocketFrameWriter.frame(.binary, payload, mask: 0xDEAD_BEEF)) == "binary:\(text(payload))")
        #expect(frames(WebSocketFrameWriter.frame(.binary, payload), role: .client) == "binary:\(text(payload))")
    }

    @Test func `a WebSocket close payload holds code and reason within 125 bytes, as RFC 6455 section 5 5 1 has it`() {
        #expect(WebSocketFrameWriter.closePayload(nil, reason: "dropped") == [])
        #expect(WebSocketFrameWriter.closePayload(1001, reason: "bye") == [3, 233] + bytes("bye"))
        for code: UInt16 in [0, 1005, 1006, 1015, 2999, 5000] {
            #expect(WebSocketFrameWriter.closePayload(code) == [3, 232])
        }
        let long = WebSocketFrameWriter.closePayload(1000, reason: String(repeating: "\u{20AC}", count: 100))
        #expect(long.count == 125)
        #expect(frames(WebSocketFrameWriter.frame(.close, long, mask: 1)).hasPrefix("close:1000\u{20AC}"))
        #expect(
            WebSocketFrameWriter.closePayload(1000, reason: "a" + String(repeating: "\u{20AC}", count: 100)).count
                == 123)
    }
}
