import Bluetooth
import Radio

/// The D-Bus objects by which bluetoothd sees the published services.
struct GATTApplicationObjects: Sendable {
    /// A published characteristic with its D-Bus path, its value and its handle.
    struct Characteristic: Sendable {
        /// The definition that the application published.
        var definition: CharacteristicDefinition
        /// The D-Bus path of the object.
        var path: String
        /// The value that reads return.
        var value: [UInt8]
        /// The handle that bluetoothd gave it; nil before it has.
        var handle: UInt16?
    }

    /// The most characteristics of one application.
    static let maximumCharacteristics = 256

    /// The D-Bus path of the root object, below which all others are.
    let root: String
    /// The characteristics, in the order of publication.
    private(set) var characteristics: [Characteristic] = []
    /// The handle that the first service is to have; nil leaves it to bluetoothd.
    var firstHandle: UInt16?
    /// The most attributes of all services.
    private(set) var attributeCount = 0
    /// The services, each with the number of attributes before it.
    private var services: [(path: String, uuid: BluetoothUUID, offset: Int)] = []

    /// Lays out `services` below `root`.
    ///
    /// - Throws: `tooLarge`.
    init(_ definitions: [ServiceDefinition], root: String) throws(RadioError) {
        self.root = root
        for (number, service) in definitions.enumerated() {
            let path = "\(root)/service\(number)"
            services.append((path, service.uuid, attributeCount))
            // A declaration; for each characteristic another one, a value and up to two descriptors of bluetoothd's.
            attributeCount += 1 + 4 * service.characteristics.count
            for (place, definition) in service.characteristics.enumerated() {
                guard definition.initialValue.count <= 512, characteristics.count < Self.maximumCharacteristics else {
                    throw RadioError(.tooLarge, "an attribute has at most 512 bytes, an application 256 of them")
                }
                characteristics.append(
                    Characteristic(definition: definition, path: "\(path)/char\(place)", value: definition.initialValue)
                )
            }
        }
    }

    /// The answer to GetManagedObjects.
    var managedObjects: DBusValue {
        let entries =
            services.map {
                DBusValue.DBusDictionaryEntry(
                    .path($0.path), interfaces(BlueZNames.remoteService, serviceProperties($0.uuid, $0.offset)))
            }
            + characteristics.map {
                DBusValue.DBusDictionaryEntry(
                    .path($0.path), interfaces(BlueZNames.characteristic, characteristicProperties($0)))
            }
        return .dictionary(key: "o", value: "a{sa{sv}}", entries)
    }

    /// The properties of an object, `a{sv}`; nil when there is no such object.
    func properties(_ path: String) -> DBusValue? {
        if let service = services.first(where: { $0.path == path }) {
            return .properties(serviceProperties(service.uuid, service.offset))
        }
        return self[path: path].map { .properties(characteristicProperties($0)) }
    }

    /// Returns true when an object is one of this application, as far as its path tells.
    func holds(_ path: String) -> Bool { path.hasPrefix(root + "/") }

    /// Returns true when there is a service with this UUID.
    func hasService(_ uuid: BluetoothUUID) -> Bool { services.contains { $0.uuid == uuid } }

    /// A characteristic by its object.
    subscript(path path: String) -> Characteristic? { characteristics.first { $0.path == path } }

    /// The first characteristic with this UUID.
    subscript(uuid: BluetoothUUID) -> Characteristic? { characteristics.first { $0.definition.uuid == uuid } }

    /// The characteristic with this UUID in the service of the characteristic `sibling`, else the first with the UUID.
    subscript(uuid: BluetoothUUID, besides sibling: String?) -> Characteristic? {
        guard let sibling, let slash = sibling.lastIndex(of: "/") else { return self[uuid] }
        let service = sibling[...slash]
        return characteristics.first { $0.definition.uuid == uuid && $0.path.hasPrefix(service) } ?? self[uuid]
    }

    /// Sets the value that reads of a characteristic return; false when there is none of that name.
    mutating func setValue(_ value: [UInt8], of uuid: BluetoothUUID) -> Bool {
        guard let index = characteristics.firstIndex(where: { $0.definition.uuid == uuid }) else { return false }
        characteristics[index].value = value
        return true
    }

    /// Notes the handle that bluetoothd gave a characteristic.
    mutating func setHandle(_ handle: UInt16, path: String) {
        guard let index = characteristics.firstIndex(where: { $0.path == path }) else { return }
        characteristics[index].handle = handle
    }

    /// Forgets the handles, which are valid in one bluetoothd only: another may use them for other attributes.
    mutating func forgetHandles() {
        for index in characteristics.indices { characteristics[index].handle = nil }
    }

    private func interfaces(_ name: String, _ properties: [(String, DBusValue)]) -> DBusValue {
        .dictionary(
            key: "s", value: "a{sv}", [DBusValue.DBusDictionaryEntry(.string(name), .properties(properties))])
    }

    private func serviceProperties(_ uuid: BluetoothUUID, _ offset: Int) -> [(String, DBusValue)] {
        let handle = firstHandle.map { $0 + UInt16(offset) } ?? 0
        return [
            ("UUID", .string(uuid.description.lowercased())), ("Primary", .bool(true)), ("Handle", .uint16(handle)),
        ]
    }

    private func isPushed(_ characteristic: Characteristic) -> Bool {
        !characteristic.definition.properties.isDisjoint(with: [.notify, .indicate])
    }

    /// The D-Bus properties of a characteristic.
    ///
    /// Handle 0 asks bluetoothd to say which one it chose; NotifyAcquired makes it say which central subscribes, see
    /// `BlueZRadio`.
    private func characteristicProperties(_ characteristic: Characteristic) -> [(String, DBusValue)] {
        let service = characteristic.path.split(separator: "/").dropLast().joined(separator: "/")
        return [
            ("UUID", .string(characteristic.definition.uuid.description.lowercased())),
            ("Service", .path("/" + service)), ("Flags", .strings(characteristic.definition.properties.flags)),
            ("Handle", .uint16(characteristic.handle ?? 0)),
        ] + (isPushed(characteristic) ? [("NotifyAcquired", .bool(false))] : [])
    }
}
