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

    private static func service(_ number: UInt16, characteristics: Int = 1) -> ServiceDefinition {
        ServiceDefinition(
            uuid: BluetoothUUID(number),
            characteristics: (0..<characteristics).map {
                CharacteristicDefinition(
                    uuid: BluetoothUUID(number + 1 + UInt16($0)), properties: .read)
            })
    }

    @Test func `an added service gets handles that were never used, and the others keep theirs`() throws {
        var database = try GATTDatabase([Self.service(0xA000), Self.service(0xB000)])
        try database.setValue([9], of: BluetoothUUID(0xB001 as UInt16))
        database.remove(BluetoothUUID(0xA000 as UInt16))
        #expect(database.valueHandle(of: BluetoothUUID(0xA001 as UInt16)) == nil)
        #expect(database.valueHandle(of: BluetoothUUID(0xB001 as UInt16)) == 12)
        #expect(database.value(of: BluetoothUUID(0xB001 as UInt16)) == [9])
        try database.add(Self.service(0xC000))
        database.remove(BluetoothUUID(0xC000 as UInt16))
        try database.add(Self.service(0xC000))
        #expect(database.valueHandle(of: BluetoothUUID(0xC001 as UInt16)) == 18)
        #expect(database.attribute(7) == nil)
        #expect(database.attribute(10)?.handle == 10)
        #expect(database.attributes(in: 7...0xFFFF).map(\.handle) == [10, 11, 12, 16, 17, 18])
        #expect(database.hasService(BluetoothUUID(0xC000 as UInt16)))
        #expect(!database.hasService(BluetoothUUID(0xA000 as UInt16)))
    }

    @Test func `services come and go in a database without end, and those that are too many at once are refused`()
        throws
    {
        var database = try GATTDatabase([Self.service(0xA000)])
        for _ in 0..<1000 {
            try database.add(Self.service(0xC000, characteristics: 5))
            database.remove(BluetoothUUID(0xC000 as UInt16))
        }
        #expect(database.valueHandle(of: BluetoothUUID(0xA001 as UInt16)) == 9)
        // Nine handles are taken; a service with n characteristics takes 2 n + 1.
        #expect(throws: GATTError(.tooLarge, "")) { try database.add(Self.service(0xC000, characteristics: 508)) }
        try database.add(Self.service(0xC000, characteristics: 507))
        #expect(throws: GATTError(.tooLarge, "")) { try database.add(Self.services(1)[0]) }
        database.remove(BluetoothUUID(0xA000 as UInt16))
        try database.add(Self.service(0xD000))
        #expect(database.valueHandle(of: BluetoothUUID(0xD001 as UInt16)) == 9)
    }
}
