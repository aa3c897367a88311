import TestSupport
import Testing

@testable import Compression

@Suite struct GzipLimitsTests {
    @Test(arguments: [0, 1, 1000, 32768, 65536, 100_000])
    func `gzip output up to the limit is returned and one byte more refused`(count: Int) throws {
        let noise = Messages.noise(count: count)
        let at = try Gzip.compress(noise)
        let past = try Gzip.compress(noise + [1])
        let limits = Gzip.Limits(maximumBytes: count, maximumRatio: 100)
        #expect(try Gzip.decompress(at, limits: limits) == noise)
        #expect(throws: CompressionError(.tooLarge, "")) { try Gzip.decompress(past, limits: limits) }
    }

    @Test func `beyond 64 KiB, gzip output up to the allowed ratio is returned and one byte more refused`() throws {
        let message = [UInt8](repeating: 7, count: 400_000)
        let member = try Gzip.compress(message, level: 1)
        let ratio = message.count / member.count
        let within = Gzip.Limits(maximumBytes: .max, maximumRatio: ratio + 1)
        let below = Gzip.Limits(maximumBytes: .max, maximumRatio: ratio)
        #expect(try Gzip.decompress(member, limits: within) == message)
        #expect(message.count > ratio * member.count, "else the next line says nothing")
        #expect(throws: CompressionError(.ratio, "")) { try Gzip.decompress(member, limits: below) }
    }

    @Test func `gzip output up to 64 KiB may exceed the ratio`() throws {
        let limits = Gzip.Limits(maximumBytes: .max, maximumRatio: 1)
        let at = try Gzip.compress([UInt8](repeating: 0, count: 65536))
        let past = try Gzip.compress([UInt8](repeating: 0, count: 65537))
        #expect(try Gzip.decompress(at, limits: limits).count == 65536)
        #expect(throws: CompressionError(.ratio, "")) { try Gzip.decompress(past, limits: limits) }
    }

    @Test func `the compression ratio limit of gzip is exact to the byte`() throws {
        let cap = EffectiveGzipLimits(Gzip.Limits(maximumBytes: .max, maximumRatio: 100), inputCount: 1000, nil)
        #expect(cap.count == 100_000)
        #expect(cap.error.code == .ratio)
        let smaller = EffectiveGzipLimits(Gzip.Limits(maximumBytes: 99_999, maximumRatio: 100), inputCount: 1000, nil)
        #expect(smaller.count == 99_999)
        #expect(smaller.error.code == .tooLarge)
        let huge = EffectiveGzipLimits(Gzip.Limits(maximumBytes: .max, maximumRatio: .max), inputCount: 1000, nil)
        #expect(huge.count == .max)
    }

    @Test(.shows("T8")) func `a decompression bomb is refused before memory beyond the limit is allocated`() throws {
        let bomb = try Gzip.compress([UInt8](repeating: 0, count: 20_000_000), level: 9)
        #expect(bomb.count < 25000)
        for (limits, code) in [
            (Gzip.Limits(maximumBytes: 1_000_000, maximumRatio: 2000), CompressionError.Code.tooLarge),
            (Gzip.Limits(maximumBytes: 10_000_000, maximumRatio: 50), .ratio),
        ] {
            var largest = 0
            #expect(throws: CompressionError(code, "")) {
                try Gzip.decompress(bomb, limits: limits, observeCapacity: { largest = max(largest, $0) })
            }
            let cap = min(limits.maximumBytes, limits.maximumRatio * bomb.count)
            #expect(largest > 0 && largest <= cap + 4096, "a page may be added by the allocator")
        }
    }

    @Test func `a gzip member that claims a huge length costs no memory`() throws {
        var member = try Gzip.compress([1, 2, 3])
        member.replaceSubrange(member.count - 4..<member.count, with: [0xFF, 0xFF, 0xFF, 0xFF])
        var largest = 0
        #expect(throws: CompressionError(.corrupt, "")) {
            try Gzip.decompress(
                member, limits: Gzip.Limits(maximumBytes: 1 << 40, maximumRatio: 1000),
                observeCapacity: { largest = max(largest, $0) })
        }
        #expect(largest <= 65536)
    }
}
