import HTTP1
import TestSupport
import Testing

/// RFC 6455 sections 5 to 8.
@Suite struct FrameReaderTests {
    @Test(arguments: [0, 1, 7, 8, 9, 125, 126, 127, 1000, 65535, 65536, 70001])
    func `WebSocket messages of every length form are read, as RFC 6455 section 5 2 has it`(count: Int) {
        let payload = (0..<count).map { UInt8(97 + $0 % 26) }
        #expect(frames(frame(1, payload)) == "text:\(text(payload))")
        #expect(frames(frame(2, payload)) == "binary:\(text(payload))")
        #expect(
            frames(RawFrame(opcode: 1, payload: payload, mask: nil).bytes, role: .client) == "text:\(text(payload))")
    }

    @Test func `a binary WebSocket message need not be UTF-8, as RFC 6455 section 5 6 has it`() {
        let payload: [UInt8] = [0xFF, 0xC0, 0x80]
        #expect(frames(frame(2, payload)) == "binary:\(text(payload))")
        #expect(frames(frame(1, payload)) == "1007")
    }

    @Test func `a frame with the wrong masking for its direction is refused, as RFC 6455 section 5 1 has it`() {
        for opcode: UInt8 in [1, 2, 8, 9, 10] {
            #expect(frames(RawFrame(opcode: opcode, mask: nil).bytes) == "1002")
            #expect(frames(RawFrame(opcode: opcode).bytes, role: .client) == "1002")
        }
        #expect(frames([0x81, 0x05]) == "1002")
    }

    @Test func `WebSocket frames with reserved bits or opcodes are refused, as RFC 6455 section 5 2 has it`() {
        for reserved: UInt8 in 1...7 { #expect(frames(RawFrame(opcode: 1, reserved: reserved).bytes) == "1002") }
        for opcode: UInt8 in [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] { #expect(frames(frame(opcode)) == "1002") }
        #expect(frames([0x83]) == "1002")
    }

    @Test func `a frame length in a longer form than it needs is refused, as RFC 6455 section 5 2 has it`() {
        for (length, size) in [(UInt64(0), 2), (125, 2), (0, 8), (126, 8), (65535, 8), (1 << 63, 8), (.max, 8)] {
            #expect(frames(RawFrame(opcode: 2, announced: length, lengthBytes: size).bytes) == "1002")
        }
    }

    @Test func `a frame announced too large is refused before its payload, as RFC 6455 section 10 4 has it`() {
        var limits = WebSocketFrameReader.Limits()
        (limits.maximumFrameBytes, limits.maximumMessageBytes) = (200, 300)
        let piece = [UInt8](repeating: 0x61, count: 200)
        #expect(frames(frame(2, piece), limits) == "binary:\(text(piece))")
        let tooLong = RawFrame(opcode: 2, announced: 201).bytes
        #expect(frames(tooLong, limits) == "1009")
        #expect(frames(Array(tooLong.prefix(4)), limits) == "1009")
        #expect(frames(RawFrame(opcode: 2, announced: 1 << 40).bytes, limits) == "1009")
        let first = frame(2, piece, isFinal: false)
        #expect(frames(first + frame(0, [UInt8](repeating: 0x61, count: 100)), limits).count == 307)
        #expect(frames(first + RawFrame(opcode: 0, announced: 101).bytes, limits) == "1009")
    }

    @Test func `by default a WebSocket message of 1 MiB is accepted, and one byte more is refused`() {
        let first = frame(2, [0x61], isFinal: false)
        for (count, record) in [(1 << 20, ""), (1 << 20 + 1, "1009")] {
            #expect(frames(RawFrame(opcode: 2, announced: UInt64(count)).bytes) == record)
            #expect(frames(first + RawFrame(opcode: 0, announced: UInt64(count - 1)).bytes) == record)
        }
    }

    @Test(.shows("W1"))
    func `a WebSocket message with as many empty frames as the limit is read, with one more refused`() {
        let (first, empty) = (frame(1, "a", isFinal: false), frame(0, "", isFinal: false))
        let atLimit = first + Array(repeating: empty, count: 64).joined()
        #expect(frames(atLimit + frame(0, "b")) == "text:ab")
        #expect(frames(atLimit + frame(0, "")) == "text:a", "the last frame may be empty as well")
        #expect(frames(atLimit + empty) == "1009")
        #expect(frames(atLimit + frame(0, "b") + atLimit + frame(0, "c")) == "text:ab text:ac", "each message anew")
        let ofNothing = frame(2, "", isFinal: false) + atLimit.dropFirst(first.count + empty.count)
        #expect(frames(ofNothing + frame(0, "")) == "binary:")
        #expect(frames(ofNothing + empty) == "1009")
    }

    private func frames(_ bytes: [UInt8], _ limits: WebSocketFrameReader.Limits) -> String {
        HTTP1Tests.frames(bytes, role: .server, limits)
    }

    private func frames(_ bytes: [UInt8], role: WebSocketFrameReader.Role = .server) -> String {
        HTTP1Tests.frames(bytes, role: role)
    }

    @Test func `fragments of a message are joined, with control frames between them, as RFC 6455 section 5 4 has it`() {
        #expect(frames(frame(1, "abc", isFinal: false) + frame(0, "def")) == "text:abcdef")
        let mixed =
            frame(1, "a", isFinal: false) + frame(9, "x") + frame(0, "", isFinal: false) + frame(10) + frame(0, "b")
        #expect(frames(mixed) == "ping:x pong: text:ab")
        let many =
            frame(2, "a", isFinal: false) + (0..<998).flatMap { _ in frame(0, "a", isFinal: false) } + frame(0, "a")
        #expect(frames(many) == "binary:" + String(repeating: "a", count: 1000))
        #expect(frames(frame(0, "a")) == "1002")
        #expect(frames(frame(1, "a", isFinal: false) + frame(1, "b")) == "1002")
        #expect(frames(frame(1, "a") + frame(0, "b")) == "text:a 1002")
    }

    @Test func `a WebSocket control frame is whole and has at most 125 bytes, as RFC 6455 section 5 5 has it`() {
        let most = String(repeating: "a", count: 125)
        #expect(frames(frame(9, most)) == "ping:\(most)")
        #expect(frames(frame(10, most)) == "pong:\(most)")
        for opcode: UInt8 in [8, 9, 10] {
            #expect(frames(frame(opcode, "aa", isFinal: false)) == "1002")
            #expect(frames(frame(opcode, most + "a")) == "1002")
        }
    }

    @Test(
        arguments: [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999]
            as [UInt16])
    func `a WebSocket close code is reported with its reason, as section 7 4 has it`(code: UInt16) {
        let payload = [UInt8(code >> 8), UInt8(code & 255)]
        #expect(frames(frame(8, payload)) == "close:\(code)")
        #expect(frames(frame(8, payload + bytes("bye")) + frame(1, "dropped")) == "close:\(code)bye")
    }

    @Test(arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535] as [UInt16])
    func `a close code that must not be sent is refused, as RFC 6455 section 7 4 1 has it`(code: UInt16) {
        #expect(frames(frame(8, [UInt8(code >> 8), UInt8(code & 255)])) == "1002")
    }

    @Test func `a close frame is empty or has a whole code and a reason in UTF-8, as RFC 6455 section 5 5 1 has it`() {
        #expect(frames(frame(8)) == "close:-")
        #expect(frames(frame(8, [3])) == "1002")
        #expect(frames(frame(8, [3, 232, 0xFF])) == "1007")
        #expect(frames(frame(8, [3, 232, 0xE2, 0x82])) == "1007")
        #expect(frames(frame(8, [3, 232] + [UInt8](repeating: 0x78, count: 123))).count == 133)
        #expect(frames(frame(1, "a", isFinal: false) + frame(8)) == "close:-")
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0xAF], [0xC1, 0x80], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80], [0xF5], [0xFF], [0xE2, 0x28], [0xE2, 0x82, 0x41],
        ] as [[UInt8]]) func `a WebSocket text is refused at its first byte that is no UTF-8, as section 8 1 has it`(
            bad: [UInt8]
        )
    {
        for start in ["", "a", "abcdefgh", "abcdefghi"] {
            #expect(frames(frame(1, bytes(start) + bad)) == "1007")
            #expect(frames(frame(1, bytes(start) + bad, isFinal: false)) == "1007")
            #expect(
                frames(RawFrame(opcode: 1, payload: bytes(start) + bad, announced: 1000, lengthBytes: 2).bytes)
                    == "1007")
        }
        #expect(!frames(frame(2, bad)).isEmpty)
    }

    @Test func `a character may span WebSocket frames but not messages, as RFC 6455 section 8 1 has it`() {
        #expect(frames(frame(1, [0xE2, 0x82], isFinal: false) + frame(0, [0xAC])) == "text:\u{20AC}")
        #expect(frames(frame(1, [0xE2, 0x82])) == "1007")
        #expect(frames(frame(1, [0xE2, 0x82], isFinal: false) + frame(0)) == "1007")
        #expect(frames(frame(1, [0xE2, 0x82], isFinal: false) + frame(9) + frame(0, [0xAC])) == "ping: text:\u{20AC}")
        let all = "a\u{7F}\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{10FFFF}"
        #expect(frames(frame(1, all)) == "text:\(all)")
    }

    @Test func `WebSocket frames are separated however the bytes are cut`() {
        let all = frame(1, "a", isFinal: false) + frame(9, "x") + frame(0, "bcdefghijklmnop") + frame(8)
        let divergent = DecoderVerifier.divergentDeliveries(of: [all], expecting: 3) { pieces in
            var reader = WebSocketFrameReader(role: .server)
            var count = 0
            for piece in pieces {
                let piece = Array(piece)
                var position = 0
                loop: while true {
                    switch reader.next(in: piece.span, from: &position) {
                    case .needsMore: break loop
                    case .violation: return -1
                    default: count += 1
                    }
                }
            }
            return count
        }
        #expect(divergent == [])
    }

    @Test func `bytes held of a WebSocket message are counted, and none are held between messages`() {
        var reader = WebSocketFrameReader(role: .server)
        var position = 0
        #expect(reader.isIdle)
        _ = reader.next(in: frame(1, "abc", isFinal: false).span, from: &position)
        #expect(reader.heldBytes == 3)
        #expect(!reader.isIdle)
        position = 0
        #expect(reader.next(in: frame(0, "d").span, from: &position) == .text(Array("abcd".utf8)))
        #expect(reader.heldBytes == 0)
        #expect(reader.isIdle)
    }
}
