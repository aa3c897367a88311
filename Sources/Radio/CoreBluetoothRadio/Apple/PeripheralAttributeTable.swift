#if CORE_BLUETOOTH
    import Bluetooth
    import CoreBluetooth
    import Radio

    /// The attributes of one connected peripheral, numbered in the order in which they were found.
    struct PeripheralAttributeTable {
        private var services: [CBService] = []
        private var characteristics: [CBCharacteristic] = []

        mutating func number(of service: CBService) -> UInt16 {
            Self.number(of: service, in: &services)
        }

        mutating func number(of characteristic: CBCharacteristic) -> UInt16 {
            Self.number(of: characteristic, in: &characteristics)
        }

        func service(_ number: UInt16) -> CBService? {
            services.indices.contains(Int(number) - 1) ? services[Int(number) - 1] : nil
        }

        func characteristic(_ number: UInt16) -> CBCharacteristic? {
            characteristics.indices.contains(Int(number) - 1) ? characteristics[Int(number) - 1] : nil
        }

        mutating func remote(_ service: CBService) -> RemoteService? {
            guard let uuid = BluetoothUUID(service.uuid) else { return nil }
            let number = number(of: service)
            return RemoteService(uuid: uuid, startHandle: number, endHandle: number)
        }

        mutating func remote(_ characteristic: CBCharacteristic) -> RemoteCharacteristic? {
            guard let uuid = BluetoothUUID(characteristic.uuid) else { return nil }
            let properties = UInt8(truncatingIfNeeded: characteristic.properties.rawValue)
            return RemoteCharacteristic(
                uuid: uuid, properties: CharacteristicProperties(rawValue: properties),
                valueHandle: number(of: characteristic))
        }

        private static func number<Item: AnyObject>(of item: Item, in items: inout [Item]) -> UInt16 {
            if let index = items.firstIndex(where: { $0 === item }) { return UInt16(index + 1) }
            guard items.count < Int(UInt16.max) else { return 0 }
            items.append(item)
            return UInt16(items.count)
        }
    }
#endif
