import ByteCoding

/// A verifier's answer to a report request: everything arrived, or what is missing.
///
/// Shape: type (1 byte: 0 missing, 1 success), number of pages (2 bytes), then sequence numbers of 2 bytes each; all
/// big-endian. Only the first page is ever sent: the wallet sends those chunks and asks again. Source: Tuvali
/// documentation (docs.mosip.io) "Data transfer"; the layout as deployed.
public enum TransferReport: Hashable, Sendable {
    /// The verifier has the whole payload.
    case success
    /// These chunks are missing: the first page of `pageCount`.
    case missing([UInt16], pageCount: UInt16)

    /// The reason why a report cannot be read.
    public enum TransferReportError: Error, Hashable, Sendable {
        /// The report is shorter than three bytes.
        case truncated
        /// The report has a type other than 0 and 1.
        case unknownType(UInt8)
    }

    /// The number of sequence numbers in one report over a link with `mtu`: (D − 3) / 2, rounded down.
    public static func pageSize(mtu: Int) -> Int { max(0, (ChunkLayout.writeBytes(mtu: mtu) - 3) / 2) }

    /// The report of a transfer in which `missingCount` chunks are missing, the first of them `firstMissing`.
    static func missing(_ firstMissing: [UInt16], of missingCount: Int, mtu: Int) -> TransferReport {
        let size = max(1, pageSize(mtu: mtu))
        return .missing(firstMissing, pageCount: UInt16(clamping: (missingCount + size - 1) / size))
    }

    /// The bytes of the report to notify.
    public var bytes: [UInt8] {
        switch self {
        case .success: return [1, 0, 0]
        case .missing(let numbers, let pageCount):
            var bytes: [UInt8] = [0]
            bytes.appendBigEndian(pageCount)
            for number in numbers { bytes.appendBigEndian(number) }
            return bytes
        }
    }

    /// Reads a report.
    ///
    /// An odd last byte is ignored, and so is all that follows a success.
    public init(parsing value: [UInt8]) throws(TransferReportError) {
        var reader = ByteReader(value)
        guard let type = reader.byte(), let pageCount = reader.bigEndian(UInt16.self) else { throw .truncated }
        switch type {
        case 0:
            var numbers: [UInt16] = []
            while let number = reader.bigEndian(UInt16.self) { numbers.append(number) }
            self = .missing(numbers, pageCount: pageCount)
        case 1: self = .success
        default: throw .unknownType(type)
        }
    }
}
