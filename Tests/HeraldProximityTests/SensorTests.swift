import Bluetooth
import Determinism
import Herald
import Radio
import TestSupport
import Testing
import VirtualRadio

@testable import HeraldProximity

/// Collects what a sensor tells and lets a test wait for something of it, at most five minutes: a sanitizer on a busy
/// machine makes half a second half a minute.
private actor Listener {
    private(set) var events: [SensorEvent] = []
    private(set) var hasEnded = false
    private var task: Task<Void, Never>?

    func listen(to sensor: Sensor) {
        let stream = sensor.events
        task = Task {
            for await event in stream { self.add(event) }
            self.end()
        }
    }

    private func add(_ event: SensorEvent) { events.append(event) }
    private func end() { hasEnded = true }
    func cancel() { task?.cancel() }

    /// Returns true once the condition holds, false when it does not in five minutes.
    func sees(_ condition: @Sendable (Listener) async -> Bool) async throws -> Bool {
        for _ in 0..<30_000 {
            if await condition(self) { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    func sees(_ match: @escaping @Sendable (HeraldEvent) -> Bool) async throws -> Bool {
        try await sees { await $0.events.contains { match($0.event) } }
    }
}

@Suite struct SensorTests {
    private func sensor(
        on air: VirtualAir, payload: [UInt8], advertises: Bool = true, maximumMTU: Int = 517,
        configuration: HeraldConfiguration = HeraldConfiguration(), clock: any MonotonicClock = SystemMonotonicClock()
    ) async throws -> (Sensor, Listener) {
        let radio = try await air.makeRadio(VirtualRadio.Configuration(maximumMTU: maximumMTU))
        let sensor = try Sensor(
            central: radio, peripheral: advertises ? radio : nil, supplier: FixedPayloadSupplier(payload),
            configuration: configuration, clock: clock)
        let listener = Listener()
        await listener.listen(to: sensor)
        return (sensor, listener)
    }

    /// A clock on which time passes ten times as fast.
    private struct FastClock: MonotonicClock {
        private let clock = SystemMonotonicClock()

        func now() -> MonotonicInstant { .zero + (clock.now() - .zero) * 10 }

        func wait(until deadline: MonotonicInstant) async throws {
            try await clock.wait(until: .zero + (deadline - .zero) / 10)
        }
    }

    @Test func `a sensor reports the distance of a device by windows, with its payload, and its contact`() async throws
    {
        let air = VirtualAir.private(seed: 1)
        let clock = FastClock()
        let (one, heard) = try await sensor(on: air, payload: [1, 1, 1], clock: clock)
        let (two, _) = try await sensor(on: air, payload: [2, 2, 2])
        await one.start()
        await two.start()
        #expect(try await heard.sees { if case .contactBegan(_, payload: [2, 2, 2], _) = $0 { true } else { false } })
        #expect(try await heard.sees { if case .distance = $0 { true } else { false } })
        for event in await heard.events {
            guard case .distance(_, let estimate) = event.event else { continue }
            #expect(event.payload == [2, 2, 2], "\(event)")
            #expect(estimate.interval.contains(estimate.metres) && estimate.readings > 0, "\(estimate)")
        }
        await one.stop()
        await two.stop()
        await air.close()
    }

    @Test(.shows("HP-04", "HP-15", "HP-62"))
    func `two sensors detect each other, read both payloads and measure signal strength`() async throws {
        let air = VirtualAir.private(seed: 1)
        let (one, heardByOne) = try await sensor(on: air, payload: [1, 1, 1])
        let (two, heardByTwo) = try await sensor(on: air, payload: Array(0..<200))
        await one.start()
        await two.start()
        #expect(try await heardByOne.sees { if case .read(_, Array(0..<200), .link) = $0 { true } else { false } })
        #expect(try await heardByTwo.sees { if case .read(_, [1, 1, 1], .link) = $0 { true } else { false } })
        #expect(
            try await heardByOne.sees { listener in
                await listener.events.contains { event in
                    if case .measured = event.event { event.payload == Array(0..<200) } else { false }
                }
            })
        #expect(await one.devices.map(\.payload) == [Array(0..<200)])
        #expect(await one.ownPayload == [1, 1, 1])
        await one.stop()
        await two.stop()
        #expect(try await heardByOne.sees { await $0.hasEnded })
        await air.close()
    }

    @Test(.shows("HP-19", "HP-53", "HP-77")) func `an application message arrives, and its delivery is reported`()
        async throws
    {
        let air = VirtualAir.private(seed: 2)
        let (one, heardByOne) = try await sensor(on: air, payload: [1])
        let (two, heardByTwo) = try await sensor(on: air, payload: [2])
        await one.start()
        await two.start()
        #expect(try await heardByOne.sees { if case .read = $0 { true } else { false } })
        #expect(try await heardByTwo.sees { if case .read = $0 { true } else { false } })
        let message = (0..<510).map { UInt8(truncatingIfNeeded: $0) }
        let dispatch = try await one.send(message, to: .all)
        #expect(dispatch.targets.count == 1)
        #expect(try await heardByTwo.sees { if case .received(message, _) = $0 { true } else { false } })
        #expect(try await heardByOne.sees { $0 == .sent(dispatch.message, to: dispatch.targets[0]) })
        await one.stop()
        await two.stop()
        await air.close()
    }

    @Test(.shows("HP-75"))
    func `phones with an ATT MTU of 23 read each other's long payloads and receive the longest message`() async throws {
        let air = VirtualAir.private(seed: 23)
        let payload = (0..<510).map { UInt8(truncatingIfNeeded: $0) }
        let (old, heardByOld) = try await sensor(on: air, payload: payload, maximumMTU: 23)
        let (new, heardByNew) = try await sensor(on: air, payload: payload.reversed())
        await old.start()
        await new.start()
        #expect(try await heardByOld.sees { if case .read(_, payload.reversed(), .link) = $0 { true } else { false } })
        #expect(try await heardByNew.sees { if case .read(_, payload, .link) = $0 { true } else { false } })
        _ = try await old.send(payload, to: .all)
        _ = try await new.send(payload, to: .all)
        for listener in [heardByOld, heardByNew] {
            #expect(try await listener.sees { if case .received(payload, _) = $0 { true } else { false } })
        }
        await old.stop()
        await new.stop()
        await air.close()
    }

    @Test(.shows("HP-14", "HP-18")) func `a sensor that cannot advertise is known by what it writes to others`()
        async throws
    {
        let air = VirtualAir.private(seed: 3)
        let (silent, heardBySilent) = try await sensor(on: air, payload: [9, 9], advertises: false)
        let (other, heardByOther) = try await sensor(on: air, payload: [2])
        await silent.start()
        await other.start()
        #expect(try await heardBySilent.sees { if case .read(_, [2], .link) = $0 { true } else { false } })
        #expect(try await heardByOther.sees { if case .read(_, [9, 9], .writtenByPeer) = $0 { true } else { false } })
        #expect(
            try await heardByOther.sees { event in
                if case .measured(let reading) = event { reading.provenance == .writtenByPeer } else { false }
            })
        await silent.stop()
        await other.stop()
        await air.close()
    }

    @Test func `a sensor whose radio does not advertise writes to others`() async throws {
        let air = VirtualAir.private(seed: 3)
        let radio = try await air.makeRadio()
        let silent = try Sensor(
            central: radio, peripheral: UnadvertisedRadio(radio: radio), supplier: FixedPayloadSupplier([9, 9]))
        let heardBySilent = Listener()
        await heardBySilent.listen(to: silent)
        let (other, heardByOther) = try await sensor(on: air, payload: [2])
        await silent.start()
        await other.start()
        #expect(
            try await heardBySilent.sees { event in
                guard case .trouble(let error, nil) = event else { return false }
                return error.code == .advertisingUnsupported && error.reason == "the adapter only listens"
            })
        #expect(try await heardByOther.sees { if case .read(_, [9, 9], .writtenByPeer) = $0 { true } else { false } })
        #expect(await !heardBySilent.events.contains { $0.event == .state(.unavailable) })
        await silent.stop()
        await other.stop()
        await air.close()
    }

    @Test(.shows("HP-37")) func `the link between two iPhones is kept open, woken and answered`() async throws {
        let air = VirtualAir.private(seed: 4)
        var configuration = HeraldConfiguration()
        configuration.platform = .iPhone
        let (one, heardByOne) = try await sensor(on: air, payload: [1], configuration: configuration)
        let (two, heardByTwo) = try await sensor(on: air, payload: [2], configuration: configuration)
        await one.start()
        await two.start()
        // An iPhone also writes its payload to others like it, so either may be reported before it has read.
        #expect(try await heardByOne.sees { if case .read(_, [2], _) = $0 { true } else { false } })
        #expect(try await heardByTwo.sees { if case .read(_, [1], _) = $0 { true } else { false } })
        try await Task.sleep(for: .seconds(3))
        let open = await one.devices.count { $0.hasLink } + two.devices.count { $0.hasLink }
        #expect(open >= 1)
        await one.stop()
        await two.stop()
        await air.close()
    }

    @Test func `a radio lost by a sensor is reported, and the sensor can still be stopped`() async throws {
        let air = VirtualAir.private(seed: 5)
        let (one, heard) = try await sensor(on: air, payload: [1])
        await one.start()
        #expect(try await heard.sees { $0 == .state(.on) })
        await air.close()
        #expect(try await heard.sees { $0 == .state(.unavailable) })
        await one.stop()
        #expect(try await heard.sees { await $0.hasEnded })
    }

    @Test func `cancelling the task that reads a sensor's events stops the sensor`() async throws {
        let air = VirtualAir.private(seed: 6)
        let (one, heard) = try await sensor(on: air, payload: [1])
        await one.start()
        #expect(try await heard.sees { $0 == .state(.on) })
        await heard.cancel()
        #expect(try await heard.sees { await $0.hasEnded })
        #expect(await one.droppedEvents == 0)
        await one.stop()
        await air.close()
    }

    @Test func `an unavailable radio is reported once, however often it is tried`() async throws {
        let air = VirtualAir.private(seed: 8)
        let radio = try await air.makeRadio()
        let clock = HandClock()
        let one = try Sensor(
            central: radio, peripheral: UnadvertisedRadio(radio: radio, refusal: .unavailable),
            supplier: FixedPayloadSupplier([1]), clock: clock)
        let heard = Listener()
        await heard.listen(to: one)
        await one.start()
        for tries in 1...4 {
            #expect(
                try await heard.sees { listener in
                    await listener.events.count { $0.event == .state(.unavailable) } == tries
                })
            clock.advance(by: .seconds(5))
        }
        let troubles = await heard.events.filter { if case .trouble = $0.event { true } else { false } }
        #expect(troubles.map(\.event) == [.trouble(HeraldError(.radioUnavailable, "the adapter only listens"), nil)])
        await one.stop()
        await air.close()
    }

    @Test func `a sensor refuses settings out of range, and messages without targets`() async throws {
        let air = VirtualAir.private(seed: 7)
        var configuration = HeraldConfiguration()
        configuration.timing.scanPause = .seconds(27)
        await #expect(throws: HeraldError(.configurationInvalid, "")) {
            _ = try await self.sensor(on: air, payload: [1], configuration: configuration)
        }
        let (one, _) = try await sensor(on: air, payload: [1])
        await #expect(throws: HeraldError(.sendUnknownTarget, "")) { _ = try await one.send([1], to: .all) }
        #expect(await one.device(TargetID(1)) == nil)
        await one.addressChanged()
        await one.stop()
        await air.close()
    }
}

/// A radio that does all but advertise.
private struct UnadvertisedRadio: PeripheralRadio {
    let radio: VirtualRadio
    var refusal = RadioError.Code.unsupported

    var events: AsyncStream<PeripheralEvent> { radio.events }

    func publish(_ services: [ServiceDefinition]) async throws(RadioError) { try await radio.publish(services) }

    func startAdvertising(_ advertisement: Advertisement) async throws(RadioError) {
        throw RadioError(refusal, "the adapter only listens")
    }

    func stopAdvertising() async {}

    func notify(
        _ value: [UInt8], of characteristic: BluetoothUUID, on link: LinkID, confirmed: Bool
    ) async throws(RadioError) {
        try await radio.notify(value, of: characteristic, on: link, confirmed: confirmed)
    }

    func setValue(_ value: [UInt8], of characteristic: BluetoothUUID) async throws(RadioError) {
        try await radio.setValue(value, of: characteristic)
    }

    func disconnect(_ link: LinkID) async { await radio.disconnect(link) }

    func statistics(of link: LinkID) async -> LinkStatistics { await radio.statistics(of: link) }
}
