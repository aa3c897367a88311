import ByteCoding

/// One complete frame written to the signal characteristic.
///
/// On the wire: an action byte, then what the action asks for, integers little-endian; no byte at all is a wake. What
/// follows a length has at most 510 bytes, as every payload has. Source: the deployed libraries 2.2, whose comments
/// announce four bytes for the signal strength while their code writes two.
public enum SignalFrame: Hashable, Sendable {
    /// An empty write, which asks a device to notify later and keeps its application awake.
    case wake
    /// The writer's own payload (HP-14, HP-18): 0x01, length in two bytes, payload.
    case payload([UInt8])
    /// The writer's signal strength reading of the receiver in dBm: 0x02, two signed bytes.
    case rssi(Int)
    /// The payloads of other devices, joined, with the writer's reading of the receiver.
    ///
    /// 0x03, signal strength, length in two bytes, payloads.
    case sharing(rssi: Int, [UInt8])
    /// A message of the application (HP-49): 0x04, length in two bytes, message.
    case immediate([UInt8])

    /// The longest payload, message or joined shared payloads in a frame, in bytes.
    public static let maximumContentBytes = 510
    /// The longest frame, in bytes: one that shares payloads.
    public static let maximumBytes = 515
    /// The longest value that one write carries, in bytes.
    public static let maximumWriteBytes = 512
    /// The signal strengths that a radio can measure, in dBm.
    public static let plausibleRSSI = -127...20

    /// Encodes the frame as on the wire.
    ///
    /// - Throws: `herald.frame.too-long`, `herald.frame.implausible-rssi`.
    public func encoded() throws(HeraldError) -> [UInt8] {
        switch self {
        case .wake: return []
        case .payload(let bytes): return try Self.counted([0x01], bytes)
        case .rssi(let rssi): return try [0x02] + Self.word(rssi)
        case .sharing(let rssi, let bytes): return try Self.counted([0x03] + Self.word(rssi), bytes)
        case .immediate(let bytes): return try Self.counted([0x04], bytes)
        }
    }

    private static func word(_ rssi: Int) throws(HeraldError) -> [UInt8] {
        guard plausibleRSSI.contains(rssi) else {
            throw HeraldError(.frameImplausibleRSSI, "\(rssi) dBm is not a signal strength.")
        }
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(UInt16(bitPattern: Int16(rssi)))
        return bytes
    }

    private static func counted(_ head: [UInt8], _ content: [UInt8]) throws(HeraldError) -> [UInt8] {
        guard content.count <= maximumContentBytes else {
            throw HeraldError(.frameTooLong, "\(content.count) bytes do not fit into a signal frame.")
        }
        var bytes = head
        bytes.appendLittleEndian(UInt16(content.count))
        return bytes + content
    }
}

extension SignalFrame {
    /// The length of a frame, as far as its first bytes give it.
    public enum FrameLength: Hashable, Sendable {
        /// The frame has this many bytes.
        case bytes(Int)
        /// The first bytes do not give the length yet.
        case unknown
    }

    /// Reads the length of the frame that begins with `bytes`, which are not empty.
    ///
    /// - Throws: `herald.frame.unknown-action`; `herald.frame.too-long` when it announces more than `maximumBytes`.
    public static func extent(of bytes: some Collection<UInt8>) throws(HeraldError) -> FrameLength {
        var reader = ByteReader(Array(bytes.prefix(5)))
        let lengthAt: Int
        switch reader.byte() {
        case 0x01, 0x04: lengthAt = 0
        case 0x02: return .bytes(3)
        case 0x03: lengthAt = 2
        case nil: return .unknown
        case .some(let action): throw HeraldError(.frameUnknownAction, "\(action) is not an action of a signal frame.")
        }
        guard reader.bytes(lengthAt) != nil, let length = reader.littleEndian(UInt16.self) else { return .unknown }
        guard length <= maximumContentBytes else {
            throw HeraldError(.frameTooLong, "A signal frame announces \(length) bytes.")
        }
        return .bytes(1 + lengthAt + 2 + Int(length))
    }

    /// Reads one complete frame; nothing may follow it.
    ///
    /// - Throws: `herald.frame.unknown-action`, `herald.frame.wrong-length`, `herald.frame.too-long`,
    ///   `herald.frame.implausible-rssi`.
    public init(parsing bytes: [UInt8]) throws(HeraldError) {
        guard bytes.count <= Self.maximumBytes else {
            throw HeraldError(.frameTooLong, "A signal frame has \(bytes.count) bytes.")
        }
        guard !bytes.isEmpty else {
            self = .wake
            return
        }
        guard try Self.extent(of: bytes) == .bytes(bytes.count) else {
            throw HeraldError(.frameWrongLength, "A signal frame of \(bytes.count) bytes announces another length.")
        }
        switch bytes[0] {
        case 0x01: self = .payload(Array(bytes[3...]))
        case 0x02: self = .rssi(try Self.rssi(in: bytes))
        case 0x03: self = .sharing(rssi: try Self.rssi(in: bytes), Array(bytes[5...]))
        default: self = .immediate(Array(bytes[3...]))
        }
    }

    /// Reads the signal strength in the two bytes after the action; the caller has checked their presence.
    private static func rssi(in bytes: [UInt8]) throws(HeraldError) -> Int {
        let rssi = Int(Int16(bitPattern: UInt16(bytes[1]) | UInt16(bytes[2]) << 8))
        guard plausibleRSSI.contains(rssi) else {
            throw HeraldError(.frameImplausibleRSSI, "\(rssi) dBm is not a signal strength.")
        }
        return rssi
    }
}

extension SignalFrame {
    /// Returns the values to write one after the other, each with response, to send the frame.
    ///
    /// Compliant devices put pieces together that are no longer than `pieceBytes`; the others take the frame in one
    /// write.
    ///
    /// - Throws: as `encoded`; `herald.frame.too-long` for a frame of more than 512 bytes that must go in one write.
    public func writes(to kind: SignalCharacteristicKind, pieceBytes: Int = 20) throws(HeraldError) -> [[UInt8]] {
        let bytes = try encoded()
        guard kind == .compliant || bytes.count <= Self.maximumWriteBytes else {
            throw HeraldError(.frameTooLong, "\(bytes.count) bytes do not fit into one write.")
        }
        guard kind == .compliant, bytes.count > pieceBytes else { return [bytes] }
        let size = max(1, pieceBytes)
        return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    }
}
