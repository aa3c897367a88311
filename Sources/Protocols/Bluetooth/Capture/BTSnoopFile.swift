import ByteCoding

/// A parsed btsnoop file: its records, and the problem that ended the parsing early.
public struct BTSnoopFile: Hashable, Sendable {
    /// The reason why parsing a btsnoop file stopped early.
    public enum Problem: Hashable, Sendable {
        /// The record at `offset` is cut off, or announces more bytes than a packet can have.
        case badRecord(offset: Int)
        /// There are more records than the reader's limit.
        case tooManyRecords
    }

    /// The records in the order of the file.
    public let records: [BTSnoopRecord]

    /// The reason why parsing stopped early; nil when it did not.
    public let problem: Problem?

    /// Parses a file of any content; everything behind a bad record is left out.
    ///
    /// - Parameter limit: the most records that are taken.
    /// - Throws: `notACapture`, `captureOfOtherLink`.
    public init(parsing bytes: [UInt8], limit: Int = 1_000_000) throws(BluetoothFormatError) {
        var reader = ByteReader(bytes)
        guard let magic = reader.bytes(BTSnoopWriter.magic.count), Array(magic) == BTSnoopWriter.magic,
            reader.bigEndian(UInt32.self) == 1, let linkType = reader.bigEndian(UInt32.self)
        else { throw BluetoothFormatError(.notACapture, "not a btsnoop file of version 1") }
        guard linkType == BTSnoopWriter.linkType else {
            throw BluetoothFormatError(.captureOfOtherLink, "link type \(linkType), not \(BTSnoopWriter.linkType)")
        }
        var records: [BTSnoopRecord] = []
        var problem: Problem?
        while !reader.isAtEnd, problem == nil {
            let offset = bytes.count - reader.remainingCount
            if records.count >= limit {
                problem = .tooManyRecords
            } else if let record = BTSnoopRecord(&reader) {
                records.append(record)
            } else {
                problem = .badRecord(offset: offset)
            }
        }
        self.records = records
        self.problem = problem
    }

    /// The decoded events of all records, in their order.
    public var events: [CaptureEvent] {
        var decoder = CaptureDecoder()
        return records.flatMap { decoder.events(of: $0) } + decoder.finish()
    }
}
