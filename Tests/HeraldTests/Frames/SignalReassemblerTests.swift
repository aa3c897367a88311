import TestSupport
import Testing

@testable import Herald

@Suite struct SignalReassemblerTests {
    private func frames(of writes: [ArraySlice<UInt8>]) throws -> [SignalFrame] {
        var reassembler = SignalReassembler()
        return try writes.flatMap { write in
            let outcome = reassembler.receive(Array(write))
            if let error = outcome.error { throw error }
            return outcome.frames
        }
    }

    @Test func `signal frames are reassembled from pieces of any size, several on one link`() throws {
        let frames: [SignalFrame] = [
            .payload(Array(0..<33)), .rssi(-80), .sharing(rssi: -1, Array(0..<50)), .immediate([1]), .payload([]),
        ]
        let bytes = try frames.map { try $0.encoded() }
        #expect(DecoderVerifier.divergentDeliveries(of: bytes, expecting: frames, decode: self.frames) == [])
        #expect(DecoderVerifier.acceptedTruncations(of: bytes[0]) { try self.frames(of: [$0[...]]).first } == [0])
    }

    @Test func `an empty write between signal frames is a wake-up, and within a frame it is ignored`() {
        var reassembler = SignalReassembler()
        #expect(reassembler.receive([]).frames == [.wake])
        #expect(reassembler.receive([2]).frames == [])
        #expect(reassembler.receive([]).frames == [])
        #expect(reassembler.receive([0, 0]).frames == [.rssi(0)])
    }

    @Test func `a signal write of 515 bytes is accepted and one of 516 discarded`() throws {
        let longest = try SignalFrame.sharing(rssi: -1, [UInt8](repeating: 9, count: 510)).encoded()
        var reassembler = SignalReassembler()
        #expect(reassembler.receive(longest).frames.count == 1)
        #expect(reassembler.receive(longest + [0]).error == HeraldError(.frameTooLong, ""))
        #expect(reassembler.waitingBytes == 0)
    }

    @Test func `a malformed signal frame does not affect the frames before and after it`() {
        var reassembler = SignalReassembler()
        let outcome = reassembler.receive([2, 0xC7, 0xFF, 9, 9])
        #expect(outcome.frames == [.rssi(-57)])
        #expect(outcome.error == HeraldError(.frameUnknownAction, ""))
        #expect(reassembler.receive([4, 1, 0, 5]).frames == [.immediate([5])])
    }

    @Test func `at most one incomplete signal frame is held, and the end of its link discards it`() {
        var reassembler = SignalReassembler()
        _ = reassembler.receive([1, 0xFE, 0x01] + [UInt8](repeating: 0, count: 500))
        #expect(reassembler.waitingBytes == 503)
        let resets = [reassembler.reset(), reassembler.reset()]
        #expect(resets == [true, false])
        #expect(reassembler.receive([2, 0, 0]).frames == [.rssi(0)])
    }
}
