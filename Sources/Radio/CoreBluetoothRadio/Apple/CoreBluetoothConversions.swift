#if CORE_BLUETOOTH
    import Bluetooth
    import CoreBluetooth
    import Foundation
    import Radio

    extension BluetoothUUID {
        /// Converts a UUID of Core Bluetooth; nil for a length that no UUID has, which the system does not give.
        init?(_ uuid: CBUUID) { self.init(littleEndian: uuid.data.reversed()) }

        var system: CBUUID { CBUUID(data: Data(littleEndian.reversed())) }
    }

    extension DeviceAddress {
        init(_ identifier: UUID) {
            self.init(systemIdentifier: withUnsafeBytes(of: identifier.uuid) { Array($0) })
        }
    }

    extension BluetoothSystemState {
        init(_ state: CBManagerState) {
            self =
                switch state {
                case .resetting: .resetting
                case .unsupported: .unsupported
                case .unauthorized: .unauthorized
                case .poweredOff: .off
                case .poweredOn: .on
                case .unknown: .unknown
                @unknown default: .unknown
                }
        }
    }

    extension DisconnectReason {
        init(_ error: (any Error)?) {
            guard let error else {
                self = .local
                return
            }
            self =
                switch (error as? CBError)?.code {
                case .connectionTimeout: .supervisionTimeout
                case .connectionFailed: .notEstablished
                case .peripheralDisconnected: .peer
                default: .protocolFailure
                }
        }
    }

    extension LinkOperationQueue.LinkRequestError {
        init(_ error: any Error) {
            if let error = error as? CBATTError {
                self = .att(UInt8(truncatingIfNeeded: error.code.rawValue))
            } else if let error = error as? CBError {
                self =
                    switch error.code {
                    case .notConnected, .peripheralDisconnected, .connectionTimeout: .disconnected
                    case .uuidNotAllowed: .notAllowed
                    default: .other("Core Bluetooth failed with \(error.code.rawValue)")
                    }
            } else {
                self = .other("\(error)")
            }
        }
    }

    extension HeardAdvertisement {
        init(_ data: [String: Any]) {
            func uuids(_ key: String) -> [BluetoothUUID] {
                (data[key] as? [CBUUID] ?? []).compactMap { BluetoothUUID($0) }
            }
            name = data[CBAdvertisementDataLocalNameKey] as? String
            manufacturerData = (data[CBAdvertisementDataManufacturerDataKey] as? Data).map { [UInt8]($0) }
            services = uuids(CBAdvertisementDataServiceUUIDsKey)
            overflowServices = uuids(CBAdvertisementDataOverflowServiceUUIDsKey)
            for (uuid, bytes) in data[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] ?? [:] {
                if let uuid = BluetoothUUID(uuid) { serviceData[uuid] = [UInt8](bytes) }
            }
            transmitPower = (data[CBAdvertisementDataTxPowerLevelKey] as? NSNumber)?.intValue
            isConnectable = (data[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue ?? true
        }
    }

    extension SystemAdvertisement {
        /// Reads the data that the system advertised for the app; nil when there is none.
        init?(_ data: [String: Any]) {
            let heard = HeardAdvertisement(data)
            guard !heard.services.isEmpty || heard.name != nil else { return nil }
            self.init(services: heard.services, name: heard.name)
        }

        var system: [String: Any] {
            var data: [String: Any] = [CBAdvertisementDataServiceUUIDsKey: services.map(\.system)]
            if let name { data[CBAdvertisementDataLocalNameKey] = name }
            return data
        }
    }

    extension CharacteristicDefinition {
        /// The characteristic for Core Bluetooth, without a value of its own, so that each read comes to this app.
        var system: CBMutableCharacteristic {
            var permissions: CBAttributePermissions = []
            if properties.contains(.read) { permissions.insert(.readable) }
            if !properties.isDisjoint(with: [.write, .writeWithoutResponse]) { permissions.insert(.writeable) }
            return CBMutableCharacteristic(
                type: uuid.system, properties: CBCharacteristicProperties(rawValue: UInt(properties.rawValue)),
                value: nil, permissions: permissions)
        }
    }
#endif
