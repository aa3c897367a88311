import CommandTestSupport
import Compression
import Testing

@testable import CommandProgram

@Suite struct GzipBlocksTests {
    /// Lines of 200 kB and more together, so that they fill several blocks.
    private static let lines = (0..<20_000).map { "line \($0) of the file" }

    private func zipped(in folder: TemporaryFolder) throws -> String {
        let path = "\(folder.path)/lines"
        let file = try AppendedLineFile(path, isZipped: true)
        for line in Self.lines { try file.put { $0 += Array("\(line)\n".utf8) } }
        try file.flush()
        return path
    }

    @Test func `a log in gzip blocks reads as it was written, and any gzip program unpacks it`() throws {
        let folder = try TemporaryFolder()
        let path = try zipped(in: folder)
        #expect(try folder.names() == ["lines.gz"])
        var reader = try LineFileReader(path, maximumLineBytes: 100)
        var read: [String] = []
        while let line = try reader.next() { read.append(String(decoding: line, as: UTF8.self)) }
        #expect(read == Self.lines)
        let whole = Array(Self.lines.map { $0 + "\n" }.joined().utf8)
        #expect(reader.byteCount == whole.count)
        let limits = Gzip.Limits(maximumBytes: 1 << 20, maximumRatio: 1000)
        #expect(try Gzip.decompressMembers(of: folder.read("lines.gz"), limits: limits) == whole)
    }

    @Test(arguments: [0, 1, 65_279, 65_280, 65_281, 300_000])
    func `reading a log in gzip blocks begins after an offset as in a plain file`(offset: Int) throws {
        let folder = try TemporaryFolder()
        var reader = try LineFileReader(try zipped(in: folder), maximumLineBytes: 100)
        let plain = try folder.write("plain", Self.lines.map { $0 + "\n" }.joined())
        var other = try LineFileReader(plain, maximumLineBytes: 100)
        #expect(reader.skip(behind: offset) && other.skip(behind: offset))
        for _ in 0..<3000 { #expect(try reader.next() == other.next()) }
    }

    @Test func `a gzip file without block index is refused, and a truncated one ends with its last whole block`() throws
    {
        let folder = try TemporaryFolder()
        let path = try zipped(in: folder)
        let bytes = try folder.read("lines.gz")
        _ = try folder.write("other.gz", Gzip.compress(Array("text\n".utf8)))
        #expect(throws: CommandError.self) { _ = try LineFileReader("\(folder.path)/other", maximumLineBytes: 100) }
        _ = try folder.write("cut.gz", Array(bytes.dropLast(10)))
        var reader = try LineFileReader("\(folder.path)/cut", maximumLineBytes: 100)
        var count = 0
        while try reader.next() != nil { count += 1 }
        #expect((1..<Self.lines.count).contains(count))
        var damaged = bytes
        damaged[1000] ^= 0xFF
        _ = try folder.write("lines.gz", damaged)
        var broken = try LineFileReader(path, maximumLineBytes: 100)
        #expect(throws: CommandError.self) { while try broken.next() != nil {} }
    }
}
