import ByteCoding

/// A payload with a changing contact identifier of 16 bytes, by which its user cannot be followed.
///
/// Layout: header, identifier, extended data: 21 bytes and more. Source: Herald simple payload; the deployed phone
/// libraries, which send no extended data. The C++ library inserts a length and is not understood by them.
public struct SimplePayload: Hashable, Sendable {
    /// The number of bytes of a contact identifier: 16.
    public static let identifierBytes = 16

    /// The version, country and state of the payload.
    public var header: HeraldPayloadHeader
    /// The contact identifier: 16 bytes.
    public var identifier: [UInt8]
    /// The extended data after the identifier; empty in deployed libraries.
    public var extendedData: ExtendedData

    /// Makes a simple payload from its parts.
    ///
    /// - Parameter identifier: 16 bytes, which `encoded` checks.
    public init(
        country: UInt16, state: UInt16, identifier: [UInt8], extendedData: ExtendedData = ExtendedData(),
        version: UInt8 = 0x10
    ) {
        header = HeraldPayloadHeader(version: version, country: country, state: state)
        self.identifier = identifier
        self.extendedData = extendedData
    }

    /// Reads a simple payload; nil when it is too short or its extended data are malformed.
    public init?(parsing bytes: [UInt8], order: PayloadByteOrder = .deployed) {
        var reader = ByteReader(bytes)
        guard bytes.count <= HeraldPayload.maximumBytes, let header = HeraldPayloadHeader(from: &reader, order: order),
            (0x10...0x17).contains(header.version), let identifier = reader.bytes(Self.identifierBytes),
            let extendedData = try? ExtendedData(parsing: Array(reader.rest()))
        else { return nil }
        self.header = header
        self.identifier = Array(identifier)
        self.extendedData = extendedData
    }

    /// Encodes the payload as on the wire.
    ///
    /// - Throws: `herald.payload.malformed` for an identifier of another length, `herald.payload.too-long`,
    ///   `herald.extended-data.wrong-length`.
    public func encoded(order: PayloadByteOrder = .deployed) throws(HeraldError) -> [UInt8] {
        guard identifier.count == Self.identifierBytes else {
            throw HeraldError(.payloadMalformed, "A contact identifier has 16 bytes, this one \(identifier.count).")
        }
        var bytes: [UInt8] = []
        header.append(to: &bytes, order: order)
        return try HeraldPayload.checked(bytes + identifier + extendedData.encoded())
    }
}
