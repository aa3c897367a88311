import TestSupport
import Testing

@testable import Tuvali

@Suite struct ChunkTests {
    @Test(.shows("TUV-043", "TUV-110"))
    func `a write carries the MTU up to 512 less three bytes, and a chunk four less than that`() {
        for (mtu, write, payload) in [(512, 509, 505), (517, 509, 505), (185, 182, 178), (100, 97, 93), (67, 64, 60)] {
            let layout = ChunkLayout(totalBytes: 10_000, mtu: mtu)
            #expect(layout?.writeBytes == write)
            #expect(layout?.payloadBytes == payload)
        }
    }

    @Test(.shows("TUV-111")) func `an MTU of 67 can carry a transfer and one of 66 cannot`() {
        #expect(ChunkLayout(totalBytes: 1, mtu: 67) != nil)
        #expect(ChunkLayout(totalBytes: 1, mtu: 66) == nil)
    }

    @Test func `the last chunk of a payload is only as long as needed`() throws {
        for (total, lengths) in [
            (1, [5]), (505, [509]), (506, [509, 5]), (1010, [509, 509]), (1011, [509, 509, 5]),
        ] {
            #expect(try VerifierScript.chunks(Samples.noise(total)).map(\.count) == lengths)
        }
    }

    @Test func `a transfer has at most 32,767 chunks, and an empty one has none`() {
        #expect(ChunkLayout(totalBytes: 32_767 * 60, mtu: 67)?.chunkCount == 32_767)
        #expect(ChunkLayout(totalBytes: 32_767 * 60 + 1, mtu: 67) == nil)
        #expect(ChunkLayout(totalBytes: 0, mtu: 512) == nil)
    }

    @Test(.shows("TUV-044", "TUV-053")) func `the published payload is divided into the published chunks`() throws {
        let sealed = Samples.bytes(
            "d802815b88700165689cf544a5d2aa5a0422d7fdafb1d5c235522cc4b04b28f927a427b6e71e75cc335805cb543948ce17e83537bc"
                + "56fa9ef3aa891f0c84c5355a3342704466bab3c1a0d24a203af43a1c870f6626594bb7e6c7abca689211ca6efff4a1867f76"
                + "b66876f08a779e1bec75df089a")
        #expect(
            try VerifierScript.chunks(sealed, mtu: 67) == [
                Samples.bytes("00016b96") + sealed[..<60], Samples.bytes("0002caec") + sealed[60...],
            ])
    }

    @Test(.shows("TUV-045")) func `chunks are accepted in any order and more than once`() throws {
        let sealed = Samples.noise(1300)
        let chunks = try VerifierScript.chunks(sealed)
        var assembler = try #require(ChunkLayout(totalBytes: sealed.count, mtu: 512).map(ChunkAssembler.init(layout:)))
        #expect([2, 0, 2, 1].map { assembler.take(chunks[$0]) } == [.stored, .stored, .duplicate, .stored])
        #expect(assembler.isComplete)
        #expect(assembler.receivedBytes == 1300)
        #expect(assembler.takeSealed() == sealed)
    }

    @Test func `a chunk that is corrupt, of a wrong length or out of range is not stored`() throws {
        let sealed = Samples.noise(600)
        let chunks = try VerifierScript.chunks(sealed)
        var assembler = try #require(ChunkLayout(totalBytes: 600, mtu: 512).map(ChunkAssembler.init(layout:)))
        var corrupt = chunks[0]
        corrupt[40] ^= 1
        #expect(assembler.take(corrupt) == .corrupt)
        #expect(assembler.take([]) == .malformed)
        #expect(assembler.take([0, 1, 0, 0]) == .malformed)
        #expect(assembler.take(chunks[0].dropLast()) == .malformed)
        #expect(assembler.take(chunks[0] + [0]) == .malformed)
        #expect(assembler.take([0, 0] + chunks[0][2...]) == .malformed)
        #expect(assembler.take([0, 3] + chunks[0][2...]) == .malformed)
        #expect(assembler.take([0x80, 1] + chunks[0][2...]) == .malformed)
        #expect(assembler.take([0, 2] + chunks[0][2...]) == .malformed)
        #expect(assembler.missing(limit: 9) == [1, 2])
        #expect(assembler.corruptCount == 1)
    }

    @Test(.shows("T7")) func `two different chunks with one number are both discarded`() throws {
        let sealed = Samples.noise(1100)
        let chunks = try VerifierScript.chunks(sealed)
        var assembler = try #require(ChunkLayout(totalBytes: 1100, mtu: 512).map(ChunkAssembler.init(layout:)))
        #expect(assembler.take([0, 2] + chunks[0][2...]) == .stored)
        #expect(assembler.take(chunks[1]) == .contradicted)
        #expect(assembler.missing(limit: 9) == [1, 2, 3])
        for chunk in chunks { #expect(assembler.take(chunk) == .stored) }
        #expect(assembler.takeSealed() == sealed)
    }

    @Test func `70 per cent missing chunks are tolerated and more are not`() throws {
        let chunks = try VerifierScript.chunks(Samples.noise(10 * 505))
        var assembler = try #require(ChunkLayout(totalBytes: 5050, mtu: 512).map(ChunkAssembler.init(layout:)))
        for chunk in chunks[..<2] { _ = assembler.take(chunk) }
        #expect(assembler.isMostlyMissing)
        _ = assembler.take(chunks[2])
        #expect(!assembler.isMostlyMissing)
    }
}
