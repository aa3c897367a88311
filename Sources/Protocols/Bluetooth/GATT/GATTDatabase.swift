/// The attributes that a GATT server publishes, with the values that reads return.
///
/// The layout is decided by the definitions alone: handles are dense from 1; first Generic Access (0x1800, with an
/// empty device name and appearance 0, because a name would make the device recognisable), then Generic Attribute
/// (0x1801, without characteristics: Service Changed is for clients that remember the layout, which strangers do not),
/// then the services in their order: declaration, and for each characteristic its declaration, its value and, if asked
/// for, its client configuration descriptor. A service that is added later goes behind the last handle that was ever
/// used, while there is room, so that a handle that a client has found never means something else. A value: copies
/// given to the servers of several links share their storage.
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
            /// Nothing: the attribute of a removed service was here.
            case removed
        }

        let handle: UInt16
        let type: BluetoothUUID
        let content: Content
    }

    /// A service, and the handle of its declaration.
    private struct PlacedService: Hashable, Sendable {
        let start: Int
        let definition: ServiceDefinition

        /// The last handle of the service.
        var end: Int { start + GATTDatabase.attributeCount(of: definition) - 1 }
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
    /// The services in the order of their handles.
    private var services: [PlacedService] = []
    /// The handle behind the last one that was ever used.
    private var nextHandle = 1

    /// Makes a database of Generic Access, Generic Attribute and then `services`.
    ///
    /// - Throws: `tooLarge` when there are more than `maximumAttributes` attributes, or an initial value is longer than
    ///   512 bytes.
    public init(_ services: [ServiceDefinition]) throws(GATTError) {
        for service in [Self.genericAccess, Self.genericAttribute] + services { try place(service) }
        layOut()
    }

    /// Adds a service; what is there keeps its handles.
    ///
    /// - Throws: `tooLarge` when no run of handles up to `maximumAttributes` is free for it, or an initial value is
    ///   longer than 512 bytes.
    public mutating func add(_ service: ServiceDefinition) throws(GATTError) {
        try place(service)
        layOut()
    }

    /// Removes the service with this UUID, of several the last; does nothing when there is none.
    public mutating func remove(_ uuid: BluetoothUUID) {
        guard let index = services.lastIndex(where: { $0.definition.uuid == uuid }) else { return }
        services.remove(at: index)
        layOut()
    }

    /// Returns true when there is a service with this UUID.
    public func hasService(_ uuid: BluetoothUUID) -> Bool { services.contains { $0.definition.uuid == uuid } }

    /// Gives a service its handles.
    private mutating func place(_ service: ServiceDefinition) throws(GATTError) {
        let placed = PlacedService(start: firstFree(Self.attributeCount(of: service)), definition: service)
        guard placed.end <= Self.maximumAttributes else {
            throw GATTError(.tooLarge, "a database holds at most \(Self.maximumAttributes) attributes")
        }
        for characteristic in service.characteristics { try Self.check(characteristic.initialValue) }
        services.insert(placed, at: services.firstIndex { $0.start > placed.start } ?? services.count)
        nextHandle = max(nextHandle, placed.end + 1)
    }

    /// The first of `count` free handles: behind all that were ever used, or else in the first gap that is wide enough.
    private func firstFree(_ count: Int) -> Int {
        guard nextHandle + count - 1 > Self.maximumAttributes else { return nextHandle }
        var start = 1
        for service in services where start + count > service.start { start = service.end + 1 }
        return start
    }

    private static func attributeCount(of service: ServiceDefinition) -> Int {
        service.characteristics.reduce(1) { $0 + ($1.hasClientConfiguration ? 3 : 2) }
    }

    /// Makes the attributes of all services; values that were set stay.
    private mutating func layOut() {
        let former = Dictionary(
            zip(characteristics.map(\.valueHandle), values), uniquingKeysWith: { first, _ in first })
        (attributes, characteristics, values) = ([], [], [])
        for service in services {
            while attributes.count + 1 < service.start { append(type: .primaryService, .removed) }
            append(service.definition)
        }
        for index in characteristics.indices {
            if let value = former[characteristics[index].valueHandle] { values[index] = value }
        }
    }

    private static let genericAccess = ServiceDefinition(
        uuid: .genericAccess,
        characteristics: [
            CharacteristicDefinition(uuid: .deviceName, properties: .read),
            CharacteristicDefinition(uuid: .appearance, properties: .read, initialValue: [0, 0]),
        ])

    private static let genericAttribute = ServiceDefinition(uuid: .genericAttribute, characteristics: [])

    private mutating func append(_ service: ServiceDefinition) {
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
            values.append(definition.initialValue)
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

    private static func check(_ value: [UInt8]) throws(GATTError) {
        guard value.count <= ATTPDU.maximumValueBytes else {
            throw GATTError(.tooLarge, "an attribute value has at most \(ATTPDU.maximumValueBytes) bytes")
        }
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
        try Self.check(value)
        for index in indices { values[index] = value }
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
        guard handle >= 1, Int(handle) <= attributes.count else { return nil }
        let attribute = attributes[Int(handle) - 1]
        return attribute.content == .removed ? nil : attribute
    }

    /// Returns the attributes whose handles lie in a range, which may extend past the last one.
    func attributes(in range: ClosedRange<UInt16>) -> ArraySlice<Attribute> {
        let first = min(Int(range.lowerBound), attributes.count + 1) - 1
        let end = min(Int(range.upperBound), attributes.count)
        let found = attributes[max(first, 0)..<max(end, first, 0)]
        return found.contains { $0.content == .removed } ? ArraySlice(found.filter { $0.content != .removed }) : found
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
