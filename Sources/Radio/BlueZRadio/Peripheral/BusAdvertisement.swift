import Bluetooth
import Radio

/// An advertisement as bluetoothd wants it over D-Bus: taken apart into properties.
enum BusAdvertisement {
    /// The properties of an `LEAdvertisement1` object.
    ///
    /// bluetoothd makes the flags field itself. A scan response goes as a map from kinds to values, which versions
    /// before 5.80 do not know.
    ///
    /// - Throws: `unsupported` for data that cannot be taken apart, or a scan response that this version would leave
    /// out.
    static func properties(
        of advertisement: Advertisement, version: BluetoothdVersion?
    ) throws(RadioError) -> [(name: String, value: DBusValue)] {
        let response = try structures(advertisement.scanResponse)
        if !response.isEmpty, version.map({ $0 < .hasScanResponse }) ?? true {
            throw RadioError(
                .notPermitted,
                "A scan response needs the capability CAP_NET_ADMIN with bluetoothd \(version?.description ?? "of an unknown version") (from 5.80 on it does not); symbolon doctor --fix shows how."
            )
        }
        var properties: [(name: String, value: DBusValue)] = [
            ("Type", .string(advertisement.isConnectable ? "peripheral" : "broadcast"))
        ]
        if advertisement.isConnectable { properties.append(("Discoverable", .bool(true))) }
        let milliseconds =
            UInt32(clamping: advertisement.interval.components.seconds) * 1000
            + UInt32(clamping: advertisement.interval.components.attoseconds / 1_000_000_000_000_000)
        properties.append(("MinInterval", .uint32(milliseconds)))
        properties.append(("MaxInterval", .uint32(milliseconds)))
        try append(try structures(advertisement.data), to: &properties)
        if !response.isEmpty {
            properties.append(
                ("ScanResponseData", map(response.map { (.byte($0.kind.rawValue), .bytes($0.value)) }, "y")))
        }
        return properties
    }

    private static func structures(_ data: [UInt8]) throws(RadioError) -> [AdvertisingStructure] {
        var structures: [AdvertisingStructure] = []
        var rest = data[...]
        while let length = rest.first, length > 0 {
            guard rest.count > Int(length), length >= 1 else {
                throw RadioError(.unsupported, "bluetoothd takes well-formed advertising data only")
            }
            let field = rest.dropFirst().prefix(Int(length))
            structures.append(AdvertisingStructure(.init(rawValue: field[field.startIndex]), Array(field.dropFirst())))
            rest = rest.dropFirst(Int(length) + 1)
        }
        return structures
    }

    private static func append(
        _ structures: [AdvertisingStructure], to properties: inout [(name: String, value: DBusValue)]
    ) throws(RadioError) {
        var services: [String] = []
        var serviceData: [(DBusValue, DBusValue)] = []
        var manufacturerData: [(DBusValue, DBusValue)] = []
        var other: [(DBusValue, DBusValue)] = []
        for structure in structures {
            let value = structure.value
            switch structure.kind {
            case .flags: break
            case .completeServices16, .incompleteServices16:
                for start in stride(from: 0, to: value.count - value.count % 2, by: 2) {
                    if let uuid = BluetoothUUID(littleEndian: value[start..<start + 2]) {
                        services.append(uuid.description.lowercased())
                    }
                }
            case .completeServices128, .incompleteServices128:
                for start in stride(from: 0, to: value.count - value.count % 16, by: 16) {
                    if let uuid = BluetoothUUID(littleEndian: value[start..<start + 16]) {
                        services.append(uuid.description.lowercased())
                    }
                }
            case .serviceData16 where value.count >= 2:
                guard let uuid = BluetoothUUID(littleEndian: value.prefix(2)) else { continue }
                serviceData.append((.string(uuid.description.lowercased()), .bytes(Array(value.dropFirst(2)))))
            case .manufacturerData where value.count >= 2:
                let company = UInt16(value[0]) | UInt16(value[1]) << 8
                manufacturerData.append((.uint16(company), .bytes(Array(value.dropFirst(2)))))
            case .completeName: properties.append(("LocalName", .string(String(decoding: value, as: UTF8.self))))
            default: other.append((.byte(structure.kind.rawValue), .bytes(value)))
            }
        }
        if !services.isEmpty { properties.append(("ServiceUUIDs", .strings(services))) }
        if !serviceData.isEmpty { properties.append(("ServiceData", map(serviceData, "s"))) }
        if !manufacturerData.isEmpty { properties.append(("ManufacturerData", map(manufacturerData, "q"))) }
        if !other.isEmpty { properties.append(("Data", map(other, "y"))) }
    }

    private static func map(_ pairs: [(DBusValue, DBusValue)], _ key: String) -> DBusValue {
        .dictionary(key: key, value: "v", pairs.map { DBusValue.DBusDictionaryEntry($0.0, .variant($0.1)) })
    }
}
