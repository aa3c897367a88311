import Bluetooth
import Radio
import Testing

@testable import BlueZRadio

// Two programs on one adapter, each with a connection to the bus of its own.
extension ConformanceTests {
    private static let service = BluetoothUUID(UInt16(0xFF10))
    private static let name = BluetoothUUID(UInt16(0xFF11))

    /// Publishes a value and advertises with the flags of phones, which do not say that there is no classic Bluetooth.
    private static func advertise(on radio: BlueZRadio) async throws {
        let value = CharacteristicDefinition(uuid: name, properties: .read, initialValue: [1, 2, 3])
        try await radio.publish([ServiceDefinition(uuid: service, characteristics: [value])])
        try await radio.startAdvertising(
            Advertisement(data: [2, 1, 2, 3, 3, 0x10, 0xFF], scanResponse: [], interval: .milliseconds(100)))
    }

    private static func read(on link: any CentralLink) async throws -> [UInt8] {
        let service = try #require(try await link.discoverServices(Self.service).first)
        let found = try #require(try await link.discoverCharacteristics(of: service).first { $0.uuid == name })
        return try await link.read(found)
    }

    private static func open(_ number: Int) async throws -> BlueZRadio {
        try await BlueZRadio.open(BlueZRadio.Configuration(adapter: adapters[number]))
    }

    /// Returns true once no link to a device is left, false after 20 s: a busy machine ends a link late.
    private static func isGone(_ address: DeviceAddress, from radio: BlueZRadio) async throws -> Bool {
        for _ in 0..<200 {
            if await radio.connection(to: address) == nil { return true }
            try await Task.sleep(for: .milliseconds(100))
        }
        return false
    }

    @Test(.enabled(if: ConformanceTests.adapters.count > 1, "SYMBOLON_BLUEZ names no adapters"))
    func `a link that another program opened is shared and is not closed by this one`() async throws {
        let (peripheral, first, second) = (try await Self.open(0), try await Self.open(1), try await Self.open(1))
        try await Self.advertise(on: peripheral)
        let owned = try await first.connect(to: peripheral.address, timeout: .seconds(30))
        #expect(try await Self.read(on: owned) == [1, 2, 3])
        let shared = try await second.connect(to: peripheral.address, timeout: .seconds(30))
        #expect(try await Self.read(on: shared) == [1, 2, 3])
        await shared.disconnect()
        #expect(try await Self.read(on: owned) == [1, 2, 3])
        await owned.disconnect()
        for radio in [second, first, peripheral] { await radio.close() }
    }

    @Test(.enabled(if: ConformanceTests.adapters.count > 1, "SYMBOLON_BLUEZ names no adapters"))
    func `a radio that is closed while it connects leaves no link behind`() async throws {
        let (peripheral, stayer) = (try await Self.open(0), try await Self.open(1))
        try await Self.advertise(on: peripheral)
        let address = peripheral.address
        for delay in [20, 150, 400] {
            let leaver = try await Self.open(1)
            for try await report in try await leaver.scan(services: []) where report.address == address { break }
            let attempt = Task { try await leaver.connect(to: address, timeout: .seconds(30)) }
            try await Task.sleep(for: .milliseconds(delay))
            await leaver.close()
            _ = await attempt.result
            // A link that comes up later than that is no longer wanted.
            try await Task.sleep(for: .seconds(1))
            #expect(try await Self.isGone(address, from: stayer), "left after \(delay) ms")
        }
        let link = try await stayer.connect(to: address, timeout: .seconds(30))
        #expect(try await Self.read(on: link) == [1, 2, 3])
        await link.disconnect()
        for radio in [stayer, peripheral] { await radio.close() }
    }
}
