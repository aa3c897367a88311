import ByteCoding

/// The payload of a beacon, which identifies a place.
///
/// Layout: header, location code (four bytes), extended data: 9 bytes and more. Source: Herald beacon payload.
public struct BeaconPayload: Hashable, Sendable {
    /// The version, country and state of the beacon's payload.
    public var header: HeraldPayloadHeader
    /// The location code of the place, assigned by the country.
    public var locationCode: UInt32
    /// The extended data of the payload.
    public var extendedData: ExtendedData

    /// Makes a beacon payload from its parts.
    public init(
        country: UInt16, state: UInt16, locationCode: UInt32, extendedData: ExtendedData = ExtendedData(),
        version: UInt8 = 0x30
    ) {
        header = HeraldPayloadHeader(version: version, country: country, state: state)
        self.locationCode = locationCode
        self.extendedData = extendedData
    }

    /// Reads a beacon payload; nil when it is too short or its extended data are malformed.
    public init?(parsing bytes: [UInt8], order: PayloadByteOrder = .deployed) {
        var reader = ByteReader(bytes)
        guard bytes.count <= HeraldPayload.maximumBytes, let header = HeraldPayloadHeader(from: &reader, order: order),
            (0x30...0x37).contains(header.version), let code = order.read(UInt32.self, from: &reader),
            let extendedData = try? ExtendedData(parsing: Array(reader.rest()))
        else { return nil }
        self.header = header
        locationCode = code
        self.extendedData = extendedData
    }

    /// Encodes the payload as on the wire.
    ///
    /// - Throws: `herald.payload.too-long`, `herald.extended-data.wrong-length`.
    public func encoded(order: PayloadByteOrder = .deployed) throws(HeraldError) -> [UInt8] {
        var bytes: [UInt8] = []
        header.append(to: &bytes, order: order)
        order.append(locationCode, to: &bytes)
        return try HeraldPayload.checked(bytes + extendedData.encoded())
    }
}
