import ByteCoding

/// The record of one packet in a btsnoop file.
///
/// On the wire, big endian: original length, included length, flags, dropped packets (32 bits each), time (64 bits),
/// the packet. Source: the btsnoop format, version 1, as Android and Wireshark read it.
public struct BTSnoopRecord: Hashable, Sendable {
    /// The microseconds from the year 0, where btsnoop counts from, to 1970-01-01.
    static let epochMicroseconds: Int64 = 0x00DC_DDB3_0F2F_8000

    /// The number of bytes before the packet in a record.
    static let headerBytes = 24

    /// The most bytes of a packet that are accepted when reading.
    public static let maximumPacketBytes = 65_600

    /// The time of the packet in microseconds since 1970-01-01T00:00:00Z.
    public var microsecondsSinceEpoch: Int64

    /// True when the packet went from the controller to the host, false the other way.
    public var isReceived: Bool

    /// True when the packet is a command or an event, false when it is data.
    public var isControl: Bool

    /// The packet with its H4 type byte.
    public var packet: [UInt8]

    /// Makes a btsnoop record from its parts.
    public init(microsecondsSinceEpoch: Int64, isReceived: Bool, isControl: Bool, packet: [UInt8]) {
        self.microsecondsSinceEpoch = microsecondsSinceEpoch
        self.isReceived = isReceived
        self.isControl = isControl
        self.packet = packet
    }

    /// The bytes of the record in a btsnoop file; a time that the format cannot hold is clamped.
    public var bytes: [UInt8] {
        let (time, overflow) = microsecondsSinceEpoch.addingReportingOverflow(Self.epochMicroseconds)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.headerBytes + packet.count)
        bytes.appendBigEndian(UInt32(clamping: packet.count))
        bytes.appendBigEndian(UInt32(clamping: packet.count))
        bytes.appendBigEndian(UInt32((isReceived ? 1 : 0) | (isControl ? 2 : 0)))
        bytes.appendBigEndian(UInt32(0))
        bytes.appendBigEndian(UInt64(bitPattern: overflow ? .max : time))
        return bytes + packet
    }

    /// Reads a btsnoop record; nil when there are too few bytes, or it announces more than `maximumPacketBytes`.
    ///
    /// A time too early for 64 bits is clamped.
    init?(_ reader: inout ByteReader) {
        guard reader.bigEndian(UInt32.self) != nil, let count = reader.bigEndian(UInt32.self),
            count <= Self.maximumPacketBytes, let flags = reader.bigEndian(UInt32.self),
            reader.bigEndian(UInt32.self) != nil, let time = reader.bigEndian(UInt64.self),
            let packet = reader.bytes(Int(count))
        else { return nil }
        let (sinceEpoch, overflow) = Int64(bitPattern: time).subtractingReportingOverflow(Self.epochMicroseconds)
        microsecondsSinceEpoch = overflow ? .min : sinceEpoch
        isReceived = flags & 1 != 0
        isControl = flags & 2 != 0
        self.packet = Array(packet)
    }
}
