import Compression
import TestSupport
import Testing

struct DeflateTests {
    private static let limits = Gzip.Limits(maximumBytes: 1000, maximumRatio: 100)
    private static let text = Array(repeating: Array("a text that repeats. ".utf8), count: 20).flatMap(\.self)

    @Test func `data without a frame come back, and are read to their end alone`() throws {
        let packed = try Deflate.compress(Self.text, level: 9)
        let read: ([UInt8]) throws -> [UInt8]? = { try Deflate.decompress($0, limits: Self.limits) }
        #expect(try read(packed) == Self.text)
        #expect(DecoderVerifier.acceptedTruncations(of: packed, by: read) == [])
        #expect(DecoderVerifier.acceptedExtensions(of: packed, by: read) == [])
    }

    @Test func `as many bytes as the limit are unpacked, and one more is not`() throws {
        let packed = try Deflate.compress([UInt8](repeating: 7, count: 1001), level: 9)
        #expect(throws: CompressionError.self) { try Deflate.decompress(packed, limits: Self.limits) }
        let fitting = try Deflate.compress([UInt8](repeating: 7, count: 1000), level: 9)
        #expect(try Deflate.decompress(fitting, limits: Self.limits).count == 1000)
    }
}
