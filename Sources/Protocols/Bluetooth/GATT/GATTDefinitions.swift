/// The operations that a characteristic permits: the properties byte of its declaration.
///
/// Source: Core Specification 5.3, Vol 3 Part G §3.3.1.1.
public struct CharacteristicProperties: OptionSet, Hashable, Sendable {
    /// The properties as the byte of a characteristic declaration.
    public let rawValue: UInt8

    /// Makes properties from the byte of a declaration.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The value may be read.
    public static let read = CharacteristicProperties(rawValue: 0x02)
    /// The value may be written without response.
    public static let writeWithoutResponse = CharacteristicProperties(rawValue: 0x04)
    /// The value may be written with response.
    public static let write = CharacteristicProperties(rawValue: 0x08)
    /// The value may be notified.
    public static let notify = CharacteristicProperties(rawValue: 0x10)
    /// The value may be indicated.
    public static let indicate = CharacteristicProperties(rawValue: 0x20)
}

/// A characteristic as a server publishes it.
public struct CharacteristicDefinition: Hashable, Sendable {
    /// The UUID of the characteristic.
    public var uuid: BluetoothUUID
    /// The properties in the characteristic's declaration; the server refuses requests that they do not permit.
    public var properties: CharacteristicProperties
    /// The value that reads return until `setValue` replaces it; at most 512 bytes.
    public var initialValue: [UInt8]
    /// True when a client configuration descriptor (0x2902) is published with the characteristic.
    public var hasClientConfiguration: Bool
    /// True when the application answers each read of the value; false when reads return the stored value.
    public var passesReadsOn: Bool

    /// Makes a characteristic definition from its parts.
    public init(
        uuid: BluetoothUUID, properties: CharacteristicProperties, initialValue: [UInt8] = [],
        hasClientConfiguration: Bool = false, passesReadsOn: Bool = false
    ) {
        self.uuid = uuid
        self.properties = properties
        self.initialValue = initialValue
        self.hasClientConfiguration = hasClientConfiguration
        self.passesReadsOn = passesReadsOn
    }
}

/// A primary service as a server publishes it.
public struct ServiceDefinition: Hashable, Sendable {
    /// The UUID of the service.
    public var uuid: BluetoothUUID
    /// The characteristics of the service, in the order of their handles.
    public var characteristics: [CharacteristicDefinition]

    /// Makes a service definition from its parts.
    public init(uuid: BluetoothUUID, characteristics: [CharacteristicDefinition]) {
        self.uuid = uuid
        self.characteristics = characteristics
    }
}

/// A primary service that a client discovered on a server.
public struct RemoteService: Hashable, Sendable {
    /// The UUID of the discovered service.
    public var uuid: BluetoothUUID
    /// The handle of the service's declaration.
    public var startHandle: UInt16
    /// The last attribute handle of the service.
    public var endHandle: UInt16

    /// Makes a remote service from its parts.
    public init(uuid: BluetoothUUID, startHandle: UInt16, endHandle: UInt16) {
        self.uuid = uuid
        self.startHandle = startHandle
        self.endHandle = endHandle
    }
}

/// A characteristic that a client discovered on a server.
public struct RemoteCharacteristic: Hashable, Sendable {
    /// The UUID of the discovered characteristic.
    public var uuid: BluetoothUUID
    /// The properties in the characteristic's declaration.
    public var properties: CharacteristicProperties
    /// The handle of the characteristic's value.
    public var valueHandle: UInt16
    /// The handle of the characteristic's client configuration descriptor, if it has one.
    public var clientConfigurationHandle: UInt16?

    /// Makes a remote characteristic from its parts.
    public init(
        uuid: BluetoothUUID, properties: CharacteristicProperties, valueHandle: UInt16,
        clientConfigurationHandle: UInt16? = nil
    ) {
        self.uuid = uuid
        self.properties = properties
        self.valueHandle = valueHandle
        self.clientConfigurationHandle = clientConfigurationHandle
    }

    /// Reads the value of a characteristic declaration: properties, value handle, UUID of 2 or 16 bytes.
    init?(declaration value: [UInt8]) {
        guard value.count == 5 || value.count == 19, let uuid = BluetoothUUID(littleEndian: value[3...]) else {
            return nil
        }
        self.init(
            uuid: uuid, properties: CharacteristicProperties(rawValue: value[0]),
            valueHandle: UInt16(value[1]) | UInt16(value[2]) << 8)
    }
}
