/// The attributes that a GATT server publishes, with the values that reads return.
///
/// The layout is decided by the definitions alone: handles are dense from 1; first Generic Access (0x1800, with an
/// empty device name and appearance 0, because a name would make the device recognisable), then Generic Attribute
/// (0x1801, without characteristics, because the layout never changes while a link is up), then the services in their
/// order: declaration, and for each characteristic its declaration, its value and, if asked for, its client
/// configuration descriptor. A value: copies given to the servers of several links share their storage.
///
/// Source: Core Specification 5.3, Vol 3 Part G §3, Part C §12.
public struct GATTDatabase: Hashable, Sendable {
    /// The most attributes of one database.
    public static let maximumAttributes = 1024

    struct Attribute: Hashable, Sendable {
        enum Content: Hashable, Sendable {
            /// The declaration of a primary service, with its last handle.
            case service(BluetoothUUID, end: UInt16)
            /// The declaration of the characteristic with this index.
            case declaration(Int)
            /// The value of the characteristic with this index.
            case value(Int)
            /// The client configuration of the characteristic with this index.
            case clientConfiguration(Int)
        }

        let handle: UInt16
        let type: BluetoothUUID
        let content: Content
    }

    struct Characteristic: Hashable, Sendable {
        let uuid: BluetoothUUID
        let properties: CharacteristicProperties
        let valueHandle: UInt16
        let passesReadsOn: Bool
    }

    /// The attributes in the order of their handles: handle h is at index h − 1.
    private(set) var attributes: [Attribute] = []
    private(set) var characteristics: [Characteristic] = []
    private var values: [[UInt8]] = []

    /// Makes a database of Generic Access, Generic Attribute and then `services`.
    ///
    /// - Throws: `tooLarge` when there are more than `maximumAttributes` attributes, or an initial value is longer than
    ///   512 bytes.
    public init(_ services: [ServiceDefinition]) throws(GATTError) {
        let count = services.reduce(0) { sum, service in
            service.characteristics.reduce(sum + 1) { $0 + ($1.hasClientConfiguration ? 3 : 2) }
        }
        guard count + 6 <= Self.maximumAttributes else {
            throw GATTError(.tooLarge, "a database holds at most \(Self.maximumAttributes) attributes")
        }
        for service in [Self.genericAccess, Self.genericAttribute] + services { try append(service) }
    }

    private static let genericAccess = ServiceDefinition(
        uuid: .genericAccess,
        characteristics: [
            CharacteristicDefinition(uuid: .deviceName, properties: .read),
            CharacteristicDefinition(uuid: .appearance, properties: .read, initialValue: [0, 0]),
        ])

    private static let genericAttribute = ServiceDefinition(uuid: .genericAttribute, characteristics: [])

    private mutating func append(_ service: ServiceDefinition) throws(GATTError) {
        let declaration = attributes.count
        append(type: .primaryService, .service(service.uuid, end: 0))
        for definition in service.characteristics {
            let index = characteristics.count
            append(type: .characteristicDeclaration, .declaration(index))
            let handle = append(type: definition.uuid, .value(index))
            characteristics.append(
                Characteristic(
                    uuid: definition.uuid, properties: definition.properties, valueHandle: handle,
                    passesReadsOn: definition.passesReadsOn))
            values.append([])
            try set(definition.initialValue, at: index)
            if definition.hasClientConfiguration {
                append(type: .clientConfiguration, .clientConfiguration(index))
            }
        }
        attributes[declaration] = Attribute(
            handle: UInt16(declaration + 1), type: .primaryService,
            content: .service(service.uuid, end: UInt16(attributes.count)))
    }

    @discardableResult private mutating func append(type: BluetoothUUID, _ content: Attribute.Content) -> UInt16 {
        let handle = UInt16(attributes.count + 1)
        attributes.append(Attribute(handle: handle, type: type, content: content))
        return handle
    }

    private mutating func set(_ value: [UInt8], at index: Int) throws(GATTError) {
        guard value.count <= ATTPDU.maximumValueBytes else {
            throw GATTError(.tooLarge, "an attribute value has at most \(ATTPDU.maximumValueBytes) bytes")
        }
        values[index] = value
    }

    /// Sets the value that reads of a characteristic return.
    ///
    /// Of several with one UUID, in different services, it is the value of all.
    ///
    /// Clients are not notified.
    ///
    /// - Throws: `notFound`, `tooLarge` above 512 bytes.
    public mutating func setValue(_ value: [UInt8], of characteristic: BluetoothUUID) throws(GATTError) {
        let indices = characteristics.indices.filter { characteristics[$0].uuid == characteristic }
        guard !indices.isEmpty else { throw GATTError(.notFound, "no characteristic \(characteristic)") }
        for index in indices { try set(value, at: index) }
    }

    /// Returns the value that reads of a characteristic return, of several the first; nil when there is none.
    public func value(of characteristic: BluetoothUUID) -> [UInt8]? {
        characteristics.firstIndex { $0.uuid == characteristic }.map { values[$0] }
    }

    /// Returns the handle of a characteristic's value; nil when there is no such characteristic.
    public func valueHandle(of characteristic: BluetoothUUID) -> UInt16? {
        characteristics.first { $0.uuid == characteristic }?.valueHandle
    }

    /// Returns the handle of a characteristic's value, preferably in the service that holds attribute `reference`.
    func valueHandle(of characteristic: BluetoothUUID, besides reference: UInt16?) -> UInt16? {
        guard let reference, let service = serviceRange(holding: reference) else {
            return valueHandle(of: characteristic)
        }
        let near = characteristics.first { $0.uuid == characteristic && service.contains($0.valueHandle) }
        return near?.valueHandle ?? valueHandle(of: characteristic)
    }

    private func serviceRange(holding handle: UInt16) -> ClosedRange<UInt16>? {
        for attribute in attributes {
            guard case .service(_, let end) = attribute.content, attribute.handle <= end else { continue }
            if (attribute.handle...end).contains(handle) { return attribute.handle...end }
        }
        return nil
    }

    func value(at index: Int) -> [UInt8] { values[index] }

    func attribute(_ handle: UInt16) -> Attribute? {
        handle >= 1 && Int(handle) <= attributes.count ? attributes[Int(handle) - 1] : nil
    }

    /// Returns the attributes whose handles lie in a range, which may extend past the last one.
    func attributes(in range: ClosedRange<UInt16>) -> ArraySlice<Attribute> {
        let first = min(Int(range.lowerBound), attributes.count + 1) - 1
        let end = min(Int(range.upperBound), attributes.count)
        return attributes[max(first, 0)..<max(end, first, 0)]
    }
}

extension BluetoothUUID {
    /// The type of a primary service declaration.
    public static let primaryService = BluetoothUUID(UInt16(0x2800))
    /// The type of a secondary service declaration.
    public static let secondaryService = BluetoothUUID(UInt16(0x2801))
    /// The type of a characteristic declaration.
    public static let characteristicDeclaration = BluetoothUUID(UInt16(0x2803))
    /// The type of a client characteristic configuration descriptor.
    public static let clientConfiguration = BluetoothUUID(UInt16(0x2902))
    /// The UUID of the Generic Access service.
    public static let genericAccess = BluetoothUUID(UInt16(0x1800))
    /// The UUID of the Generic Attribute service.
    public static let genericAttribute = BluetoothUUID(UInt16(0x1801))
    /// The UUID of the Device Name characteristic of Generic Access.
    public static let deviceName = BluetoothUUID(UInt16(0x2A00))
    /// The UUID of the Appearance characteristic of Generic Access.
    public static let appearance = BluetoothUUID(UInt16(0x2A01))
}
