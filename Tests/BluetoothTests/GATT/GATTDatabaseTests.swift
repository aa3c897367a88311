import Testing

@testable import Bluetooth

@Suite struct GATTDatabaseTests {
    private static func services(_ count: Int) -> [ServiceDefinition] {
        (0..<count).map { ServiceDefinition(uuid: BluetoothUUID(UInt16($0 + 1)), characteristics: []) }
    }

    @Test func `attribute handles depend only on the service definitions`() throws {
        let first = BluetoothUUID(UInt16(0xA001))
        let second = BluetoothUUID(UInt16(0xA002))
        let database = try GATTDatabase([
            ServiceDefinition(
                uuid: first,
                characteristics: [
                    .init(uuid: first, properties: .notify, hasClientConfiguration: true),
                    .init(uuid: second, properties: .read),
                ])
        ])
        #expect(database.valueHandle(of: .deviceName) == 3)
        #expect(database.valueHandle(of: first) == 9)
        #expect(database.valueHandle(of: second) == 12)
        #expect(database.valueHandle(of: .genericAccess) == nil)
    }

    @Test func `the GATT server publishes an empty device name`() throws {
        #expect(try GATTDatabase([]).value(of: .deviceName) == [])
    }

    @Test func `the allowed number of attributes is published and one more refused`() throws {
        #expect(throws: Never.self) { try GATTDatabase(Self.services(GATTDatabase.maximumAttributes - 6)) }
        #expect(throws: GATTError(.tooLarge, "")) {
            try GATTDatabase(Self.services(GATTDatabase.maximumAttributes - 5))
        }
    }

    @Test func `setting a characteristic that several services contain sets its value in all of them`() throws {
        let uuid = BluetoothUUID(0xAB01 as UInt16)
        let services = [0x1111, 0x2222].map { (short: UInt16) in
            ServiceDefinition(
                uuid: BluetoothUUID(short), characteristics: [CharacteristicDefinition(uuid: uuid, properties: .read)])
        }
        var database = try GATTDatabase(services)
        try database.setValue([7], of: uuid)
        let values = database.characteristics.indices.filter { database.characteristics[$0].uuid == uuid }
            .map(database.value(at:))
        #expect(values == [[7], [7]])
    }

    @Test func `an attribute value of 512 bytes is accepted and one of 513 refused`() throws {
        let uuid = BluetoothUUID(UInt16(0xA001))
        func database(_ count: Int) throws -> GATTDatabase {
            let definition = CharacteristicDefinition(
                uuid: uuid, properties: .read, initialValue: [UInt8](repeating: 0, count: count))
            return try GATTDatabase([ServiceDefinition(uuid: uuid, characteristics: [definition])])
        }
        var made = try database(512)
        #expect(throws: GATTError(.tooLarge, "")) { try database(513) }
        try made.setValue([UInt8](repeating: 1, count: 512), of: uuid)
        #expect(throws: GATTError(.tooLarge, "")) { try made.setValue([UInt8](repeating: 1, count: 513), of: uuid) }
        #expect(made.value(of: uuid) == [UInt8](repeating: 1, count: 512))
        #expect(throws: GATTError(.notFound, "")) { try made.setValue([], of: .primaryService) }
        #expect(made.value(of: .primaryService) == nil)
    }
}
