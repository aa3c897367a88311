import ByteCoding
import Compression

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A zipped file of blocks that can be read from any of them: gzip members whose headers name their length.
///
/// Every reader of gzip unpacks it. Source: RFC 1952, section 2.3.1.1; the subfield `BC` is that of BGZF (SAM format
/// specification, section 4.1). A block holds 65,280 bytes at most.
enum GzipBlocks {
    /// The most bytes that a block holds before it is zipped.
    static let contentBytes = 65_280
    /// The length of a gzip member's header with its extra field, in bytes.
    private static let headerBytes = 18

    /// One gzip block: its place in the file, and the place of its content in the unzipped whole.
    struct Block: Sendable {
        let offset: Int
        let length: Int
        let start: Int
        let count: Int
    }

    /// Zips `content`, of 1 to `contentBytes` bytes, into a block; nil when it cannot.
    static func block(of content: some Collection<UInt8>) -> [UInt8]? {
        guard let member = try? Gzip.compress(content), member.count > 18, member[3] == 0 else { return nil }
        let last = member.count + 8 - 1
        guard last <= 0xFFFF else { return nil }
        let extra: [UInt8] = [6, 0, UInt8(ascii: "B"), UInt8(ascii: "C"), 2, 0, UInt8(last & 0xFF), UInt8(last >> 8)]
        return member[0..<3] + [4] + member[4..<10] + extra + member[10...]
    }

    /// Lists the whole blocks of an open file, in order; nil when it begins with none.
    ///
    /// A block that is cut off is left out.
    static func index(of descriptor: Int32) -> [Block]? {
        var blocks: [Block] = []
        var (offset, start) = (0, 0)
        while let header = bytes(headerBytes, at: offset, of: descriptor) {
            guard header.starts(with: [0x1F, 0x8B, 0x08, 4]), header[10...15].elementsEqual([6, 0, 0x42, 0x43, 2, 0])
            else { return nil }
            let length = Int(header[16]) + Int(header[17]) << 8 + 1
            guard length > headerBytes + 8 else { return nil }
            guard let size = bytes(4, at: offset + length - 4, of: descriptor) else { break }
            let count = Int(littleEndianBytes: size)
            guard (1...contentBytes).contains(count) else { return nil }
            blocks.append(Block(offset: offset, length: length, start: start, count: count))
            offset += length
            start += count
        }
        return blocks.isEmpty && offset > 0 ? nil : blocks
    }

    /// Reads and unzips a block; nil when it is damaged.
    static func content(of block: Block, in descriptor: Int32) -> [UInt8]? {
        guard let member = bytes(block.length, at: block.offset, of: descriptor) else { return nil }
        let limits = Gzip.Limits(maximumBytes: contentBytes, maximumRatio: 2000)
        guard let content = try? Gzip.decompress(member, limits: limits), content.count == block.count else {
            return nil
        }
        return content
    }

    private static func bytes(_ count: Int, at offset: Int, of descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let read = bytes[done...].withUnsafeMutableBytes { buffer in
                unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset + done))
            }
            if read < 0, errno == EINTR { continue }
            guard read > 0 else { return nil }
            done += read
        }
        return bytes
    }
}
