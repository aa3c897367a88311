import Air
import Bluetooth
import Radio
import Testing

@testable import VirtualRadio

@Suite struct LimitsTests {
    private func code(_ body: () async throws -> Void) async -> RadioError.Code? {
        do { try await body() } catch { return (error as? RadioError)?.code }
        return nil
    }

    @Test func `a radio runs sixteen scans at a time, and a further one when another has ended`() async throws {
        let air = VirtualAir.private(seed: 1)
        let radio = try await air.makeRadio()
        var streams: [AsyncThrowingStream<AdvertisementReport, any Error>] = []
        for _ in 0..<16 { streams.append(try await radio.scan(services: [])) }
        #expect(await code { _ = try await radio.scan(services: []) } == .tooLarge)
        streams.removeLast()
        try await eventually("there is room again") { await code { _ = try await radio.scan(services: []) } == nil }
        #expect(streams.count == 15)
        await air.close()
    }

    @Test func `64 connects of a radio may wait and one more is refused`() async throws {
        let air = VirtualAir.private(seed: 1)
        let radio = try await air.makeRadio()
        let waiting = (0..<64).map { number in
            Task { try await radio.connect(to: DeviceAddress(staticRandom: number), timeout: .seconds(600)) }
        }
        try await eventually("all wait") { await radio.pendingConnectCount == 64 }
        let address = DeviceAddress(staticRandom: 99)
        #expect(await code { _ = try await radio.connect(to: address, timeout: .seconds(600)) } == .tooLarge)
        // One in the middle is cancelled before its turn came.
        waiting[40].cancel()
        #expect(await waiting[40].result.failure as? RadioError == RadioError(.cancelled, ""))
        #expect(await radio.pendingConnectCount == 63)
        await air.close()
        for attempt in waiting { #expect(await attempt.result.failure != nil) }
    }

    @Test func `1,024 operations may be pending on a link and one more is refused`() async throws {
        let air = VirtualAir.private(seed: 1)
        let slow = DeviceRadioConditions(
            link: LinkParameters(phy: .le1M, intervalMicroseconds: 4_000_000), queueCapacity: 1)
        let device = try await RawDevice(on: air, conditions: slow)
        device.advertise()
        let radio = try await air.makeRadio(VirtualRadio.Configuration(conditions: slow))
        let link = try await radio.connect(to: device.address, timeout: .seconds(20))
        let characteristic = RemoteCharacteristic(
            uuid: BluetoothUUID(UInt16(1)), properties: .writeWithoutResponse, valueHandle: 3)
        // The controller takes one; the others wait for room.
        let writes = (0...VirtualLinkSession.maximumOperations).map { _ in
            Task { try await link.writeWithoutResponse([1], to: characteristic) }
        }
        try await eventually("all wait") {
            await radio.operationCount(of: LinkID(1)) == VirtualLinkSession.maximumOperations
        }
        #expect(await code { try await link.writeWithoutResponse([1], to: characteristic) } == .tooLarge)
        await air.close()
        for write in writes { _ = await write.result }
    }

    @Test func `64 radios may be made on an air and one more is refused`() async throws {
        let air = VirtualAir.private(seed: 1)
        for _ in 0..<VirtualAir.maximumRadios - 1 { _ = try await air.makeRadio() }
        let last = try await air.makeRadio()
        #expect(await code { _ = try await air.makeRadio() } == .tooLarge)
        await last.close()
        #expect(await code { _ = try await air.makeRadio() } == nil)
        await air.close()
    }

    @Test func `a device's address stays taken until its last link is down`() async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/air.sock"
            let (host, guest) = (try await VirtualAir.shared(path: path), try await VirtualAir.shared(path: path))
            let device = try await RawDevice(on: host)
            device.advertise()
            let configuration = VirtualRadio.Configuration(address: DeviceAddress(staticRandom: 7))
            let radio = try await guest.makeRadio(configuration)
            _ = try await radio.connect(to: device.address, timeout: .seconds(20))
            _ = try await device.link()
            // It vanishes; its peer has not noticed yet.
            await guest.abandon()
            try await eventually("the host has taken the device off") {
                await code { _ = try await host.makeRadio(configuration) } == .unavailable
            }
            await host.close()
        }
    }
}
