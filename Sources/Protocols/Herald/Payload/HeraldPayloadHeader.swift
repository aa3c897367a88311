import ByteCoding

/// The beginning of every payload that follows the payload specifications.
///
/// Layout: version (one byte), country (two bytes, ISO 3166 numeric), state (two bytes).
public struct HeraldPayloadHeader: Hashable, Sendable {
    /// The number of bytes of a payload header: 5.
    public static let byteCount = 5

    /// The type and version of the payload.
    public var version: UInt8
    /// The country of the payload, as an ISO 3166 numeric code.
    public var country: UInt16
    /// The state of the payload, numbered by the country.
    public var state: UInt16

    /// Makes a payload header from its parts.
    public init(version: UInt8, country: UInt16, state: UInt16) {
        self.version = version
        self.country = country
        self.state = state
    }

    func append(to bytes: inout [UInt8], order: PayloadByteOrder) {
        bytes.append(version)
        order.append(country, to: &bytes)
        order.append(state, to: &bytes)
    }

    init?(from reader: inout ByteReader, order: PayloadByteOrder) {
        guard let version = reader.byte(), let country = order.read(UInt16.self, from: &reader),
            let state = order.read(UInt16.self, from: &reader)
        else { return nil }
        self.init(version: version, country: country, state: state)
    }
}
