import Bluetooth
import ByteCoding

/// Makes an advertising report of bluetoothd's properties of a device.
///
/// bluetoothd merges advertisement and scan response and takes them apart, so the data are put together anew: flags,
/// services, service data and manufacturer data, in this order and each in the order of UUIDs and numbers. With both in
/// one report they may be longer than the 31 bytes of one packet, never than 255.
enum BlueZAdvertisementReport {
    /// The properties that bluetoothd sends again when a device was heard, and only then.
    static let signs: Set<String> = ["RSSI", "ServiceData", "ManufacturerData", "AdvertisingFlags", "TxPower"]

    private static let maximumBytes = 255

    /// The report; nil when the properties do not even have an address.
    static func report(of device: [String: DBusValue]) -> AdvertisementReport? {
        guard let address = address(of: device) else { return nil }
        let rssi = device["RSSI"]?.number.flatMap { (-127...20).contains($0) ? $0 : nil }
        return AdvertisementReport(address: address, kind: .connectable, rssi: rssi, data: data(of: device))
    }

    /// The address of a device or an adapter.
    static func address(of properties: [String: DBusValue]) -> DeviceAddress? {
        guard let text = properties["Address"]?.text else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6, parts.allSatisfy({ $0.utf8.count == 2 }) else { return nil }
        guard let bytes = Hex.decode(parts.joined()) else { return nil }
        let value = UInt64(bigEndianBytes: bytes)
        return DeviceAddress(value: value, kind: properties["AddressType"]?.text == "random" ? .random : .public)
    }

    private static func data(of device: [String: DBusValue]) -> [UInt8] {
        var bytes: [UInt8] = []
        func add(_ structure: AdvertisingStructure) {
            guard structure.byteCount <= 256, bytes.count + structure.byteCount <= maximumBytes else { return }
            bytes += [UInt8(structure.value.count + 1), structure.kind.rawValue] + structure.value
        }
        if let flags = device["AdvertisingFlags"]?.byteArray?.first { add(.flags(flags)) }
        let services = (device["UUIDs"]?.texts ?? []).compactMap { BluetoothUUID($0) }.prefix(8)
        for group in [services.filter { $0.short != nil }, services.filter { $0.short == nil }] where !group.isEmpty {
            add(.services(Array(group), isComplete: false))
        }
        for (uuid, value) in serviceData(of: device) { add(.serviceData(uuid, value)) }
        for (company, value) in manufacturerData(of: device) { add(.manufacturerData(company: company, value)) }
        return bytes
    }

    private static func serviceData(of device: [String: DBusValue]) -> [(BluetoothUUID, [UInt8])] {
        (device["ServiceData"]?.properties ?? [:]).sorted { $0.key < $1.key }.compactMap { name, value in
            guard let uuid = BluetoothUUID(name), let bytes = value.byteArray else { return nil }
            return (uuid, bytes)
        }
    }

    private static func manufacturerData(of device: [String: DBusValue]) -> [(UInt16, [UInt8])] {
        (device["ManufacturerData"]?.entries ?? []).compactMap { entry -> (UInt16, [UInt8])? in
            guard let company = entry.key.number.flatMap({ UInt16(exactly: $0) }), let bytes = entry.value.byteArray
            else { return nil }
            return (company, bytes)
        }.sorted { $0.0 < $1.0 }
    }
}
