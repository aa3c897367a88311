import Compression
import TestSupport
import Testing

@Suite struct DecoderTests {
    @Test(arguments: [0, 1, 6, 9])
    func `a gzip member cut short at any byte or followed by one more is refused`(level: Int) throws {
        let packed = try Gzip.compress(Array("a message that says the same, says the same".utf8), level: level)
        let unpack = { (bytes: [UInt8]) in
            try Gzip.decompress(bytes, limits: Gzip.Limits(maximumBytes: 1000, maximumRatio: 100))
        }
        #expect(DecoderVerifier.acceptedTruncations(of: packed, by: unpack) == [])
        #expect(DecoderVerifier.acceptedExtensions(of: packed, by: unpack) == [])
    }
}
