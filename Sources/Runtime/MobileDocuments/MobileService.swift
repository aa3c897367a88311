import Bluetooth
import MobileSession
import Radio

/// The service of a session as a peripheral serves and advertises it.
enum MobileService {
    /// Returns the service with its characteristics (ISO/IEC 18013-5, tables 11 and 12).
    ///
    /// State and Client2Server take writes with response too, which the standard recommends.
    static func definition(_ uuid: BluetoothUUID, in mode: MobileMode, ident: [UInt8]?) -> ServiceDefinition {
        let written: CharacteristicProperties = [.writeWithoutResponse, .write]
        let characteristics: [(MobileCharacteristic, CharacteristicProperties)] = [
            (.state, written.union(.notify)), (.clientToServer, written), (.serverToClient, .notify), (.ident, .read),
        ]
        return ServiceDefinition(
            uuid: uuid,
            characteristics: characteristics.compactMap { characteristic, properties in
                characteristic.uuid(in: mode).map {
                    CharacteristicDefinition(
                        uuid: $0, properties: properties,
                        initialValue: characteristic == .ident ? ident ?? [] : [],
                        hasClientConfiguration: properties.contains(.notify))
                }
            })
    }

    /// Returns the advertisement of a service: flags and the UUID in the advertising packet (clause 11.1.3.1).
    static func advertisement(of uuid: BluetoothUUID) -> Advertisement {
        // Flags and one UUID always fit into 31 bytes.
        let data = (try? AdvertisingData([.flags(0x06), .services([uuid])]).encoded()) ?? []
        return Advertisement(data: data, scanResponse: [])
    }
}
