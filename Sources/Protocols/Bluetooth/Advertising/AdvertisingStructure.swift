import ByteCoding

/// One structure of advertising data: a type and a value.
///
/// On the wire: length (1 + value count), type, value. Source: Core Specification 5.3, Vol 3 Part C §11, and its
/// Supplement, Part A §1.
public struct AdvertisingStructure: Hashable, Sendable {
    /// The AD type of a structure: the number that gives its value a meaning.
    public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The AD type as a byte on the wire.
        public let rawValue: UInt8

        /// Makes an AD type from the byte on the wire.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The AD type of flags: discoverability and supported radio modes.
        public static let flags = Kind(rawValue: 0x01)
        /// The AD type of an incomplete list of 16-bit service UUIDs.
        public static let incompleteServices16 = Kind(rawValue: 0x02)
        /// The AD type of the complete list of 16-bit service UUIDs.
        public static let completeServices16 = Kind(rawValue: 0x03)
        /// The AD type of an incomplete list of 32-bit service UUIDs.
        public static let incompleteServices32 = Kind(rawValue: 0x04)
        /// The AD type of the complete list of 32-bit service UUIDs.
        public static let completeServices32 = Kind(rawValue: 0x05)
        /// The AD type of an incomplete list of 128-bit service UUIDs.
        public static let incompleteServices128 = Kind(rawValue: 0x06)
        /// The AD type of the complete list of 128-bit service UUIDs.
        public static let completeServices128 = Kind(rawValue: 0x07)
        /// The AD type of a shortened local name.
        public static let shortenedName = Kind(rawValue: 0x08)
        /// The AD type of the complete local name.
        public static let completeName = Kind(rawValue: 0x09)
        /// The AD type of the transmit power in dBm.
        public static let transmitPower = Kind(rawValue: 0x0A)
        /// The AD type of service data after a 16-bit UUID.
        public static let serviceData16 = Kind(rawValue: 0x16)
        /// The AD type of service data after a 32-bit UUID.
        public static let serviceData32 = Kind(rawValue: 0x20)
        /// The AD type of service data after a 128-bit UUID.
        public static let serviceData128 = Kind(rawValue: 0x21)
        /// The AD type of manufacturer data: a company's number and its bytes.
        public static let manufacturerData = Kind(rawValue: 0xFF)

        private static let names: [UInt8: String] = [
            0x01: "Flags", 0x02: "Incomplete List of 16-bit Service UUIDs",
            0x03: "Complete List of 16-bit Service UUIDs", 0x04: "Incomplete List of 32-bit Service UUIDs",
            0x05: "Complete List of 32-bit Service UUIDs", 0x06: "Incomplete List of 128-bit Service UUIDs",
            0x07: "Complete List of 128-bit Service UUIDs", 0x08: "Shortened Local Name",
            0x09: "Complete Local Name", 0x0A: "Tx Power Level", 0x16: "Service Data, 16-bit UUID",
            0x20: "Service Data, 32-bit UUID", 0x21: "Service Data, 128-bit UUID",
            0xFF: "Manufacturer Specific Data",
        ]

        /// The name of the AD type in the specification, or its number where there is no name here.
        public var description: String { Self.names[rawValue] ?? "Type 0x" + Hex.encode([rawValue]) }
    }

    /// The AD type of the structure, which gives the value its meaning.
    public var kind: Kind

    /// The value of the structure: 0 to 254 bytes.
    public var value: [UInt8]

    /// Makes a structure; its size is checked only when it is written.
    public init(_ kind: Kind, _ value: [UInt8]) {
        self.kind = kind
        self.value = value
    }

    /// The number of bytes that the structure takes on the wire, length and type included.
    public var byteCount: Int { value.count + 2 }
}

// MARK: - Making structures

extension AdvertisingStructure {
    /// Makes the structure of flags; 0x06 is "general discoverable, no BR/EDR".
    public static func flags(_ bits: UInt8) -> AdvertisingStructure { .init(.flags, [bits]) }

    /// Makes the structure of a list of service UUIDs: 16-bit when all have that form, else 128-bit.
    public static func services(_ uuids: [BluetoothUUID], isComplete: Bool = true) -> AdvertisingStructure {
        if uuids.allSatisfy({ $0.short != nil }) {
            return .init(isComplete ? .completeServices16 : .incompleteServices16, uuids.flatMap(\.littleEndian))
        }
        return .init(
            isComplete ? .completeServices128 : .incompleteServices128, uuids.flatMap { $0.bytes.reversed() })
    }

    /// Makes the structure of service data, with the 16-bit form of the UUID when it has one, else the 128-bit form.
    public static func serviceData(_ uuid: BluetoothUUID, _ data: [UInt8]) -> AdvertisingStructure {
        .init(uuid.short == nil ? .serviceData128 : .serviceData16, uuid.littleEndian + data)
    }

    /// Makes the structure of manufacturer data.
    public static func manufacturerData(company: UInt16, _ data: [UInt8]) -> AdvertisingStructure {
        .init(.manufacturerData, [UInt8(truncatingIfNeeded: company), UInt8(company >> 8)] + data)
    }

    /// Makes the structure of the device's name in UTF-8, or of its beginning.
    public static func localName(_ name: String, isComplete: Bool = true) -> AdvertisingStructure {
        .init(isComplete ? .completeName : .shortenedName, Array(name.utf8))
    }

    /// Makes the structure of the transmit power in dBm.
    public static func transmitPower(_ dBm: Int8) -> AdvertisingStructure {
        .init(.transmitPower, [UInt8(bitPattern: dBm)])
    }
}

extension AdvertisingStructure.Kind {
    /// The size of the UUIDs in a list of services; nil for other kinds.
    var listedUUIDBytes: Int? {
        switch self {
        case .incompleteServices16, .completeServices16: 2
        case .incompleteServices32, .completeServices32: 4
        case .incompleteServices128, .completeServices128: 16
        default: nil
        }
    }

    /// The size of the UUID before service data; nil for other kinds.
    var dataUUIDBytes: Int? {
        switch self {
        case .serviceData16: 2
        case .serviceData32: 4
        case .serviceData128: 16
        default: nil
        }
    }
}
