import Bluetooth
import Determinism
import TestSupport
import Testing

@Suite struct L2CAPTests {
    private static func reassemble(
        _ pieces: [ArraySlice<UInt8>], limit: Int = 517
    ) throws(BluetoothFormatError) -> [L2CAPFrame] {
        var reassembler = L2CAPReassembler(maximumPayloadBytes: limit)
        var frames: [L2CAPFrame] = []
        for (index, piece) in pieces.enumerated() {
            if let frame = try reassembler.receive(piece, isFirst: index == 0) { frames.append(frame) }
        }
        return frames
    }

    @Test func `an L2CAP frame is its length, its channel and its payload`() throws {
        let frame = L2CAPFrame(payload: [0x0A, 3, 0])
        #expect(frame.bytes == [3, 0, 4, 0, 0x0A, 3, 0])
        #expect(try L2CAPFrame(frame.bytes) == frame)
        #expect(try L2CAPFrame(L2CAPFrame(channel: 0x1234, payload: []).bytes).channel == 0x1234)
    }

    @Test func `an L2CAP frame cut short or too long is refused`() {
        let bytes = L2CAPFrame(payload: [1, 2, 3, 4, 5]).bytes
        #expect(DecoderVerifier.acceptedTruncations(of: bytes) { try L2CAPFrame($0) }.isEmpty)
        #expect(DecoderVerifier.acceptedExtensions(of: bytes) { try L2CAPFrame($0) }.isEmpty)
        #expect(throws: BluetoothFormatError(.wrongFrameLength, "")) { try L2CAPFrame([1, 0, 4, 0]) }
    }

    @Test(arguments: [0, 1, 22, 200])
    func `an L2CAP frame is reassembled the same however it was fragmented`(count: Int) {
        var random = SeededRandom(seed: UInt64(count))
        let frame = L2CAPFrame(payload: random.bytes(count: count))
        let divergent = DecoderVerifier.divergentDeliveries(of: [frame.bytes], expecting: [frame]) {
            try Self.reassemble($0)
        }
        #expect(divergent == [])
    }

    @Test(arguments: [(1, 7), (3, 3), (7, 1), (8, 1), (0, 7)])
    func `L2CAP fragments have at most the requested length`(limit: Int, count: Int) throws {
        let frame = L2CAPFrame(payload: [1, 2, 3])
        let fragments = frame.fragments(of: limit)
        #expect(fragments.count == count && fragments.allSatisfy { $0.count <= max(limit, 1) })
        #expect(try Self.reassemble(fragments) == [frame])
    }

    @Test func `an L2CAP payload at the limit is accepted and one a byte longer refused`() throws {
        let fits = L2CAPFrame(payload: [UInt8](repeating: 1, count: 100))
        #expect(try Self.reassemble([fits.bytes[...]], limit: 100) == [fits])
        #expect(throws: BluetoothFormatError(.frameTooLong, "")) { try Self.reassemble([fits.bytes[...]], limit: 99) }
    }

    @Test func `misplaced L2CAP fragments lose one frame and not the next`() throws {
        var reassembler = L2CAPReassembler()
        #expect(throws: BluetoothFormatError(.fragmentOutOfPlace, "")) { try reassembler.receive([1], isFirst: false) }
        let frame = L2CAPFrame(payload: [1, 2, 3])
        #expect(try reassembler.receive(frame.bytes[..<5], isFirst: true) == nil)
        #expect(reassembler.isWithinFrame && reassembler.cutOffCount == 0)
        #expect(try reassembler.receive(frame.bytes, isFirst: true) == frame)
        #expect(!reassembler.isWithinFrame && reassembler.cutOffCount == 1)
        _ = try reassembler.receive(frame.bytes[..<5], isFirst: true)
        #expect(throws: BluetoothFormatError(.wrongFrameLength, "")) {
            try reassembler.receive([2, 3, 4], isFirst: false)
        }
        #expect(throws: BluetoothFormatError(.fragmentOutOfPlace, "")) { try reassembler.receive([5], isFirst: false) }
        #expect(try reassembler.receive(frame.bytes, isFirst: true) == frame)
    }
}
