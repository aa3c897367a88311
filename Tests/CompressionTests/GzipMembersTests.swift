import TestSupport
import Testing

@testable import Compression

@Suite struct GzipMembersTests {
    private let limits = Gzip.Limits(maximumBytes: 1_000_000, maximumRatio: 100)

    private func unpack(_ bytes: some Collection<UInt8>) throws(CompressionError) -> [UInt8] {
        try Gzip.decompressMembers(of: bytes, limits: limits)
    }

    @Test func `the members of a gzip file are joined, whatever program wrote them`() throws {
        let parts = [Messages.text(count: 70_000), Messages.noise(count: 1000), Array("abc".utf8)]
        let stored = Members.wrap(
            header: Members.header(flags: 31, name: Array("c.csv".utf8)), deflated: [1, 3, 0, 0xFC, 0xFF] + parts[2],
            of: parts[2])
        let file = try Gzip.compress(parts[0]) + Gzip.compress(parts[1], level: 0) + stored
        #expect(try unpack(file) == parts.flatMap(\.self))
        #expect(try unpack(AnyCollection(file)) == parts.flatMap(\.self))
        #expect(try unpack(([1, 2] + file + [3])[2..<file.count + 2]) == parts.flatMap(\.self))
    }

    @Test func `a gzip file of one member has the content of that member`() throws {
        for message in [[], [7], Messages.text(count: 3000)] {
            let member = try Gzip.compress(message)
            #expect(try unpack(member) == message)
        }
    }

    @Test func `an empty gzip member adds nothing at any position`() throws {
        let (empty, full) = (try Gzip.compress([]), try Gzip.compress([1, 2, 3]))
        // The end of a file of blocks, as a member with an extra field of six bytes.
        let last = Members.wrap(header: Members.header(flags: 4, name: []), deflated: [3, 0], of: [])
        for file in [empty + full, full + empty, empty + empty + full + empty, full + last, last + full] {
            #expect(try unpack(file) == [1, 2, 3])
        }
        #expect(try unpack(empty + last) == [])
    }

    @Test func `a gzip file cut short is refused except at the end of a member`() throws {
        let members = try [Messages.text(count: 300), [], Messages.noise(count: 90)].map { (message) throws in
            try Gzip.compress(message)
        }
        let file = members.flatMap(\.self)
        let ends = [members[0].count, members[0].count + members[1].count]
        #expect(DecoderVerifier.acceptedTruncations(of: file, by: unpack) == ends)
        #expect(DecoderVerifier.acceptedExtensions(of: file, by: unpack) == [])
        for count in 0..<file.count where !ends.contains(count) {
            #expect(throws: CompressionError(.truncated, ""), "\(count) bytes") { try unpack(file[..<count]) }
        }
    }

    @Test func `a damaged second gzip member is refused like a damaged first one`() throws {
        let message = Messages.text(count: 400)
        let member = try Gzip.compress(message)
        for place in [3, member.count - 8, member.count - 1] {
            var damaged = member
            damaged[place] ^= 0xFF
            for file in [damaged + member, member + damaged, member + damaged + member] {
                #expect(throws: CompressionError(.corrupt, ""), "byte \(place)") { try unpack(file) }
            }
        }
    }

    @Test func `data after the last gzip member that starts no member is refused, zeros too`() throws {
        let member = try Gzip.compress([1, 2, 3])
        for tail in [
            [0], [UInt8](repeating: 0, count: 512), [1, 2, 3], [0x1F, 0x8C], [0x1F, 0x8B, 0x07], [0] + member,
        ] {
            #expect(throws: CompressionError(.trailingData, "")) { try unpack(member + tail) }
            #expect(throws: CompressionError(.trailingData, "")) { try unpack(member + member + tail) }
        }
        #expect(throws: CompressionError(.notGzip, "")) { try unpack([0] + member) }
    }

    @Test func `all members of a gzip file together are limited like one, and one byte more is refused`() throws {
        let noise = Messages.noise(count: 40_000)
        let file = try Gzip.compress(noise) + Gzip.compress([]) + Gzip.compress(noise)
        for (count, isTaken) in [(80_000, true), (79_999, false)] {
            let limits = Gzip.Limits(maximumBytes: count, maximumRatio: 100)
            if isTaken {
                #expect(try Gzip.decompressMembers(of: file, limits: limits) == noise + noise)
            } else {
                #expect(throws: CompressionError(.tooLarge, "")) {
                    try Gzip.decompressMembers(of: file, limits: limits)
                }
            }
        }
    }

    @Test func `the compression ratio of a gzip file is its whole output to its whole size`() throws {
        let member = try Gzip.compress([UInt8](repeating: 7, count: 400_000), level: 1)
        let ratio = 400_000 / member.count
        #expect(400_000 > ratio * member.count, "else the next lines say nothing")
        let file = member + member
        let within = Gzip.Limits(maximumBytes: .max, maximumRatio: ratio + 1)
        let below = Gzip.Limits(maximumBytes: .max, maximumRatio: ratio)
        #expect(try Gzip.decompressMembers(of: file, limits: within).count == 800_000)
        #expect(throws: CompressionError(.ratio, "")) { try Gzip.decompressMembers(of: file, limits: below) }
    }

    @Test func `a decompression bomb in many members is refused before memory beyond the limit is allocated`() throws {
        let part = try Gzip.compress([UInt8](repeating: 0, count: 100_000), level: 9)
        let bomb = [[UInt8]](repeating: part, count: 200).flatMap(\.self)
        for (limits, code) in [
            (Gzip.Limits(maximumBytes: 1_000_000, maximumRatio: 2000), CompressionError.Code.tooLarge),
            (Gzip.Limits(maximumBytes: 30_000_000, maximumRatio: 50), .ratio),
        ] {
            var largest = 0
            #expect(throws: CompressionError(code, "")) {
                try Gzip.decompress(
                    bomb, limits: limits, members: .any, observeCapacity: { largest = max(largest, $0) })
            }
            let cap = min(limits.maximumBytes, limits.maximumRatio * bomb.count)
            #expect(largest > 0 && largest <= cap + 4096, "a page may be added by the allocator")
        }
    }

    @Test func `a compressed message may have only one gzip member, unlike a file`() throws {
        let member = try Gzip.compress([1, 2, 3])
        for tail in [member, try Gzip.compress([])] {
            #expect(try unpack(member + tail).starts(with: [1, 2, 3]))
            #expect(throws: CompressionError(.trailingData, "")) {
                try Gzip.decompress(member + tail, limits: limits)
            }
        }
    }
}
