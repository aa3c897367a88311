import Air
import Bluetooth
import Determinism
import Radio
import Testing

@testable import VirtualRadio

@Suite struct VirtualRadioTests {
    private static let uuid = BluetoothUUID(UInt16(0xFF01))
    private static let fast = DeviceRadioConditions(link: LinkParameters(phy: .le2M, intervalMicroseconds: 7500))
    private static let characteristic = RemoteCharacteristic(uuid: uuid, properties: .notify, valueHandle: 3)

    private static func configuration(
        _ conditions: DeviceRadioConditions = fast, timeout: Duration = .seconds(30), tap: (any PacketTap)? = nil
    ) -> VirtualRadio.Configuration {
        VirtualRadio.Configuration(conditions: conditions, transactionTimeout: timeout, tap: tap)
    }

    /// A radio connected to a device that the test plays.
    private func connected(
        _ air: VirtualAir, timeout: Duration = .seconds(30)
    ) async throws -> (link: any CentralLink, device: RawDevice, id: LinkID) {
        let device = try await RawDevice(on: air, conditions: Self.fast)
        device.advertise()
        let radio = try await air.makeRadio(Self.configuration(timeout: timeout))
        let link = try await radio.connect(to: device.address, timeout: .seconds(20))
        return (link, device, try await device.link())
    }

    private func code(_ body: () async throws -> Void) async -> RadioError.Code? {
        do { try await body() } catch { return (error as? RadioError)?.code }
        return nil
    }

    // MARK: - Peers that misbehave

    @Test func `an ATT request that is not answered fails and ends the link`() async throws {
        let air = VirtualAir.private(seed: 1)
        let (link, _, _) = try await connected(air, timeout: .milliseconds(50))
        #expect(await code { _ = try await link.exchangeMTU(100) } == .requestTimeout)
        var last: CentralLinkEvent?
        for await event in link.events { last = event }
        #expect(last == .disconnected(.protocolFailure))
        await air.close()
    }

    @Test func `an ATT answer that breaks the protocol fails with bad-answer`() async throws {
        let air = VirtualAir.private(seed: 1)
        let (link, device, id) = try await connected(air)
        async let found = code { _ = try await link.read(Self.characteristic) }
        #expect(try await device.received() == [0x0A, 3, 0])
        device.send([0x01, 0x0A, 3, 0], on: id)
        #expect(await found == .badAnswer)
        await air.close()
    }

    @Test func `an indication that is not confirmed fails and ends the link`() async throws {
        let air = VirtualAir.private(seed: 1)
        let radio = try await air.makeRadio(Self.configuration(timeout: .milliseconds(50)))
        try await radio.publish([
            ServiceDefinition(
                uuid: Self.uuid,
                characteristics: [CharacteristicDefinition(uuid: Self.uuid, properties: .indicate)])
        ])
        try await radio.startAdvertising(Advertisement(data: [], scanResponse: [], interval: .milliseconds(20)))
        let device = try await RawDevice(on: air, conditions: Self.fast)
        device.controller.perform(.connect(radio.address))
        _ = try await device.link()
        var reason: DisconnectReason?
        for await event in radio.events {
            if case .connected(let link, _) = event {
                let found = await code {
                    try await radio.notify([1], of: Self.uuid, on: link, confirmed: true)
                }
                #expect(found == .requestTimeout)
            }
            if case .disconnected(_, let cause) = event {
                reason = cause
                break
            }
        }
        #expect(reason == .protocolFailure)
        await air.close()
    }

    @Test func `frames of other channels, broken frames and empty PDUs are ignored by a link`() async throws {
        let air = VirtualAir.private(seed: 1)
        let (link, device, id) = try await connected(air)
        for frame in [[0, 0, 4, 0, 9], [9, 0, 4, 0, 1], [1, 0, 5, 0, 1], [1, 0, 6, 0, 1]] as [[UInt8]] {
            device.controller.perform(.send(id, frame: frame))
        }
        async let value = link.read(Self.characteristic)
        _ = try await device.received()
        device.send([0x0B, 42], on: id)
        #expect(try await value == [42])
        await air.close()
    }

    @Test func `values of a characteristic without a subscription are not delivered`() async throws {
        let air = VirtualAir.private(seed: 1)
        let (link, device, id) = try await connected(air)
        device.send([0x1B, 3, 0, 1], on: id)
        device.send([0x1B, 4, 0, 2], on: id)
        // A request after them, so that they have been dealt with.
        async let first = link.read(Self.characteristic)
        _ = try await device.received()
        device.send([0x0B, 0], on: id)
        _ = try await first
        try await link.subscribe(to: Self.characteristic)
        device.send([0x1B, 3, 0, 3], on: id)
        for await event in link.events {
            #expect(event == .value([3], of: Self.characteristic, isIndication: false))
            break
        }
        await air.close()
    }

    @Test func `a central that does not read its events loses the link rather than a value`() async throws {
        let air = VirtualAir.private(seed: 1)
        let (link, device, id) = try await connected(air)
        try await link.subscribe(to: Self.characteristic)
        var inFlight = 0
        var isUp = true
        while isUp {
            while inFlight < 16 {
                device.send([0x1B, 3, 0, 1], on: id)
                inFlight += 1
            }
            isUp = try await device.first { event in
                switch event {
                case .sent: true
                case .disconnected: false
                default: nil
                }
            }
            inFlight -= 1
        }
        var values = 0
        var last: CentralLinkEvent?
        for await event in link.events {
            if case .value = event { values += 1 }
            last = event
        }
        #expect(values == VirtualRadio.maximumEvents)
        #expect(last == .disconnected(.protocolFailure))
        await air.close()
    }

    // MARK: - Cancellation and closing

    @Test func `a pending operation can be cancelled, and the link goes on`() async throws {
        let air = VirtualAir.private(seed: 1)
        let (link, device, id) = try await connected(air)
        let read = Task { try await link.read(Self.characteristic) }
        _ = try await device.received()
        read.cancel()
        #expect(await code { _ = try await read.value } == .cancelled)
        // The answer to the request that was given up, then that to the next one.
        async let next = link.read(Self.characteristic)
        device.send([0x0B, 1], on: id)
        _ = try await device.received()
        device.send([0x0B, 2], on: id)
        #expect(try await next == [2])
        await air.close()
    }

    @Test func `a write command that waits for room can be cancelled and is then not sent`() async throws {
        let air = VirtualAir.private(seed: 1)
        let slow = DeviceRadioConditions(
            link: LinkParameters(phy: .le1M, intervalMicroseconds: 2_000_000), queueCapacity: 1)
        let device = try await RawDevice(on: air, conditions: slow)
        device.advertise()
        let radio = try await air.makeRadio(Self.configuration(slow))
        let link = try await radio.connect(to: device.address, timeout: .seconds(20))
        try await link.writeWithoutResponse([1], to: Self.characteristic)
        let parked = Task { try await link.writeWithoutResponse([2], to: Self.characteristic) }
        let last = Task {
            // This write is the second to arrive, in either order with the cancelled one.
            try await link.writeWithoutResponse([3], to: Self.characteristic)
        }
        parked.cancel()
        #expect(await code { try await parked.value } == .cancelled)
        _ = try await device.link()
        #expect(try await device.received().last == 1)
        #expect(try await device.received().last == 3)
        try await last.value
        await air.close()
    }

    @Test func `an operation cancelled before it begins does nothing`() async throws {
        let air = VirtualAir.private(seed: 1)
        let (link, _, _) = try await connected(air)
        let before = await link.statistics().pdusSent
        let found = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await code { _ = try await link.read(Self.characteristic) }
        }.value
        #expect(found == .cancelled)
        #expect(await link.statistics().pdusSent == before)
        await air.close()
    }

    @Test func `after a radio is closed its scans and connects end, and further calls fail`() async throws {
        let air = VirtualAir.private(seed: 1)
        let radio = try await air.makeRadio()
        let reports = try await radio.scan(services: [])
        let address = DeviceAddress(staticRandom: 1)
        let attempt = Task { try await radio.connect(to: address, timeout: .seconds(60)) }
        try await eventually("the connect waits") { await radio.pendingConnectCount > 0 }
        await radio.close()
        #expect(await code { for try await _ in reports {} } == .unavailable)
        #expect(await code { _ = try await attempt.value } == .unavailable)
        for await _ in radio.events {}
        #expect(await code { _ = try await radio.scan(services: []) } == .unavailable)
        #expect(await code { try await radio.publish([]) } == .unavailable)
        #expect(await code { _ = try await radio.connect(to: address, timeout: .seconds(1)) } == .unavailable)
        await air.close()
        #expect(await code { _ = try await air.makeRadio() } == .unavailable)
    }

    @Test func `closing a radio disconnects its links gracefully`() async throws {
        let air = VirtualAir.private(seed: 1)
        let device = try await RawDevice(on: air, conditions: Self.fast)
        device.advertise()
        let radio = try await air.makeRadio()
        _ = try await radio.connect(to: device.address, timeout: .seconds(20))
        await radio.close()
        let reason = try await device.first { event in
            if case .disconnected(_, let reason, _) = event { reason } else { nil }
        }
        #expect(reason == DisconnectReason.peer.rawValue)
        await air.close()
    }

    @Test func `an address belongs to one device at a time`() async throws {
        let air = VirtualAir.private(seed: 1)
        let configuration = VirtualRadio.Configuration(address: DeviceAddress(staticRandom: 7))
        let radio = try await air.makeRadio(configuration)
        #expect(radio.address == DeviceAddress(staticRandom: 7))
        #expect(await code { _ = try await air.makeRadio(configuration) } == .unavailable)
        await radio.close()
        #expect(await code { _ = try await air.makeRadio(configuration) } == nil)
        await air.close()
    }

    // MARK: - Connecting

    @Test func `a second connect to a connected device is refused`() async throws {
        let air = VirtualAir.private(seed: 1)
        let device = try await RawDevice(on: air, conditions: Self.fast)
        device.advertise()
        let radio = try await air.makeRadio()
        _ = try await radio.connect(to: device.address, timeout: .seconds(20))
        let again = await code { _ = try await radio.connect(to: device.address, timeout: .seconds(20)) }
        #expect(again == .unsupported)
        await air.close()
    }

    @Test func `connects of one radio run one after another, and a failed one does not stop the next`() async throws {
        let air = VirtualAir.private(seed: 1)
        let device = try await RawDevice(on: air, conditions: Self.fast)
        device.advertise()
        let radio = try await air.makeRadio()
        async let absent = code {
            _ = try await radio.connect(to: DeviceAddress(staticRandom: 1), timeout: .milliseconds(50))
        }
        let address = device.address
        async let present = radio.connect(to: address, timeout: .seconds(20))
        #expect(await absent == .connectTimeout)
        #expect(try await present.peer == address)
        await air.close()
    }

    // MARK: - What the link decides

    @Test func `an MTU exchange does not exceed the link's largest MTU`() async throws {
        let air = VirtualAir.private(seed: 1)
        let phone = try #require(LinkParameters.named.first { $0.name == "phone-4.2" }).parameters
        let peripheral = try await air.makeRadio(Self.configuration(DeviceRadioConditions(link: phone)))
        try await peripheral.startAdvertising(Advertisement(data: [], scanResponse: [], interval: .milliseconds(20)))
        let central = try await air.makeRadio()
        let link = try await central.connect(to: peripheral.address, timeout: .seconds(20))
        #expect(try await link.exchangeMTU(517) == 185)
        #expect(await link.statistics().parameters?.intervalMicroseconds == 30_000)
        await air.close()
    }

    @Test func `values of a characteristic without a subscription are dropped, those of others arrive`() async throws {
        let air = VirtualAir.private(seed: 1)
        let (link, device, id) = try await connected(air)
        try await link.subscribe(to: Self.characteristic)
        // Two values of handle 9, then one of handle 3.
        for handle in [9, 9, 3] as [UInt8] { device.send([0x1B, handle, 0, 7], on: id) }
        var delivered: [[UInt8]] = []
        for await event in link.events {
            guard case .value(let value, _, _) = event else { continue }
            delivered.append(value)
            break
        }
        #expect(delivered == [[7]])
        await air.close()
    }

    @Test func `write commands that the receiving host drops are counted in its statistics`() async throws {
        let air = VirtualAir.private(seed: 1)
        var conditions = Self.fast
        conditions.writeCommandDropShare = 1
        let peripheral = try await air.makeRadio(Self.configuration(conditions))
        try await peripheral.startAdvertising(Advertisement(data: [], scanResponse: [], interval: .milliseconds(20)))
        let central = try await air.makeRadio(Self.configuration())
        let link = try await central.connect(to: peripheral.address, timeout: .seconds(20))
        for _ in 0..<10 { try await link.writeWithoutResponse([1], to: Self.characteristic) }
        _ = try await link.discoverServices(nil)
        let statistics = await peripheral.statistics(of: LinkID(1))
        #expect(statistics.droppedByHost == 10)
        await link.disconnect()
        #expect(await link.statistics().pdusSent > 10)
        #expect(await peripheral.statistics(of: LinkID(1)).droppedByHost == 10)
        await air.close()
    }

    // MARK: - The tap

    @Test func `a tap records both directions of a link from its beginning to its end`() async throws {
        let air = VirtualAir.private(seed: 1)
        let tap = Recorder()
        let device = try await RawDevice(on: air, conditions: Self.fast)
        device.advertise()
        let radio = try await air.makeRadio(Self.configuration(tap: tap))
        for try await _ in try await radio.scan(services: []) { break }
        let link = try await radio.connect(to: device.address, timeout: .seconds(20))
        let id = try await device.link()
        async let value = link.read(Self.characteristic)
        _ = try await device.received()
        device.send([0x0B, 42], on: id)
        _ = try await value
        await link.disconnect()
        await air.close()

        let packets = tap.packets.withLock { $0 }
        #expect(packets.first?.linkNumber == 0)
        let ofLink = packets.filter { $0.linkNumber == 1 }
        #expect(ofLink.allSatisfy { $0.peer == device.address })
        #expect(ofLink.map(\.direction) == [.received, .sent, .received, .received])
        #expect(ofLink.dropFirst().first?.content == .frame([3, 0, 4, 0, 0x0A, 3, 0]))
        #expect(ofLink.dropFirst(2).first?.content == .frame([2, 0, 4, 0, 0x0B, 42]))
        #expect(ofLink.last?.content == .disconnected(reason: 0x16))
        let times = packets.map(\.microsecondsSinceEpoch)
        #expect(times == times.sorted())
    }
}

private final class Recorder: PacketTap {
    let packets = Lock<[TappedPacket]>([])

    func record(_ packet: TappedPacket) { packets.withLock { $0.append(packet) } }
}
