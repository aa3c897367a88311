import Testing

@testable import WebTransport

@Suite struct MessageAssemblerTests {
    private func piece(
        _ isFirst: Bool, _ isLast: Bool, binary: Bool = true, rest: Int = 0
    ) -> FramePosition {
        FramePosition(isFirst: isFirst, isLast: isLast, isBinary: binary, restOfFrameBytes: rest)
    }

    private func assembler(message: Int = 10, frame: Int = 10) -> MessageAssembler {
        var limits = WebSocketLimits()
        limits.maximumMessageBytes = message
        limits.maximumFrameBytes = frame
        return MessageAssembler(limits: limits)
    }

    @Test func `WebSocket fragments are joined to one message, and the next one starts empty`() {
        var assembler = assembler()
        #expect(assembler.take([1, 2], piece(true, false)) == .incomplete)
        #expect(assembler.take([], piece(false, false)) == .incomplete)
        #expect(assembler.take([3], piece(false, true)) == .message(.binary([1, 2, 3])))
        #expect(assembler.pendingBytes == 0)
        #expect(assembler.take([], piece(true, true)) == .message(.binary([])))
        #expect(assembler.take(Array("é".utf8), piece(true, true, binary: false)) == .message(.text("é")))
    }

    @Test func `a text message cut within a character is joined, and one that is no UTF-8 refused`() {
        var assembler = assembler()
        #expect(assembler.take([0xC3], piece(true, false, binary: false)) == .incomplete)
        #expect(assembler.take([0xA9], piece(false, true, binary: false)) == .message(.text("é")))
        #expect(assembler.take([0xC3], piece(true, true, binary: false)) == .violation(.invalidText, .socketViolation))
    }

    @Test func `a message at the limit is accepted and one byte more refused, in one fragment and in several`() {
        var assembler = assembler()
        let ten = [UInt8](repeating: 1, count: 10)
        #expect(assembler.take(ten, piece(true, true)) == .message(.binary(ten)))
        #expect(assembler.take(ten + [1], piece(true, true)) == .violation(.tooLarge, .messageTooLarge))
        #expect(assembler.take(ten, piece(true, false)) == .incomplete)
        #expect(assembler.take([], piece(false, true)) == .message(.binary(ten)))
        #expect(assembler.take(ten, piece(true, false)) == .incomplete)
        #expect(assembler.take([1], piece(false, false)) == .violation(.tooLarge, .messageTooLarge))
    }

    @Test func `a WebSocket frame is judged by its announced length before it has arrived`() {
        var assembler = assembler(message: 100, frame: 10)
        #expect(assembler.take([1], piece(true, false, rest: 9)) == .incomplete)
        assembler = self.assembler(message: 100, frame: 10)
        #expect(assembler.take([1], piece(true, false, rest: 10)) == .violation(.tooLarge, .messageTooLarge))
        #expect(assembler.take([1], piece(true, false, rest: .max)) == .violation(.tooLarge, .messageTooLarge))
        #expect(assembler.take([1], piece(true, false, rest: -1)) == .violation(.tooLarge, .messageTooLarge))
    }

    @Test func `a message that starts within another, or continues none, is refused`() {
        var assembler = assembler()
        #expect(assembler.take([1], piece(false, true)) == .violation(.protocolError, .socketViolation))
        #expect(assembler.take([1], piece(true, false)) == .incomplete)
        #expect(assembler.take([1], piece(true, false)) == .violation(.protocolError, .socketViolation))
    }
}
