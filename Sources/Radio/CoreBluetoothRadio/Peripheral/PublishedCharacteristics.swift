import Bluetooth

/// The characteristics that are served, numbered through all services, with the values that reads return.
///
/// A number is never used again, so that what a central asks of a removed service meets nothing.
struct PublishedCharacteristics: Sendable {
    struct Characteristic: Sendable {
        let service: Int
        let definition: CharacteristicDefinition
        var value: [UInt8]
    }

    private var characteristics: [Int: Characteristic] = [:]
    /// The UUIDs of the services, by their numbers.
    private var services: [Int: BluetoothUUID] = [:]
    /// The numbers of the services that were added to those that are published.
    private var added: Set<Int> = []
    private var nextCharacteristic = 0
    private var nextService = 0

    init(_ services: [ServiceDefinition] = []) {
        for service in services { append(service.uuid, service.characteristics) }
    }

    /// The services as the system kept them, whose characteristics have their numbers from before; nil when these are
    /// other services.
    init?(_ services: [ServiceDefinition], numberedAs kept: [RestoredServices.Service]) {
        guard services.count == kept.count else { return nil }
        var left = services
        for service in kept {
            guard let position = left.firstIndex(where: { $0.uuid == service.uuid }) else { return nil }
            var definitions = left.remove(at: position).characteristics
            var ordered: [CharacteristicDefinition] = []
            for characteristic in service.characteristics {
                let index = definitions.firstIndex { definition in
                    definition.uuid == characteristic.uuid && definition.properties == characteristic.properties
                }
                guard let index else { return nil }
                ordered.append(definitions.remove(at: index))
            }
            guard definitions.isEmpty else { return nil }
            append(service.uuid, ordered)
        }
    }

    private mutating func append(_ uuid: BluetoothUUID, _ definitions: [CharacteristicDefinition]) {
        for definition in definitions {
            characteristics[nextCharacteristic] = Characteristic(
                service: nextService, definition: definition, value: definition.initialValue)
            nextCharacteristic += 1
        }
        services[nextService] = uuid
        nextService += 1
    }

    /// True when there is a service with this UUID.
    func hasService(_ uuid: BluetoothUUID) -> Bool { services.values.contains(uuid) }

    /// Adds a service; returns the number of its first characteristic.
    mutating func add(_ service: ServiceDefinition) -> Int {
        let first = nextCharacteristic
        added.insert(nextService)
        append(service.uuid, service.characteristics)
        return first
    }

    /// Removes the service that was added under a UUID; returns the numbers of its characteristics, in order, nil when
    /// there is none.
    mutating func remove(_ uuid: BluetoothUUID) -> [Int]? {
        guard let service = added.first(where: { services[$0] == uuid }) else { return nil }
        added.remove(service)
        services[service] = nil
        let numbers = characteristics.filter { $0.value.service == service }.keys.sorted()
        for number in numbers { characteristics[number] = nil }
        return numbers
    }

    func characteristic(_ number: Int) -> Characteristic? { characteristics[number] }

    /// The numbers of all characteristics with this UUID.
    func numbers(of uuid: BluetoothUUID) -> [Int] {
        characteristics.filter { $0.value.definition.uuid == uuid }.keys.sorted()
    }

    /// Sets the value in every service that has the characteristic; false when none has.
    mutating func set(_ value: [UInt8], of uuid: BluetoothUUID) -> Bool {
        let found = numbers(of: uuid)
        for number in found { characteristics[number]?.value = value }
        return !found.isEmpty
    }
}
