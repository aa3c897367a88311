import ByteCoding

/// One advertisement or scan response that a scanner received.
public struct AdvertisementReport: Hashable, Sendable {
    /// The kind of packet received: an advertisement, or the answer to a scan request.
    public enum Kind: UInt8, Hashable, Sendable {
        /// Connectable and scannable undirected advertising (ADV_IND).
        case connectable = 0
        /// Scannable but not connectable (ADV_SCAN_IND).
        case scannable = 2
        /// An advertisement that allows neither connections nor scan requests (ADV_NONCONN_IND).
        case broadcast = 3
        /// The scan response (SCAN_RSP).
        case scanResponse = 4
    }

    /// The device that sent the packet.
    public var address: DeviceAddress

    /// The kind of packet received: one of three kinds of advertisement, or a scan response.
    ///
    /// A back end that merges advertisement and scan response reports `connectable`.
    public var kind: Kind

    /// The signal strength in dBm, −127 to 20; nil when the radio did not report it.
    public var rssi: Int?

    /// The advertising data, 0 to 31 bytes: structures of length, type, value.
    ///
    /// Not checked: parse it with `AdvertisingData`.
    public var data: [UInt8]

    /// Makes an advertisement report from its parts.
    public init(address: DeviceAddress, kind: Kind, rssi: Int?, data: [UInt8]) {
        self.address = address
        self.kind = kind
        self.rssi = rssi
        self.data = data
    }

    /// Reads one report of an HCI advertising event; directed advertising counts as connectable.
    init?(_ reader: inout ByteReader) {
        guard let type = reader.byte(), let kind = Kind(rawValue: type == 1 ? 0 : type),
            let addressKind = reader.byte(), let wire = reader.bytes(6),
            let address = DeviceAddress(littleEndian: wire, kind: addressKind & 1 == 0 ? .public : .random),
            let count = reader.byte(), let data = reader.bytes(Int(count)), let rssi = reader.byte()
        else { return nil }
        let strength = Int(Int8(bitPattern: rssi))
        self.init(address: address, kind: kind, rssi: strength == 127 ? nil : strength, data: Array(data))
    }

    /// The parameters of the HCI event that reports this advertisement.
    var parameters: [UInt8] {
        [kind.rawValue, address.kind.rawValue] + address.littleEndian + [UInt8(data.count)] + data
            + [UInt8(bitPattern: Int8(clamping: rssi ?? 127))]
    }
}
