import Bluetooth
import Determinism
import TestSupport
import Testing

@Suite struct GATTPairTests {
    private static let mtus = [23, 24, 27, 48, 64, 100, 185, 247, 251, 498, 512, 517]

    @Test(.shows("TUV-003"), arguments: mtus)
    func `a published database is discovered in full at any MTU`(mtu: Int) throws {
        for seed in UInt64(1)...20 {
            var random = SeededRandom(seed: seed)
            let services = RandomDatabase.services(&random)
            var pair = try GATTPair(services)
            #expect(try pair.run(.exchangeMTU(mtu)) == .mtu(mtu))
            let found = try pair.discover()
            #expect(found.map(\.service.uuid) == [.genericAccess, .genericAttribute] + services.map(\.uuid))
            for (definition, remote) in zip(services, found.dropFirst(2)) {
                #expect(remote.characteristics.map(\.uuid) == definition.characteristics.map(\.uuid))
                #expect(remote.characteristics.map(\.properties) == definition.characteristics.map(\.properties))
                let hasDescriptor = definition.characteristics.map {
                    $0.hasClientConfiguration && !$0.properties.isDisjoint(with: [.notify, .indicate])
                }
                #expect(remote.characteristics.map { $0.clientConfigurationHandle != nil } == hasDescriptor)
            }
        }
    }

    @Test func `a database is discovered and its values are transferred at every MTU and fragment length`() throws {
        for mtu in 23...517 {
            var random = SeededRandom(seed: UInt64(mtu))
            let services = RandomDatabase.services(&random)
            var pair = try GATTPair(services)
            pair.fragmentBytes = random.within(1...251)
            _ = try pair.run(.exchangeMTU(mtu))
            let found = try pair.discover().dropFirst(2)
            #expect(found.map(\.service.uuid) == services.map(\.uuid))
            for characteristic in found.flatMap(\.characteristics) {
                let value = random.bytes(count: random.within(0...512))
                let write = GATTClient.Procedure.write(value, handle: characteristic.valueHandle)
                if characteristic.properties.contains(.write) {
                    #expect(try pair.run(write) == .done)
                } else {
                    #expect(throws: GATTError(.attError, "")) { try pair.run(write) }
                }
                let isReadable = (try? pair.run(.read(handle: characteristic.valueHandle))) != nil
                #expect(isReadable == characteristic.properties.contains(.read))
            }
            #expect(pair.wire.allSatisfy { $0.count <= max(mtu, 23) })
            #expect(pair.server.isOpen && pair.client.isOpen && pair.client.pendingCount == 0)
        }
    }

    @Test(arguments: mtus)
    func `a discovery by UUID finds a service once for each time it is published`(mtu: Int) throws {
        for seed in UInt64(1)...20 {
            var random = SeededRandom(seed: seed)
            let services = RandomDatabase.services(&random)
            var pair = try GATTPair(services)
            _ = try pair.run(.exchangeMTU(mtu))
            for wanted in services.map(\.uuid) {
                guard case .services(let found) = try pair.run(.discoverServices(wanted)) else {
                    Issue.record("no list of services")
                    continue
                }
                #expect(found.count == services.count { $0.uuid == wanted })
                #expect(found.allSatisfy { $0.uuid == wanted })
            }
        }
    }

    @Test(.shows("TUV-005", "TUV-006"), arguments: mtus)
    func `values of every length up to 512 bytes are read and written whole at any MTU`(mtu: Int) throws {
        let uuid = BluetoothUUID(UInt16(0x2AFE))
        let service = ServiceDefinition(
            uuid: BluetoothUUID(UInt16(1)),
            characteristics: [.init(uuid: uuid, properties: [.read, .write])])
        var random = SeededRandom(seed: 7)
        var pair = try GATTPair([service])
        _ = try pair.run(.exchangeMTU(mtu))
        let handle = try #require(pair.server.database.valueHandle(of: uuid))
        for count in [0, 1, mtu - 5, mtu - 4, mtu - 3, mtu - 2, mtu - 1, mtu, 2 * (mtu - 1), 511, 512]
        where count <= 512 {
            let value = random.bytes(count: count)
            try pair.server.setValue(value, of: uuid)
            #expect(try pair.run(.read(handle: handle)) == .value(value))
            pair.serverOutputs = []
            #expect(try pair.run(.write(value, handle: handle)) == .done)
            #expect(pair.serverOutputs.contains(.written(characteristic: uuid, value: value, isCommand: false)))
            #expect(pair.wire.allSatisfy { $0.count <= mtu })
        }
    }
}

/// Databases drawn from a seed.
enum RandomDatabase {
    static func uuid(_ random: inout SeededRandom) -> BluetoothUUID {
        random.chance(1, in: 2)
            ? BluetoothUUID(UInt16(random.within(0x2B00...0x2FFF)))
            : BluetoothUUID(littleEndian: random.bytes(count: 16)) ?? BluetoothUUID(UInt16(0x2B00))
    }

    static func services(_ random: inout SeededRandom) -> [ServiceDefinition] {
        (0..<random.within(0...6)).map { _ in
            ServiceDefinition(
                uuid: uuid(&random),
                characteristics: (0..<random.within(0...12)).map { _ in
                    CharacteristicDefinition(
                        uuid: uuid(&random),
                        properties: CharacteristicProperties(rawValue: UInt8(random.within(0...31)) << 1),
                        initialValue: random.bytes(count: random.within(0...40)),
                        hasClientConfiguration: random.chance(1, in: 3))
                })
        }
    }
}
