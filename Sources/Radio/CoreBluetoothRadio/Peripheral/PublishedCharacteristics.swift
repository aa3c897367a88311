import Bluetooth

/// The characteristics that are served, numbered through all services, with the values that reads return.
struct PublishedCharacteristics: Sendable {
    struct Characteristic: Sendable {
        let service: Int
        let definition: CharacteristicDefinition
        var value: [UInt8]
    }

    let services: [ServiceDefinition]
    private(set) var characteristics: [Characteristic] = []

    init(_ services: [ServiceDefinition] = []) {
        self.services = services
        for (number, service) in services.enumerated() {
            characteristics += service.characteristics.map {
                Characteristic(service: number, definition: $0, value: $0.initialValue)
            }
        }
    }

    /// The services as the system kept them, whose characteristics have their numbers from before; nil when these are
    /// other services.
    init?(_ services: [ServiceDefinition], numberedAs kept: [RestoredServices.Service]) {
        guard services.count == kept.count else { return nil }
        self.services = services
        var left = Array(services.indices)
        for service in kept {
            guard let position = left.firstIndex(where: { services[$0].uuid == service.uuid }) else { return nil }
            let number = left.remove(at: position)
            var definitions = services[number].characteristics
            for characteristic in service.characteristics {
                let index = definitions.firstIndex { definition in
                    definition.uuid == characteristic.uuid && definition.properties == characteristic.properties
                }
                guard let index else { return nil }
                let definition = definitions.remove(at: index)
                characteristics.append(
                    Characteristic(service: number, definition: definition, value: definition.initialValue))
            }
            guard definitions.isEmpty else { return nil }
        }
    }

    func characteristic(_ number: Int) -> Characteristic? {
        characteristics.indices.contains(number) ? characteristics[number] : nil
    }

    /// The numbers of all characteristics with this UUID.
    func numbers(of uuid: BluetoothUUID) -> [Int] {
        characteristics.indices.filter { characteristics[$0].definition.uuid == uuid }
    }

    /// Sets the value in every service that has the characteristic; false when none has.
    mutating func set(_ value: [UInt8], of uuid: BluetoothUUID) -> Bool {
        let found = numbers(of: uuid)
        for number in found { characteristics[number].value = value }
        return !found.isEmpty
    }
}
