import TestSupport
import Testing

@testable import Compression

@Suite struct ZlibTests {
    @Test func `the CRC-32 of the digits 1 to 9 is the published one`() {
        #expect(CRC32.checksum(of: Array("123456789".utf8)) == 0xCBF4_3926)
        #expect(CRC32.checksum(of: []) == 0)
        #expect(CRC32.checksum(of: AnyCollection("123456789".utf8)) == 0xCBF4_3926)
    }

    @Test func `the zlib format has its header and its checksum`() throws {
        let packed = try Zlib.compress(Array("a".utf8))
        #expect(packed.first == 0x78)
        #expect(Array(packed.suffix(4)) == [0, 0x62, 0, 0x62])
        #expect((Int(packed[0]) << 8 | Int(packed[1])) % 31 == 0)
    }

    @Test func `a compression library that returns nothing is reported as an internal error`() throws {
        #expect(try CompressionError.require(1, "none") == 1)
        #expect(throws: CompressionError(.internal, "")) { try CompressionError.require(nil as Int?, "none") }
    }

    @Test func `compression errors are equal when their codes are, and codes keep their names`() {
        #expect(CompressionError(.corrupt, "one") == CompressionError(.corrupt, "another"))
        #expect(CompressionError(.corrupt, "one") != CompressionError(.truncated, "one"))
        #expect("\(CompressionError(.corrupt, "bad"))" == "compression.corrupt: bad")
        #expect(
            CompressionError.Code.allCases.map(\.rawValue) == [
                "compression.not-gzip", "compression.corrupt", "compression.truncated", "compression.too-large",
                "compression.ratio", "compression.trailing-data", "compression.internal",
            ])
    }
}

@Suite struct ZlibReaderTests {
    private let limits = Gzip.Limits(maximumBytes: 1000, maximumRatio: 1100)

    @Test func `a zlib stream is decompressed whole, and refused if cut short or extended`() throws {
        let packed = try Zlib.compress(Array("abcabcabc".utf8))
        let read: ([UInt8]) throws -> [UInt8]? = { try Zlib.decompress($0, limits: limits) }
        #expect(try read(packed) == Array("abcabcabc".utf8))
        #expect(DecoderVerifier.acceptedTruncations(of: packed, by: read) == [])
        #expect(DecoderVerifier.acceptedExtensions(of: packed, by: read) == [])
    }

    @Test func `a zlib stream is refused once its output passes the limit, and not before`() throws {
        let full = try Zlib.compress([UInt8](repeating: 0, count: 1000))
        #expect(try Zlib.decompress(full, limits: limits).count == 1000)
        let more = try Zlib.compress([UInt8](repeating: 0, count: 1001))
        #expect(throws: CompressionError(.tooLarge, "")) { try Zlib.decompress(more, limits: limits) }
    }
}
