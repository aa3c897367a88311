import Air
import Bluetooth
import CoreBluetooth
import CoreBluetoothRadio
import Determinism
import Radio
import Testing
import VirtualRadio

/// The peripheral role on Core Bluetooth, seen from a virtual radio.
///
/// The conformance rules of radios do not run on it: all of them advertise service data, or wait for a connection that
/// the system does not report.
@Suite(.serialized) struct PeripheralTests {
    private static let service = BluetoothUUID(UInt16(0xFF10))
    private static let value = BluetoothUUID(UInt16(0xFF11))
    private static let push = BluetoothUUID(UInt16(0xFF12))
    private static let confirmed = BluetoothUUID(UInt16(0xFF13))
    private static let asked = BluetoothUUID(UInt16(0xFF14))
    private static let advertisement = Advertisement(
        data: [2, 1, 6, 3, 3, 0x10, 0xFF], scanResponse: [], interval: .milliseconds(100))

    private static let services = [
        ServiceDefinition(
            uuid: service,
            characteristics: [
                CharacteristicDefinition(uuid: value, properties: [.read, .write], initialValue: [1, 2, 3]),
                CharacteristicDefinition(uuid: push, properties: .notify),
                CharacteristicDefinition(uuid: confirmed, properties: .indicate),
                CharacteristicDefinition(uuid: asked, properties: .read, passesReadsOn: true),
            ])
    ]

    /// A phone that serves, and a central that is connected to it.
    private struct Pair {
        let air: VirtualAir
        let phone: SimulatedPhone
        let radio: CoreBluetoothRadio
        let link: any CentralLink
        let found: [BluetoothUUID: RemoteCharacteristic]

        static func make(systemMTU: Int = 185) async throws -> Pair {
            let air = VirtualAir.private(seed: 1)
            let phone = try await SimulatedPhone.make(
                on: air, systemMTU: systemMTU,
                configuration: VirtualRadio.Configuration(conditions: DeviceRadioConditions(link: Apple.link)))
            let radio = try await CoreBluetoothRadio.open()
            try await radio.publish(services)
            try await radio.startAdvertising(advertisement)
            let central = try await air.makeRadio(
                VirtualRadio.Configuration(conditions: DeviceRadioConditions(link: Apple.link)))
            let link = try await central.connect(to: phone.address, timeout: .seconds(30))
            _ = try await link.exchangeMTU(517)
            let service = try #require(try await link.discoverServices(PeripheralTests.service).first)
            var found: [BluetoothUUID: RemoteCharacteristic] = [:]
            for characteristic in try await link.discoverCharacteristics(of: service) {
                found[characteristic.uuid] = characteristic
            }
            return Pair(air: air, phone: phone, radio: radio, link: link, found: found)
        }

        func characteristic(_ uuid: BluetoothUUID) throws -> RemoteCharacteristic { try #require(found[uuid]) }

        func close() async {
            await radio.close()
            await air.close()
        }
    }

    private static func first<Value>(
        _ events: AsyncStream<PeripheralEvent>, _ pick: (PeripheralEvent) -> Value?
    ) async throws -> Value {
        for await event in events { if let value = pick(event) { return value } }
        throw RadioError(.unavailable, "the events ended")
    }

    @Test func `services are advertised, and what the system cannot say is refused`() async throws {
        let air = VirtualAir.private(seed: 2)
        let phone = try await SimulatedPhone.make(on: air)
        let radio = try await CoreBluetoothRadio.open()
        try await radio.publish(Self.services)
        await #expect(throws: RadioError(.unsupported, "")) {
            try await radio.startAdvertising(Advertisement(data: [4, 0x16, 0x10, 0xFF, 1], scanResponse: []))
        }
        try await radio.startAdvertising(Self.advertisement)
        let central = try await air.makeRadio()
        var heard: [UInt8] = []
        for try await report in try await central.scan(services: [Self.service]) where report.address == phone.address {
            heard = report.data
            break
        }
        #expect(AdvertisingData(parsing: heard).serviceUUIDs == [Self.service])
        await radio.stopAdvertising()
        await radio.close()
        await air.close()
    }

    @Test func `values are read whole, also long ones, and those that are passed on`() async throws {
        let pair = try await Pair.make()
        #expect(try await pair.link.read(pair.characteristic(Self.value)) == [1, 2, 3])
        let long = (0..<512).map { UInt8(truncatingIfNeeded: $0) }
        try await pair.radio.setValue(long, of: Self.value)
        #expect(try await pair.link.read(pair.characteristic(Self.value)) == long)
        let events = pair.radio.events
        let radio = pair.radio
        let answering = Task {
            for await event in events {
                if case .read(let link, Self.asked, _) = event { try? await radio.answerRead([7, 7], on: link) }
            }
        }
        #expect(try await pair.link.read(pair.characteristic(Self.asked)) == [7, 7])
        answering.cancel()
        await pair.close()
    }

    @Test func `a write arrives whole, and is the first sign of its central`() async throws {
        let pair = try await Pair.make()
        let long = (0..<400).map { UInt8(truncatingIfNeeded: $0) }
        try await pair.link.write(long, to: pair.characteristic(Self.value))
        var events: [PeripheralEvent] = []
        for await event in pair.radio.events {
            events.append(event)
            if case .written = event { break }
        }
        guard case .connected(let link, _)? = events.first else {
            Issue.record("the first event is \(events)")
            return
        }
        #expect(events.contains(.mtu(link, 185)))
        #expect(events.last == .written(link, characteristic: Self.value, value: long, isCommand: false))
        await pair.close()
    }

    @Test func `subscribers are notified in order, also of more than the system queues at a time`() async throws {
        let pair = try await Pair.make()
        try await pair.link.subscribe(to: pair.characteristic(Self.push))
        let link = try await Self.first(pair.radio.events) { event in
            if case .subscribed(let link, Self.push, true) = event { link } else { nil }
        }
        let radio = pair.radio
        let pushing = Task {
            for number in 0..<200 {
                try await radio.notify([UInt8(number)], of: Self.push, on: link, confirmed: false)
            }
        }
        var received: [UInt8] = []
        for await event in pair.link.events {
            if case .value(let value, _, _) = event { received += value }
            if received.count == 200 { break }
        }
        #expect(received == (0..<200).map { UInt8($0) })
        try await pushing.value
        await #expect(throws: RadioError(.unsupported, "")) {
            try await radio.notify([1], of: Self.confirmed, on: link, confirmed: true)
        }
        await #expect(throws: RadioError(.tooLarge, "")) {
            try await radio.notify([UInt8](repeating: 0, count: 183), of: Self.push, on: link, confirmed: false)
        }
        await pair.close()
    }

    @Test func `the end of a subscriber's link is reported, and the phone goes on advertising`() async throws {
        let pair = try await Pair.make()
        try await pair.link.subscribe(to: pair.characteristic(Self.confirmed))
        let events = pair.radio.events
        let link = try await Self.first(events) { event in
            if case .subscribed(let link, _, true) = event { link } else { nil }
        }
        await pair.link.disconnect()
        let reason = try await Self.first(events) { event in
            if case .disconnected(link, let reason) = event { reason } else { nil }
        }
        #expect(reason == .peer)
        let other = try await pair.air.makeRadio()
        _ = try await other.connect(to: pair.phone.address, timeout: .seconds(30))
        await pair.close()
    }

    @Test func `a radio for the central role alone serves nothing`() async throws {
        let air = VirtualAir.private(seed: 3)
        let (_, radio) = try await Apple.wallet(on: air)
        await #expect(throws: RadioError(.unsupported, "")) { try await radio.publish([]) }
        await radio.close()
        await #expect(throws: RadioError(.unavailable, "")) { _ = try await radio.scan(services: []) }
        await air.close()
    }
}
