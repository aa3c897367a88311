import Bluetooth
import Radio

/// A service as a session with a phone adds it: under a random UUID, with the characteristics of such a session.
enum AddedService {
    static let uuid = BluetoothUUID(high: 0x5A1E_0F27_93C4_4B6D, low: 0x8E02_77D1_6BA9_C35F)
    static let state = BluetoothUUID(UInt16(0xFF41))
    static let incoming = BluetoothUUID(UInt16(0xFF42))
    static let outgoing = BluetoothUUID(UInt16(0xFF43))
    static let ident = BluetoothUUID(UInt16(0xFF44))

    static let identValue = Fixture.bytes(16)

    static let definition = ServiceDefinition(
        uuid: uuid,
        characteristics: [
            CharacteristicDefinition(
                uuid: state, properties: [.notify, .writeWithoutResponse], hasClientConfiguration: true),
            CharacteristicDefinition(uuid: incoming, properties: [.writeWithoutResponse, .write]),
            CharacteristicDefinition(uuid: outgoing, properties: .notify, hasClientConfiguration: true),
            CharacteristicDefinition(uuid: ident, properties: .read, initialValue: identValue),
        ])

    /// Advertising data that names the service.
    static let data: [UInt8] = [2, 1, 6, 17, 7] + uuid.littleEndian
}

extension RadioConformance {
    static let serviceCases = [
        Case("a service that is added while a central is connected serves it", needs: [.addedServices]) { bench in
            let pair = try await bench.pair()
            try await pair.awaitFirstLook()
            try require(bench.peripheral.addsServices, "the radio says that it adds no services")
            try await bench.peripheral.addService(AddedService.definition)
            let found = try await pair.addedCharacteristics()
            try requireEqual(try await pair.link.read(found[AddedService.ident]), AddedService.identValue, "Ident")
            try await pair.link.subscribe(to: found[AddedService.outgoing])
            _ = try await pair.served.first("the subscription") { event in
                if case .subscribed(pair.linkID, AddedService.outgoing, true) = event { true } else { nil }
            }
            try await pair.link.write([7, 8], to: found[AddedService.incoming])
            let written = try await pair.written()
            try requireEqual(written.characteristic, AddedService.incoming, "the characteristic")
            try requireEqual(written.value, [7, 8], "the value")
            try await bench.peripheral.notify([9], of: AddedService.outgoing, on: pair.linkID, confirmed: false)
            try requireEqual(try await pair.pushed().value, [9], "the notified value")
        },
        Case("a peripheral that was connected to is found by the service that it advertises now") { bench in
            let pair = try await bench.pair()
            _ = try await pair.characteristics()
            await pair.link.disconnect()
            _ = try await pair.served.first("the end of the link") { event in
                if case .disconnected = event { true } else { nil }
            }
            try await bench.peripheral.startAdvertising(Fixture.advertisement(data: AddedService.data))
            _ = try await bench.firstReport("the service", services: [AddedService.uuid]) { report in
                report.data.contains(AddedService.uuid.littleEndian) ? true : nil
            }
        },
        Case("services that are there go on as they were when another is added and removed", needs: [.addedServices]) {
            bench in
            let pair = try await bench.pair()
            let before = try await pair.characteristics()
            guard let push = before[Fixture.push] else { throw ConformanceFailure("no characteristic to subscribe to") }
            try await pair.link.subscribe(to: push)
            _ = try await pair.served.first("the subscription") { event in
                if case .subscribed(pair.linkID, Fixture.push, true) = event { true } else { nil }
            }
            try await bench.peripheral.addService(AddedService.definition)
            _ = try await pair.addedCharacteristics()
            try requireEqual(try await pair.characteristics(), before, "the characteristics beside the added service")
            await bench.peripheral.removeService(AddedService.uuid)
            try await bench.peripheral.notify([5], of: Fixture.push, on: pair.linkID, confirmed: false)
            try requireEqual(try await pair.pushed().value, [5], "the notified value")
        },
        Case("a removed service is found no more and the link stays up", needs: [.addedServices]) { bench in
            let pair = try await bench.pair()
            try await pair.awaitFirstLook()
            try await bench.peripheral.addService(AddedService.definition)
            let found = try await pair.addedCharacteristics()
            await bench.peripheral.removeService(AddedService.uuid)
            try await requireGone(pair)
            let value = try? await pair.link.read(found[AddedService.ident])
            try require(value == nil, "a removed characteristic was read")
            try await requireError(.notFound, "a push of a removed characteristic") { () throws(RadioError) in
                try await bench.peripheral.notify([1], of: AddedService.outgoing, on: pair.linkID, confirmed: false)
            }
            let command = try await pair.characteristic(Fixture.command)
            try await pair.link.write([3], to: command)
            try requireEqual(try await pair.written().value, [3], "the value after the removal")
        },
        Case("services come and go twenty times on one link", needs: [.addedServices]) { bench in
            let pair = try await bench.pair()
            try await pair.awaitFirstLook()
            for number in 0..<20 {
                try await bench.peripheral.addService(AddedService.definition)
                let found = try await pair.addedCharacteristics()
                try requireEqual(
                    try await pair.link.read(found[AddedService.ident]), AddedService.identValue, "Ident \(number)")
                await bench.peripheral.removeService(AddedService.uuid)
                try await requireGone(pair)
            }
        },
        Case("a service that is there cannot be added again, and one that was removed can", needs: [.addedServices]) {
            bench in
            try await bench.peripheral.publish(Fixture.services)
            try await requireError(.unsupported, "a published service") { () throws(RadioError) in
                try await bench.peripheral.addService(Fixture.services[0])
            }
            try await bench.peripheral.addService(AddedService.definition)
            try await requireError(.unsupported, "an added service") { () throws(RadioError) in
                try await bench.peripheral.addService(AddedService.definition)
            }
            await bench.peripheral.removeService(AddedService.uuid)
            await bench.peripheral.removeService(AddedService.uuid)
            try await bench.peripheral.addService(AddedService.definition)
            // Takes the added one away with the others.
            try await bench.peripheral.publish(Fixture.services)
            try await bench.peripheral.addService(AddedService.definition)
        },
        Case("a radio that adds no services refuses to") { bench in
            guard !bench.peripheral.addsServices else { return }
            try await requireError(.unsupported, "a service to add") { () throws(RadioError) in
                try await bench.peripheral.addService(AddedService.definition)
            }
        },
    ]

    /// Waits until the central does not find the added service any more; a system may learn of it late.
    private static func requireGone(_ pair: Pair) async throws {
        for _ in 0..<100 {
            if try await pair.link.discoverServices(AddedService.uuid).isEmpty { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw ConformanceFailure("a removed service is still found")
    }
}

/// Characteristics that were found, by their UUIDs.
struct FoundCharacteristics {
    fileprivate var all: [BluetoothUUID: RemoteCharacteristic] = [:]

    subscript(uuid: BluetoothUUID) -> RemoteCharacteristic {
        all[uuid] ?? RemoteCharacteristic(uuid: uuid, properties: [], valueHandle: 0)
    }
}

extension Pair {
    /// Waits until the central has looked at the services for the first time: a system may not notice what is added
    /// while it does.
    func awaitFirstLook() async throws { _ = try await characteristics() }

    /// Finds the characteristics of the added service; a system may learn of it late.
    func addedCharacteristics() async throws -> FoundCharacteristics {
        for _ in 0..<100 {
            if let service = try await link.discoverServices(AddedService.uuid).first {
                var found = FoundCharacteristics()
                for one in try await link.discoverCharacteristics(of: service) { found.all[one.uuid] = one }
                if found.all.count == AddedService.definition.characteristics.count { return found }
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw ConformanceFailure("the added service was not found")
    }
}
