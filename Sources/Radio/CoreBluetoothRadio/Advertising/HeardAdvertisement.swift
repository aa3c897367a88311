public import Bluetooth
import ByteCoding

/// The parts of an advertisement that Core Bluetooth reports, merged with the scan response, without their order.
struct HeardAdvertisement: Hashable, Sendable {
    var name: String?
    var manufacturerData: [UInt8]?
    var serviceData: [BluetoothUUID: [UInt8]] = [:]
    var services: [BluetoothUUID] = []
    /// Services that an app in the background has; the system recognised them because the scan named them.
    var overflowServices: [BluetoothUUID] = []
    var transmitPower: Int?
    var isConnectable = true

    /// The parts as one report, in a fixed order; it may be longer than an advertisement on the air.
    func report(from address: DeviceAddress, rssi: Int?) -> AdvertisementReport {
        var structures: [AdvertisingStructure] = []
        let listed = services + overflowServices.filter { !services.contains($0) }
        let short = listed.filter { $0.short != nil }
        let long = listed.filter { $0.short == nil }
        if !short.isEmpty { structures.append(.services(short)) }
        if !long.isEmpty { structures.append(.services(long)) }
        let data = serviceData.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
        structures += data.map { AdvertisingStructure.serviceData($0.key, $0.value) }
        if let manufacturerData { structures.append(AdvertisingStructure(.manufacturerData, manufacturerData)) }
        if let transmitPower { structures.append(.transmitPower(Int8(clamping: transmitPower))) }
        if let name { structures.append(.localName(name)) }
        let bytes = structures.filter { $0.value.count <= 254 }.flatMap { structure in
            [UInt8(structure.value.count + 1), structure.kind.rawValue] + structure.value
        }
        return AdvertisementReport(
            address: address, kind: isConnectable ? .connectable : .broadcast, rssi: rssi, data: bytes)
    }
}

extension DeviceAddress {
    /// The address made of a device's identifier, where the system gives no address: the first 46 bits of it.
    ///
    /// It means something on this device only, and is not the one that is on the air.
    public init(systemIdentifier bytes: some Collection<UInt8>) {
        self.init(staticRandom: UInt64(bigEndianBytes: bytes.prefix(6)))
    }
}
