import ByteCoding

/// One report of a controller about extended advertising: a whole advertisement, or a part of its data.
///
/// On the wire, little endian: event type (16 bits), address type, address, primary PHY, secondary PHY, set, transmit
/// power, signal strength, periodic interval (16 bits), address type and address of the target, count of data, data
/// (0 to 229 bytes). Source: Core Specification 5.3, Vol 4 Part E §7.7.65.13.
public struct ExtendedAdvertisingReport: Hashable, Sendable {
    /// The completeness of the data in one extended advertising report.
    public enum DataStatus: UInt16, Hashable, Sendable {
        /// The report has all data of the advertisement, or their last part.
        case complete = 0
        /// More data of the advertisement follow in another report.
        case moreToCome = 1
        /// The controller did not receive the rest of the data.
        case truncated = 2
    }

    /// The device that sent the advertisement; nil when it is anonymous.
    public var address: DeviceAddress?
    /// The kind of packet received; directed advertising counts by whether it is connectable.
    public var kind: AdvertisementReport.Kind
    /// True when the packet was of legacy advertising.
    public var isLegacy: Bool
    /// The completeness of `data`.
    public var status: DataStatus
    /// The number of the advertising set, 0 to 15; nil when the packet had none.
    public var setID: UInt8?
    /// The transmit power in dBm, −127 to 20; nil when the packet does not contain it.
    public var transmitPower: Int8?
    /// The signal strength in dBm, −127 to 20; nil when the radio did not report it.
    public var rssi: Int?
    /// The advertising data in this report: 0 to 229 bytes.
    public var data: [UInt8]

    /// Makes a report from its parts.
    public init(
        address: DeviceAddress?, kind: AdvertisementReport.Kind, isLegacy: Bool = false,
        status: DataStatus = .complete, setID: UInt8? = nil, transmitPower: Int8? = nil, rssi: Int?, data: [UInt8]
    ) {
        self.address = address
        self.kind = kind
        self.isLegacy = isLegacy
        self.status = status
        self.setID = setID
        self.transmitPower = transmitPower
        self.rssi = rssi
        self.data = data
    }

    /// Reads one report of an HCI event; nil when it is cut off, or its status is reserved.
    init?(_ reader: inout ByteReader) {
        guard let type = reader.littleEndian(UInt16.self), let status = DataStatus(rawValue: type >> 5 & 3),
            let addressKind = reader.byte(), let wire = reader.bytes(6), reader.bytes(2) != nil,
            let set = reader.byte(), let power = reader.byte(), let strength = reader.byte(),
            reader.bytes(9) != nil, let count = reader.byte(), let data = reader.bytes(Int(count))
        else { return nil }
        self.init(
            address: addressKind == 0xFF
                ? nil : DeviceAddress(littleEndian: wire, kind: addressKind & 1 == 0 ? .public : .random),
            kind: type & 8 != 0
                ? .scanResponse : type & 1 != 0 ? .connectable : type & 2 != 0 ? .scannable : .broadcast,
            isLegacy: type & 16 != 0, status: status, setID: set > 15 ? nil : set,
            transmitPower: power == 127 ? nil : Int8(bitPattern: power),
            rssi: strength == 127 ? nil : Int(Int8(bitPattern: strength)), data: Array(data))
    }

    /// The parameters of the HCI event that reports this; the PHYs are 1M, without target and periodic advertising.
    var parameters: [UInt8] {
        let properties: UInt16 =
            switch kind {
            case .connectable: isLegacy ? 3 : 1
            case .scannable: 2
            case .broadcast: 0
            case .scanResponse: isLegacy ? 10 : 8
            }
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(properties | (isLegacy ? 16 : 0) | status.rawValue << 5)
        bytes += [address?.kind.rawValue ?? 0xFF] + (address?.littleEndian ?? [UInt8](repeating: 0, count: 6))
        bytes += [1, isLegacy ? 0 : 1, setID ?? 0xFF, UInt8(bitPattern: transmitPower ?? 127)]
        bytes += [UInt8(bitPattern: Int8(clamping: rssi ?? 127))] + [UInt8](repeating: 0, count: 9)
        return bytes + [UInt8(truncatingIfNeeded: data.count)] + data
    }
}

/// An extended advertisement, reassembled from the reports or packets with its data.
public struct ExtendedAdvertisement: Hashable, Sendable {
    /// The most bytes of data that extended advertising carries.
    public static let maximumBytes = 1650

    /// The sending device; nil when it is anonymous, or when the packet that names the device was not recorded.
    public var address: DeviceAddress?
    /// The kind of packet received, as in a legacy advertisement report.
    public var kind: AdvertisementReport.Kind
    /// The number of the advertising set, 0 to 15; nil when the packet had none.
    public var setID: UInt8?
    /// The transmit power in dBm; nil when the packet does not contain it.
    public var transmitPower: Int8?
    /// The signal strength in dBm of the first part; nil when the radio did not report it.
    public var rssi: Int?
    /// The advertising data, 0 to 1,650 bytes; not checked: parse them with `AdvertisingData`.
    public var data: [UInt8]
    /// The number of reports or packets that carried the data.
    public var partCount = 1
    /// True when the end of the data is missing.
    public var isTruncated = false

    /// Makes an extended advertisement of one part.
    public init(
        address: DeviceAddress?, kind: AdvertisementReport.Kind, setID: UInt8? = nil, transmitPower: Int8? = nil,
        rssi: Int?, data: [UInt8]
    ) {
        self.address = address
        self.kind = kind
        self.setID = setID
        self.transmitPower = transmitPower
        self.rssi = rssi
        self.data = data
    }
}
