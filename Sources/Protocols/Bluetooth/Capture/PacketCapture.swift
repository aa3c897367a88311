import ByteCoding

/// The record of one packet in a capture file.
public struct PacketRecord: Hashable, Sendable {
    /// The kind of header that a sniffer puts before a link-layer packet.
    public enum SnifferLink: UInt32, Hashable, Sendable {
        /// No header: link type 251.
        case plain = 251
        /// A header of channel, signal strength and flags: link type 256.
        case withHeader = 256
        /// Nordic's sniffer header: link type 272.
        case nordic = 272
    }

    /// The interface on which a packet was recorded, which gives its bytes their meaning.
    public enum CaptureInterface: Hashable, Sendable {
        /// Between a host and its controller `adapter`; the bytes begin with the H4 type.
        case host(adapter: UInt16, isReceived: Bool)
        /// By radio: a sniffer recorded the packet.
        case air(SnifferLink)
        /// A comment of the recording program; its bytes are not read.
        case remark
        /// Another link type, which the reader does not support.
        case other(linkType: UInt32)
    }

    /// The time of the packet in microseconds since 1970-01-01T00:00:00Z.
    public var microsecondsSinceEpoch: Int64
    /// The interface on which the packet was recorded.
    public var link: CaptureInterface
    /// The bytes of the packet; `link` gives their meaning.
    public var bytes: [UInt8]

    /// Makes a record from its parts.
    public init(microsecondsSinceEpoch: Int64, link: CaptureInterface, bytes: [UInt8]) {
        self.microsecondsSinceEpoch = microsecondsSinceEpoch
        self.link = link
        self.bytes = bytes
    }
}

/// A parsed capture file: btsnoop, pcap or pcapng.
///
/// Of btsnoop the link types 1002 (HCI UART) and 2001 (monitor of BlueZ) are read; of pcap and pcapng 201 (HCI UART
/// with direction) and the sniffers' 251, 256 and 272. Sources: RFC 1761 as Android and BlueZ use it; the drafts
/// draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng.
public struct PacketCapture: Hashable, Sendable {
    /// The format of a capture file.
    public enum Format: String, Hashable, Sendable {
        /// The btsnoop format of Android, Bumble and BlueZ.
        case btsnoop
        /// The pcap format, the older one of tcpdump and Wireshark.
        case pcap
        /// The pcapng format, the newer one of Wireshark.
        case pcapng
    }

    /// The reason why parsing a capture file stopped early.
    public typealias Problem = BTSnoopFile.Problem

    /// The format of the parsed file.
    public let format: Format
    /// The records in the order of the file.
    public let records: [PacketRecord]
    /// The reason why parsing stopped early; nil when it did not.
    public let problem: Problem?

    /// Returns the file format that `bytes` begin with; nil when it is not btsnoop, pcap or pcapng.
    public static func format(of bytes: some Collection<UInt8>) -> Format? {
        if bytes.starts(with: BTSnoopWriter.magic) { return .btsnoop }
        switch Array(bytes.prefix(4)) {
        case [0xA1, 0xB2, 0xC3, 0xD4], [0xD4, 0xC3, 0xB2, 0xA1], [0xA1, 0xB2, 0x3C, 0x4D], [0x4D, 0x3C, 0xB2, 0xA1]:
            return .pcap
        case [0x0A, 0x0D, 0x0D, 0x0A]: return .pcapng
        default: return nil
        }
    }

    /// Parses a file of any content; everything behind a bad record is left out.
    ///
    /// - Parameter limit: the most records that are taken.
    /// - Throws: `notACapture`; `captureOfOtherLink` when no packet of the file can be read.
    public init(parsing bytes: [UInt8], limit: Int = 1_000_000) throws(BluetoothFormatError) {
        guard let format = Self.format(of: bytes) else {
            throw BluetoothFormatError(.notACapture, "none of btsnoop, pcap and pcapng")
        }
        self.format = format
        var source: any CaptureFileSource
        switch format {
        case .btsnoop: source = try BTSnoopSource(bytes)
        case .pcap: source = try PcapSource(bytes)
        case .pcapng: source = PcapngSource(bytes)
        }
        var records: [PacketRecord] = []
        var problem: Problem?
        reading: while true {
            let offset = source.offset
            switch source.next() {
            case .end: break reading
            case .bad:
                problem = .badRecord(offset: offset)
                break reading
            case .record where records.count >= limit:
                problem = .tooManyRecords
                break reading
            case .record(let record): records.append(record)
            }
        }
        let unread = records.lazy.compactMap { record -> UInt32? in
            if case .other(let linkType) = record.link { linkType } else { nil }
        }
        if let first = unread.first, unread.count == records.count {
            throw BluetoothFormatError(
                .captureOfOtherLink, "link type \(first); read are 201, 251, 256, 272 of pcap and 1002, 2001 of btsnoop"
            )
        }
        self.records = records
        self.problem = problem
    }
}

/// The next item in a capture file: a packet, the end or a problem.
private enum CaptureFileItem {
    case record(PacketRecord)
    case bad
    case end
}

private protocol CaptureFileSource {
    /// The offset of the next item in the file.
    var offset: Int { get }
    mutating func next() -> CaptureFileItem
}

/// Returns the record of a pcap packet: its interface, and its bytes as `PacketRecord` has them.
private func record(_ linkType: UInt32, _ bytes: ArraySlice<UInt8>, at microseconds: Int64) -> PacketRecord {
    if let sniffer = PacketRecord.SnifferLink(rawValue: linkType) {
        return PacketRecord(microsecondsSinceEpoch: microseconds, link: .air(sniffer), bytes: Array(bytes))
    }
    // Four bytes before the packet, of which the lowest bit of the last says the direction.
    guard linkType == 201 else {
        return PacketRecord(
            microsecondsSinceEpoch: microseconds, link: .other(linkType: linkType), bytes: Array(bytes))
    }
    let isReceived = bytes.count >= 4 && bytes[bytes.startIndex + 3] & 1 == 1
    return PacketRecord(
        microsecondsSinceEpoch: microseconds, link: .host(adapter: 0, isReceived: isReceived),
        bytes: Array(bytes.dropFirst(4)))
}

private struct BTSnoopSource: CaptureFileSource {
    private static let monitor: UInt32 = 2001

    private let count: Int
    private let isMonitor: Bool
    private var reader: ByteReader

    var offset: Int { count - reader.remainingCount }

    init(_ bytes: [UInt8]) throws(BluetoothFormatError) {
        count = bytes.count
        reader = ByteReader(bytes)
        guard reader.bytes(BTSnoopWriter.magic.count) != nil, reader.bigEndian(UInt32.self) == 1,
            let linkType = reader.bigEndian(UInt32.self)
        else { throw BluetoothFormatError(.notACapture, "not a btsnoop file of version 1") }
        guard linkType == BTSnoopWriter.linkType || linkType == Self.monitor else {
            throw BluetoothFormatError(
                .captureOfOtherLink, "link type \(linkType), not \(BTSnoopWriter.linkType) or \(Self.monitor)")
        }
        isMonitor = linkType == Self.monitor
    }

    mutating func next() -> CaptureFileItem {
        guard !reader.isAtEnd else { return .end }
        var head = reader
        guard let record = BTSnoopRecord(&reader), head.bytes(8) != nil, let flags = head.bigEndian(UInt32.self) else {
            return .bad
        }
        let time = record.microsecondsSinceEpoch
        guard isMonitor else {
            return .record(
                PacketRecord(
                    microsecondsSinceEpoch: time, link: .host(adapter: 0, isReceived: record.isReceived),
                    bytes: record.packet))
        }
        // The number of the adapter, then what the packet is: two of each kind of data, sent and received.
        let types: [UInt32: (type: UInt8, isReceived: Bool)] = [
            2: (1, false), 3: (4, true), 4: (2, false), 5: (2, true), 6: (3, false), 7: (3, true), 18: (5, false),
            19: (5, true),
        ]
        guard let (type, isReceived) = types[flags & 0xFFFF] else {
            return .record(PacketRecord(microsecondsSinceEpoch: time, link: .remark, bytes: record.packet))
        }
        return .record(
            PacketRecord(
                microsecondsSinceEpoch: time,
                link: .host(adapter: UInt16(truncatingIfNeeded: flags >> 16), isReceived: isReceived),
                bytes: [type] + record.packet))
    }
}

/// Reads integers in the byte order of a capture file.
private struct ByteOrderReader {
    var reader: ByteReader
    var isBigEndian: Bool

    mutating func number<Value: FixedWidthInteger & UnsignedInteger>(_: Value.Type = Value.self) -> Value? {
        isBigEndian ? reader.bigEndian(Value.self) : reader.littleEndian(Value.self)
    }
}

private struct PcapSource: CaptureFileSource {
    private let count: Int
    private let linkType: UInt32
    private let isNanoseconds: Bool
    private var input: ByteOrderReader

    var offset: Int { count - input.reader.remainingCount }

    init(_ bytes: [UInt8]) throws(BluetoothFormatError) {
        count = bytes.count
        input = ByteOrderReader(reader: ByteReader(bytes), isBigEndian: bytes.first == 0xA1)
        isNanoseconds = bytes.prefix(4).contains(0x3C)
        guard input.reader.bytes(20) != nil, let linkType: UInt32 = input.number() else {
            throw BluetoothFormatError(.notACapture, "a pcap file that is cut off in its header")
        }
        // The upper bits may say how long the checksum of a frame is.
        self.linkType = linkType & 0xFFFF
    }

    mutating func next() -> CaptureFileItem {
        guard !input.reader.isAtEnd else { return .end }
        guard let seconds: UInt32 = input.number(), let fraction: UInt32 = input.number(),
            let included: UInt32 = input.number(), let _: UInt32 = input.number(),
            included <= BTSnoopRecord.maximumPacketBytes, let bytes = input.reader.bytes(Int(included))
        else { return .bad }
        let microseconds = Int64(seconds) * 1_000_000 + Int64(isNanoseconds ? fraction / 1000 : fraction)
        return .record(record(linkType, bytes, at: microseconds))
    }
}

private struct PcapngSource: CaptureFileSource {
    private struct Interface {
        let linkType: UInt32
        /// The resolution of an interface's times: a negative power of ten, or of two if the highest bit is set.
        let resolution: UInt8

        /// Converts a time of the interface to microseconds; one too late for 64 bits is clamped.
        func microseconds(_ ticks: UInt64) -> Int64 {
            let power = Int(resolution & 0x7F)
            if resolution & 0x80 != 0 {
                let (high, low) = ticks.multipliedFullWidth(by: 1_000_000)
                guard power < 64 else { return Int64(clamping: high >> UInt64(min(power - 64, 63))) }
                guard power > 0 else { return high == 0 ? Int64(clamping: low) : .max }
                guard high >> UInt64(power) == 0 else { return .max }
                return Int64(clamping: high << UInt64(64 - power) | low >> UInt64(power))
            }
            var value = ticks
            for _ in 0..<max(0, power - 6) where value > 0 { value /= 10 }
            for _ in 0..<max(0, 6 - power) {
                let (product, overflow) = value.multipliedReportingOverflow(by: 10)
                guard !overflow else { return .max }
                value = product
            }
            return Int64(clamping: value)
        }
    }

    /// The most interfaces of a pcapng section.
    private static let maximumInterfaces = 1024
    private static let sectionHeader: UInt32 = 0x0A0D_0D0A

    private let count: Int
    private var input: ByteOrderReader
    private var interfaces: [Interface] = []

    var offset: Int { count - input.reader.remainingCount }

    init(_ bytes: [UInt8]) {
        count = bytes.count
        input = ByteOrderReader(reader: ByteReader(bytes), isBigEndian: false)
    }

    mutating func next() -> CaptureFileItem {
        while !input.reader.isAtEnd {
            guard let (kind, content) = block() else { return .bad }
            var body = ByteOrderReader(reader: ByteReader(content), isBigEndian: input.isBigEndian)
            switch kind {
            case Self.sectionHeader: interfaces = []
            case 1:
                guard interfaces.count < Self.maximumInterfaces, let interface = Self.interface(&body) else {
                    return .bad
                }
                interfaces.append(interface)
            case 2, 3, 6: return packet(kind, &body).map { .record($0) } ?? .bad
            // Names, statistics, decryption keys and other blocks without a packet.
            default: break
            }
        }
        return .end
    }

    /// Reads the kind and the contents of the next pcapng block; a section's header sets the byte order.
    private mutating func block() -> (kind: UInt32, content: ArraySlice<UInt8>)? {
        var head = input.reader
        guard let raw = head.littleEndian(UInt32.self) else { return nil }
        if raw == Self.sectionHeader {
            guard head.bytes(4) != nil, let mark = head.littleEndian(UInt32.self) else { return nil }
            guard mark == 0x1A2B_3C4D || mark == 0x4D3C_2B1A else { return nil }
            input.isBigEndian = mark == 0x4D3C_2B1A
        }
        guard let kind: UInt32 = input.number(), let length: UInt32 = input.number(), length >= 12, length % 4 == 0,
            let content = input.reader.bytes(Int(length) - 12), input.number() == length
        else { return nil }
        return (kind, content)
    }

    private static func interface(_ body: inout ByteOrderReader) -> Interface? {
        guard let linkType: UInt16 = body.number(), body.reader.bytes(6) != nil else { return nil }
        var resolution: UInt8 = 6
        while let option: UInt16 = body.number(), let length: UInt16 = body.number(), option != 0 {
            guard let value = body.reader.bytes(Int(length)) else { break }
            if option == 9, let first = value.first { resolution = first }
            _ = body.reader.bytes((4 - Int(length) % 4) % 4)
        }
        return Interface(linkType: UInt32(linkType), resolution: resolution)
    }

    /// Reads the packet of an enhanced (6), simple (3) or obsolete (2) packet block.
    private func packet(_ kind: UInt32, _ body: inout ByteOrderReader) -> PacketRecord? {
        var number: UInt32 = 0
        var ticks: UInt64 = 0
        var included: UInt32?
        if kind == 3 {
            guard let original: UInt32 = body.number() else { return nil }
            included = min(original, UInt32(clamping: body.reader.remainingCount))
        } else {
            if kind == 6 {
                guard let index: UInt32 = body.number() else { return nil }
                number = index
            } else {
                guard let index: UInt16 = body.number(), let _: UInt16 = body.number() else { return nil }
                number = UInt32(index)
            }
            guard let high: UInt32 = body.number(), let low: UInt32 = body.number() else { return nil }
            ticks = UInt64(high) << 32 | UInt64(low)
            included = body.number()
            guard let _: UInt32 = body.number() else { return nil }
        }
        guard let included, included <= BTSnoopRecord.maximumPacketBytes, number < interfaces.count,
            let bytes = body.reader.bytes(Int(included))
        else { return nil }
        let interface = interfaces[Int(number)]
        return record(interface.linkType, bytes, at: interface.microseconds(ticks))
    }
}
