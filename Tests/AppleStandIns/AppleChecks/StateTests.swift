import Air
import Bluetooth
import CoreBluetooth
import CoreBluetoothRadio
import Radio
import Testing
import VirtualRadio

/// Permission, power and the background, as the system reports them.
@Suite(.serialized) struct StateTests {
    private static let service = BluetoothUUID(UInt16(0xFF10))

    @Test(arguments: [CBManagerAuthorization.denied, .restricted, .notDetermined])
    func `a Core Bluetooth radio without the user's permission is not opened`(authorization: CBManagerAuthorization)
        async throws
    {
        let air = VirtualAir.private(seed: 1)
        let phone = try await SimulatedPhone.make(on: air)
        phone.change { $0.authorization = authorization }
        await #expect(throws: RadioError(.notPermitted, "")) { try await CoreBluetoothRadio.open() }
        await air.close()
    }

    @Test func `a Core Bluetooth radio that is off is not opened`() async throws {
        let air = VirtualAir.private(seed: 2)
        let phone = try await SimulatedPhone.make(on: air)
        phone.change { $0.isOn = false }
        await #expect(throws: RadioError(.unavailable, "")) { try await CoreBluetoothRadio.open() }
        await air.close()
    }

    @Test func `switching Bluetooth off ends scans and links, and both work again when it is on`() async throws {
        let air = VirtualAir.private(seed: 3)
        let peripheral = try await air.makeRadio()
        try await peripheral.startAdvertising(
            Advertisement(data: [2, 1, 6, 3, 3, 0x10, 0xFF], scanResponse: [], interval: .milliseconds(20)))
        let (phone, radio) = try await Apple.wallet(on: air)
        let link = try await radio.connect(to: Apple.address(of: peripheral.address), timeout: .seconds(30))
        let reports = try await radio.scan(services: [])
        let scan = Task { for try await _ in reports {} }
        phone.change { $0.isOn = false }
        await #expect(throws: RadioError(.unavailable, "")) { try await scan.value }
        var last: CentralLinkEvent?
        for await event in link.events { last = event }
        #expect(last == .disconnected(.radioLost))
        await #expect(throws: RadioError(.unavailable, "")) { _ = try await radio.scan(services: []) }
        phone.change { $0.isOn = true }
        try await peripheral.startAdvertising(
            Advertisement(data: [2, 1, 6, 3, 3, 0x10, 0xFF], scanResponse: [], interval: .milliseconds(20)))
        let isBack = try await becomes { (try? await radio.scan(services: [])) != nil }
        #expect(isBack)
        _ = try await radio.connect(to: Apple.address(of: peripheral.address), timeout: .seconds(30))
        var states: [BluetoothSystemState] = []
        for await state in radio.states {
            states.append(state)
            if states.count == 3 { break }
        }
        #expect(states == [.on, .off, .on])
        await radio.close()
        await air.close()
    }

    @Test func `in the background a Core Bluetooth scan hears only advertisers of its services, once each`()
        async throws
    {
        let air = VirtualAir.private(seed: 5)
        let peripheral = try await air.makeRadio()
        try await peripheral.startAdvertising(
            Advertisement(data: [2, 1, 6, 3, 3, 0x10, 0xFF], scanResponse: [], interval: .milliseconds(20)))
        let (phone, radio) = try await Apple.wallet(on: air)
        phone.change { $0.isInBackground = true }
        let (named, all) = (try await radio.scan(services: [Self.service]), try await radio.scan(services: []))
        let counts = Task {
            var count = 0
            for try await _ in named { count += 1 }
            return count
        }
        let others = Task {
            var count = 0
            for try await _ in all { count += 1 }
            return count
        }
        try await Task.sleep(for: .milliseconds(500))
        others.cancel()
        // One scan serves both: while one asks for everything, the system finds nothing.
        try await Task.sleep(for: .milliseconds(500))
        counts.cancel()
        #expect(try await others.value == 0)
        #expect(try await counts.value == 1)
        await radio.close()
        await air.close()
    }

    @Test func `the signal strength of a Core Bluetooth link is read`() async throws {
        let air = VirtualAir.private(seed: 6)
        let peripheral = try await air.makeRadio(
            VirtualRadio.Configuration(conditions: DeviceRadioConditions(rssi: -61)))
        try await peripheral.startAdvertising(
            Advertisement(data: [2, 1, 6], scanResponse: [], interval: .milliseconds(20)))
        let (_, radio) = try await Apple.wallet(on: air)
        let link = try await radio.connect(to: Apple.address(of: peripheral.address), timeout: .seconds(30))
        #expect(try await link.readRSSI() == -61)
        await radio.close()
        await air.close()
    }
}
