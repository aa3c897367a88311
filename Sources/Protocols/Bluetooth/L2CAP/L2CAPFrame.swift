import ByteCoding

/// One frame of L2CAP's basic mode: a channel and the payload that is sent on it.
///
/// On the wire: length of the payload, channel, both 16 bits little endian, then the payload. Source: Core
/// Specification 5.3, Vol 3 Part A §3.1.
public struct L2CAPFrame: Hashable, Sendable {
    /// The fixed channel of the attribute protocol on LE.
    public static let attributeChannel: UInt16 = 0x0004

    /// The fixed channel of L2CAP's own signalling on LE.
    public static let signallingChannel: UInt16 = 0x0005

    /// The fixed channel of the security manager on LE.
    public static let securityChannel: UInt16 = 0x0006

    /// The number of bytes of the header before the payload.
    public static let headerBytes = 4

    /// The identifier of the L2CAP channel that the frame belongs to.
    public var channel: UInt16

    /// The content of the frame: 0 to 65,535 bytes.
    public var payload: [UInt8]

    /// Makes an L2CAP frame from its parts.
    public init(channel: UInt16 = attributeChannel, payload: [UInt8]) {
        self.channel = channel
        self.payload = payload
    }

    /// Reads one L2CAP frame, which must fill `bytes` exactly.
    ///
    /// - Throws: `wrongFrameLength`.
    public init(_ bytes: [UInt8]) throws(BluetoothFormatError) {
        var reader = ByteReader(bytes)
        guard let length = reader.littleEndian(UInt16.self), let channel = reader.littleEndian(UInt16.self),
            reader.remainingCount == Int(length)
        else { throw BluetoothFormatError(.wrongFrameLength, "a frame of \(bytes.count) bytes") }
        self.init(channel: channel, payload: Array(reader.rest()))
    }

    /// The bytes of the frame with its header.
    ///
    /// - Precondition: the payload has at most 65,535 bytes.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.headerBytes + payload.count)
        bytes.appendLittleEndian(UInt16(payload.count))
        bytes.appendLittleEndian(channel)
        bytes += payload
        return bytes
    }

    /// Returns the frame in fragments of at most `limit` bytes, as link-layer or ACL packets carry it.
    ///
    /// - Parameter limit: at least 1.
    public func fragments(of limit: Int) -> [ArraySlice<UInt8>] {
        let bytes = self.bytes
        return stride(from: 0, to: bytes.count, by: max(limit, 1)).map {
            bytes[$0..<min($0 + max(limit, 1), bytes.count)]
        }
    }
}
