import TestSupport
import Testing

@testable import Compression

@Suite struct GzipTests {
    private let limits = Gzip.Limits(maximumBytes: 1_000_000, maximumRatio: 100)

    @Test(.shows("TUV-052")) func `the compressed bytes of a short message are those that gzip itself writes`() throws {
        let text = Array(String(repeating: #"{"k":"v1"}"#, count: 3).utf8)
        let member = try Gzip.compress(text)
        #expect(
            member == [
                0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 0x03, 0xAB, 0x56, 0xCA, 0x56, 0xB2, 0x52, 0x2A, 0x33, 0x54, 0xAA,
                0xAD, 0xC6, 0xC2, 0x02, 0, 0x5C, 0x1D, 0x4D, 0xD4, 0x1E, 0, 0, 0,
            ])
        #expect(try Gzip.decompress(member, limits: limits) == text)
    }

    @Test(arguments: 0...9) func `data compressed at every level is decompressed unchanged`(level: Int) throws {
        let message = Messages.text(count: 70000)
        let member = try Gzip.compress(message, level: level)
        #expect(try Gzip.compress(message, level: level) == member)
        #expect(try Gzip.decompress(member, limits: limits) == message)
    }

    @Test(arguments: [0, 1, 32767, 32768, 32769, 65536, 200_000])
    func `a message of any length is compressed and decompressed unchanged`(count: Int) throws {
        let noise = Messages.noise(count: count)
        #expect(try Gzip.decompress(try Gzip.compress(noise), limits: limits) == noise)
        let text = Messages.text(count: count)
        let member = try Gzip.compress(text)
        #expect(try Gzip.decompress(member, limits: limits) == text)
        #expect(try Gzip.decompress(([1, 2] + member + [3])[2..<member.count + 2], limits: limits) == text)
        #expect(try Gzip.decompress(AnyCollection(member), limits: limits) == text)
    }

    @Test func `stored gzip blocks are accepted`() throws {
        let member = Members.wrap(deflated: [1, 3, 0, 0xFC, 0xFF] + Array("abc".utf8), of: Array("abc".utf8))
        #expect(try Gzip.decompress(member, limits: limits) == Array("abc".utf8))
    }

    @Test(arguments: [0x00, 0x03, 0xFF] as [UInt8])
    func `the operating system named in a gzip header is ignored`(system: UInt8) throws {
        var member = try Gzip.compress([1, 2, 3])
        member[9] = system
        #expect(try Gzip.decompress(member, limits: limits) == [1, 2, 3])
    }

    @Test func `gzip headers with every optional field are accepted`() throws {
        let message = Messages.text(count: 500)
        let deflated = Array(try Gzip.compress(message)[10...].dropLast(8))
        for flags in 0..<32 as Range<UInt8> {
            let header = Members.header(flags: flags, name: Array("credential.json".utf8))
            let member = Members.wrap(header: header, deflated: deflated, of: message)
            #expect(try Gzip.decompress(member, limits: limits) == message, "flags \(flags)")
        }
    }

    @Test func `a gzip header whose own checksum is wrong is refused`() throws {
        var header = Members.header(flags: 2, name: [])
        header[header.count - 1] ^= 1
        let member = Members.wrap(header: header, deflated: [3, 0], of: [])
        #expect(throws: CompressionError(.corrupt, "")) { try Gzip.decompress(member, limits: limits) }
    }

    @Test func `reserved gzip flags are refused`() throws {
        var member = try Gzip.compress([1])
        member[3] = 0x20
        #expect(throws: CompressionError(.corrupt, "")) { try Gzip.decompress(member, limits: limits) }
    }

    @Test func `bytes that do not start as gzip are refused with their own code`() throws {
        let zlib = try Zlib.compress([1, 2, 3])
        for bytes in [Array("{}".utf8), [0x1F, 0x8C], [0x1F, 0x8B, 0x07], zlib, [0x50, 0x4B, 3, 4]] {
            #expect(throws: CompressionError(.notGzip, "")) { try Gzip.decompress(bytes, limits: limits) }
        }
    }

    @Test func `a gzip member cut anywhere is refused as truncated`() throws {
        for member in [try Gzip.compress(Messages.text(count: 3000)), try Gzip.compress([])] {
            for count in 0..<member.count {
                #expect(throws: CompressionError(.truncated, ""), "\(count) bytes") {
                    try Gzip.decompress(member[..<count], limits: limits)
                }
            }
        }
    }

    @Test func `a changed byte anywhere in a gzip member is refused or leaves the message unchanged`() throws {
        let message = Messages.text(count: 400)
        let member = try Gzip.compress(message)
        var ignored: [Int] = []
        for position in member.indices {
            for bit in 0..<8 {
                var changed = member
                changed[position] ^= 1 << bit
                guard let result = try? Gzip.decompress(changed, limits: limits) else { continue }
                #expect(result == message)
                ignored.append(position)
            }
        }
        // Bytes that may be ignored: header fields, filling bits, and a match that copies equal text from elsewhere.
        #expect(Set(ignored).isDisjoint(with: [0, 1, 2] + Array(member.indices.suffix(8))))
        #expect(Set(ignored).isSuperset(of: 4...9))
    }

    @Test(.shows("T8")) func `anything after the gzip member of a message is refused, another member too`() throws {
        let member = try Gzip.compress([1, 2, 3])
        for tail in [[0], [1, 2, 3], member] as [[UInt8]] {
            #expect(throws: CompressionError(.trailingData, "")) {
                try Gzip.decompress(member + tail, limits: limits)
            }
        }
    }
}
