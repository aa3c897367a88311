import ByteCoding
import CommandProgram
import Compression
import Terminal

/// A ZIP archive in memory: its entries by the central directory.
///
/// Read are entries that are stored (method 0) or deflated (method 8); encrypted entries and archives of 4 GiB and more
/// are not. Source: PKWARE's APPNOTE 6.3.10, sections 4.3 and 4.4.
struct FieldDataArchive {
    /// One file of the archive.
    struct Entry: Hashable, Sendable {
        /// The path in the archive, as its maker wrote it; for people and for comparison, never for opening a file.
        let name: String
        fileprivate let method: UInt16
        fileprivate let isEncrypted: Bool
        fileprivate let checksum: UInt32
        fileprivate let packedBytes: Int
        /// The number of bytes of the file.
        let byteCount: Int
        fileprivate let offset: Int
    }

    /// The most entries of an archive.
    static let maximumEntries = 20_000
    /// The greatest growth of an entry when it is inflated, beyond 64 KiB.
    private static let maximumRatio = 1000
    private static let endMark: UInt32 = 0x0605_4B50
    private static let entryMark: UInt32 = 0x0201_4B50
    private static let fileMark: UInt32 = 0x0403_4B50

    /// The files of the archive, in the order of the central directory.
    let entries: [Entry]
    private let bytes: [UInt8]
    private let name: String

    /// True when `bytes` begin with the signature of a ZIP archive.
    static func isArchive(_ bytes: some Collection<UInt8>) -> Bool { bytes.starts(with: [0x50, 0x4B, 3, 4]) }

    /// Reads the central directory of an archive; `name` is for errors.
    ///
    /// - Throws: `prox.log-malformed`, `input.too-large`.
    init(_ bytes: [UInt8], name: String) throws(CommandError) {
        self.bytes = bytes
        self.name = name
        let malformed = CommandError(.proximityLogMalformed, "\(name) is no whole ZIP archive.")
        // The end of the directory stands before a comment of up to 65,535 bytes.
        let end = stride(from: bytes.count - 22, through: max(0, bytes.count - 22 - 65_535), by: -1)
            .first { Self.number(bytes, $0) == Self.endMark }
        guard let end, let count: UInt16 = Self.number(bytes, end + 10),
            let size: UInt32 = Self.number(bytes, end + 12),
            let start: UInt32 = Self.number(bytes, end + 16)
        else { throw malformed }
        guard count <= Self.maximumEntries, start != .max, size != .max else {
            throw CommandError(
                .inputTooLarge,
                "\(name) has 4 GiB or more, or more than \(NumberText.count(Self.maximumEntries)) files.")
        }
        var reader = ByteReader(bytes.dropFirst(Int(start)))
        var entries: [Entry] = []
        for _ in 0..<count {
            guard reader.littleEndian(UInt32.self) == Self.entryMark, reader.bytes(4) != nil,
                let flags = reader.littleEndian(UInt16.self), let method = reader.littleEndian(UInt16.self),
                reader.bytes(4) != nil, let checksum = reader.littleEndian(UInt32.self),
                let packed = reader.littleEndian(UInt32.self), let unpacked = reader.littleEndian(UInt32.self),
                let nameBytes = reader.littleEndian(UInt16.self), let extra = reader.littleEndian(UInt16.self),
                let comment = reader.littleEndian(UInt16.self), reader.bytes(8) != nil,
                let offset = reader.littleEndian(UInt32.self), let text = reader.bytes(Int(nameBytes)),
                reader.bytes(Int(extra) + Int(comment)) != nil
            else { throw malformed }
            entries.append(
                Entry(
                    name: String(decoding: text, as: UTF8.self), method: method, isEncrypted: flags & 1 != 0,
                    checksum: checksum, packedBytes: Int(packed), byteCount: Int(unpacked), offset: Int(offset)))
        }
        self.entries = entries
    }

    /// Extracts a file of the archive, which may have `limit` bytes.
    ///
    /// - Throws: `prox.log-malformed`; `input.too-large` when it has more than `limit` bytes.
    func contents(of entry: Entry, limit: Int) throws(CommandError) -> [UInt8] {
        let shown = "\(TerminalText.sanitised(entry.name, limit: 200)) in \(name)"
        func malformed(_ complaint: String) -> CommandError {
            CommandError(.proximityLogMalformed, "\(shown) \(complaint).")
        }
        guard entry.byteCount <= limit else {
            throw CommandError(.inputTooLarge, "\(shown) has more than \(NumberText.bytes(limit)).")
        }
        guard !entry.isEncrypted else { throw malformed("is encrypted") }
        guard Self.number(bytes, entry.offset) == Self.fileMark,
            let names: UInt16 = Self.number(bytes, entry.offset + 26),
            let extra: UInt16 = Self.number(bytes, entry.offset + 28)
        else { throw malformed("is not where the directory says") }
        let start = entry.offset + 30 + Int(names) + Int(extra)
        guard start + entry.packedBytes <= bytes.count else { throw malformed("is cut off") }
        let packed = bytes[start..<start + entry.packedBytes]
        switch entry.method {
        case 0:
            guard entry.packedBytes == entry.byteCount, CRC32.checksum(of: packed) == entry.checksum else {
                throw malformed("is damaged")
            }
            return Array(packed)
        case 8:
            // The same data with the frame of gzip, which checks length and checksum.
            var member: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
            member += packed
            member.appendLittleEndian(entry.checksum)
            member.appendLittleEndian(UInt32(truncatingIfNeeded: entry.byteCount))
            do throws(CompressionError) {
                return try Gzip.decompress(
                    member, limits: .init(maximumBytes: limit, maximumRatio: Self.maximumRatio))
            } catch {
                let isTooLarge = error.code == .tooLarge || error.code == .ratio
                throw isTooLarge
                    ? CommandError(.inputTooLarge, "\(shown): \(error.reason).")
                    : malformed("cannot be unpacked: \(error.reason)")
            }
        default: throw malformed("is packed by method \(entry.method), which is not read")
        }
    }

    private static func number<Value: FixedWidthInteger & UnsignedInteger>(_ bytes: [UInt8], _ offset: Int) -> Value? {
        guard offset >= 0, offset < bytes.count else { return nil }
        var reader = ByteReader(bytes[offset...])
        return reader.littleEndian(Value.self)
    }
}
