import Bluetooth
import Radio

/// The data that an app may advertise on Apple's systems: services, and a name.
struct SystemAdvertisement: Hashable, Sendable {
    var services: [BluetoothUUID] = []
    var name: String?

    init(services: [BluetoothUUID], name: String? = nil) {
        self.services = services
        self.name = name
    }

    /// Takes the parts of an advertisement that the system lets an app advertise.
    ///
    /// Flags and the transmit power are the system's own, and are left out. Interval and data length are its decision.
    ///
    /// - Throws: `tooLarge` when either data has more than 31 bytes; `unsupported` for what the system has no way to
    ///   say: service data, manufacturer data, a scan response, and advertising without connections.
    init(_ advertisement: Advertisement) throws(RadioError) {
        guard advertisement.data.count <= 31, advertisement.scanResponse.count <= 31 else {
            throw RadioError(.tooLarge, "advertising data and scan response have at most 31 bytes each")
        }
        guard advertisement.scanResponse.isEmpty else { throw Self.refusal(of: "a scan response") }
        guard advertisement.isConnectable else { throw Self.refusal(of: "advertising without connections") }
        let data = AdvertisingData(parsing: advertisement.data)
        guard data.serviceData.isEmpty else { throw Self.refusal(of: "service data") }
        guard data.manufacturerData.isEmpty else { throw Self.refusal(of: "manufacturer data") }
        services = data.serviceUUIDs
        name = data.localName
    }

    /// Returns true when both have the same services, in any order, and the same name.
    func saysTheSame(as other: SystemAdvertisement) -> Bool {
        Set(services) == Set(other.services) && name == other.name
    }

    private static func refusal(of part: String) -> RadioError {
        RadioError(.unsupported, "Apple's systems let an app advertise services and a name, and not \(part).")
    }
}
