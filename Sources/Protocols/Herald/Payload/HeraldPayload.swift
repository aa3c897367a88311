import ByteCoding

/// A Herald payload in a known format, or as bytes.
///
/// At most 510 bytes, because all of Herald's payload specifications add up to that. Receivers treat payloads as
/// opaque; reading one is for people and applications.
public enum HeraldPayload: Hashable, Sendable {
    /// A payload with a contact identifier that changes every six minutes: version 0x10 to 0x17.
    case simple(SimplePayload)
    /// A payload of a beacon: version 0x30 to 0x37.
    case beacon(BeaconPayload)
    /// A payload in an unknown format, or malformed bytes.
    case opaque([UInt8])

    /// The longest payload, in bytes.
    public static let maximumBytes = 510

    /// Reads a payload by its version; malformed bytes are opaque.
    public init(parsing bytes: [UInt8], order: PayloadByteOrder = .deployed) {
        switch bytes.first {
        case .some(0x10...0x17): self = SimplePayload(parsing: bytes, order: order).map(Self.simple) ?? .opaque(bytes)
        case .some(0x30...0x37): self = BeaconPayload(parsing: bytes, order: order).map(Self.beacon) ?? .opaque(bytes)
        default: self = .opaque(bytes)
        }
    }

    /// Encodes the payload as on the wire.
    ///
    /// - Throws: `herald.payload.too-long`, `herald.extended-data.wrong-length`.
    public func encoded(order: PayloadByteOrder = .deployed) throws(HeraldError) -> [UInt8] {
        switch self {
        case .simple(let payload): try payload.encoded(order: order)
        case .beacon(let payload): try payload.encoded(order: order)
        case .opaque(let bytes): try Self.checked(bytes)
        }
    }

    /// The extended data after the fixed part; nil for a format without any.
    public var extendedData: ExtendedData? {
        switch self {
        case .simple(let payload): payload.extendedData
        case .beacon(let payload): payload.extendedData
        case .opaque: nil
        }
    }

    /// Returns true when the bytes begin with the version of a beacon's payload.
    static func isBeacon(_ bytes: [UInt8]) -> Bool { (0x30...0x37).contains(bytes.first ?? 0) }

    static func checked(_ bytes: [UInt8]) throws(HeraldError) -> [UInt8] {
        guard bytes.count <= maximumBytes else {
            throw HeraldError(.payloadTooLong, "A payload has at most \(maximumBytes) bytes, this one \(bytes.count).")
        }
        return bytes
    }
}
