import Bluetooth
public import Foundation

public struct CBCharacteristicProperties: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let broadcast = CBCharacteristicProperties(rawValue: 0x01)
    public static let read = CBCharacteristicProperties(rawValue: 0x02)
    public static let writeWithoutResponse = CBCharacteristicProperties(rawValue: 0x04)
    public static let write = CBCharacteristicProperties(rawValue: 0x08)
    public static let notify = CBCharacteristicProperties(rawValue: 0x10)
    public static let indicate = CBCharacteristicProperties(rawValue: 0x20)
}

public struct CBAttributePermissions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let readable = CBAttributePermissions(rawValue: 0x01)
    public static let writeable = CBAttributePermissions(rawValue: 0x02)
}

public enum CBCharacteristicWriteType: Int, Sendable {
    case withResponse = 0
    case withoutResponse = 1
}

open class CBAttribute: NSObject {
    public let uuid: CBUUID

    init(_ uuid: CBUUID) { self.uuid = uuid }
}

open class CBService: CBAttribute {
    public internal(set) weak var peripheral: CBPeripheral?
    public let isPrimary: Bool
    open var characteristics: [CBCharacteristic]? {
        get { found }
        set { found = newValue }
    }

    var found: [CBCharacteristic]?
    /// The service as a client found it; nil for one that is published.
    var remote: RemoteService?

    init(_ uuid: CBUUID, isPrimary: Bool) {
        self.isPrimary = isPrimary
        super.init(uuid)
    }
}

public final class CBMutableService: CBService {
    public init(type UUID: CBUUID, primary isPrimary: Bool) { super.init(UUID, isPrimary: isPrimary) }
}

open class CBCharacteristic: CBAttribute {
    public internal(set) weak var service: CBService?
    public let properties: CBCharacteristicProperties
    public internal(set) var value: Data?
    public internal(set) var isNotifying = false
    /// The characteristic as a client found it; nil for one that is published.
    var remote: RemoteCharacteristic?

    init(_ uuid: CBUUID, _ properties: CBCharacteristicProperties, _ value: Data?) {
        self.properties = properties
        self.value = value
        super.init(uuid)
    }
}

public final class CBMutableCharacteristic: CBCharacteristic {
    public let permissions: CBAttributePermissions
    public internal(set) var subscribedCentrals: [CBCentral]?

    public init(
        type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?, permissions: CBAttributePermissions
    ) {
        // A value that is given is cached, and can be read alone.
        self.permissions = value == nil ? permissions : .readable
        super.init(UUID, value == nil ? properties : .read, value)
    }
}

open class CBPeer: NSObject {
    public let identifier: UUID

    init(_ identifier: UUID) { self.identifier = identifier }
}

public final class CBCentral: CBPeer {
    public internal(set) var maximumUpdateValueLength = 20
    let link: LinkID

    init(_ identifier: UUID, _ link: LinkID) {
        self.link = link
        super.init(identifier)
    }
}

public final class CBATTRequest: NSObject {
    public let central: CBCentral
    public let characteristic: CBCharacteristic
    public let offset: Int
    public var value: Data?

    init(_ central: CBCentral, _ characteristic: CBCharacteristic, offset: Int, value: Data?) {
        self.central = central
        self.characteristic = characteristic
        self.offset = offset
        self.value = value
    }
}
