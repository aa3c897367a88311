import ByteCoding

/// The byte order of the integers in a payload.
public enum PayloadByteOrder: String, Hashable, Sendable, CaseIterable {
    /// Least significant byte first, as every deployed library sends and reads.
    case deployed
    /// Most significant byte first, as the payload specifications say.
    case documented
}

extension PayloadByteOrder {
    func append(_ value: some FixedWidthInteger & UnsignedInteger, to bytes: inout [UInt8]) {
        switch self {
        case .deployed: bytes.appendLittleEndian(value)
        case .documented: bytes.appendBigEndian(value)
        }
    }

    func read<Value: FixedWidthInteger & UnsignedInteger>(_ type: Value.Type, from reader: inout ByteReader) -> Value? {
        switch self {
        case .deployed: reader.littleEndian(type)
        case .documented: reader.bigEndian(type)
        }
    }
}
