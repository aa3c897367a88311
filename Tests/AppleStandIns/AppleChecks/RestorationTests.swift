import Air
import Bluetooth
import CoreBluetooth
import CoreBluetoothRadio
import Herald
import HeraldProximity
import Radio
import Testing
import VirtualRadio

/// The system ends the app, keeps what it did with Bluetooth, and starts it anew.
@Suite(.serialized) struct RestorationTests {
    private static let service = BluetoothUUID(UInt16(0xFF10))
    private static let value = BluetoothUUID(UInt16(0xFF11))
    private static let push = BluetoothUUID(UInt16(0xFF12))
    private static let advertisement = Advertisement(
        data: [2, 1, 6, 3, 3, 0x10, 0xFF], scanResponse: [], interval: .milliseconds(20))

    private static let services = [
        ServiceDefinition(
            uuid: service,
            characteristics: [
                CharacteristicDefinition(uuid: value, properties: [.read, .write], initialValue: [1, 2, 3]),
                CharacteristicDefinition(uuid: push, properties: .notify),
            ])
    ]

    private static func app(
        hasPeripheralRole: Bool = false, restoreWait: Duration = .seconds(30)
    ) async throws -> CoreBluetoothRadio {
        try await CoreBluetoothRadio.open(
            CoreBluetoothRadio.Configuration(
                hasPeripheralRole: hasPeripheralRole, restoreIdentifier: "app", restoreWait: restoreWait))
    }

    /// The system ends the app, which holds these objects until then.
    private static func end<Objects>(_ objects: Objects, on phone: SimulatedPhone) {
        withExtendedLifetime(objects) { phone.endApp() }
    }

    /// Counts the connections and disconnections that a peripheral reports.
    private actor Watch {
        private(set) var connections = 0
        private(set) var disconnections = 0

        init(_ radio: VirtualRadio) {
            Task { [weak self, events = radio.events] in for await event in events { await self?.take(event) } }
        }

        private func take(_ event: PeripheralEvent) {
            if case .connected = event { connections += 1 }
            if case .disconnected = event { disconnections += 1 }
        }
    }

    private static func peripheral(on air: VirtualAir) async throws -> (VirtualRadio, Watch) {
        let peripheral = try await air.makeRadio()
        try await peripheral.publish(services)
        try await peripheral.startAdvertising(advertisement)
        return (peripheral, Watch(peripheral))
    }

    @Test func `a Bluetooth connection outlives the app, and the relaunched app takes it over at once`() async throws {
        let air = VirtualAir.private(seed: 1)
        let (peripheral, watch) = try await Self.peripheral(on: air)
        let phone = try await SimulatedPhone.make(on: air)
        let address = Apple.address(of: peripheral.address)
        let old = try await Self.app()
        let before = try await old.connect(to: address, timeout: .seconds(30))
        Self.end((old, before), on: phone)
        let radio = try await Self.app()
        #expect(await radio.restored?.connected == [address])
        #expect(await radio.restored?.connecting == [])
        let link = try await radio.connect(to: address, timeout: .seconds(30))
        let service = try #require(try await link.discoverServices(Self.service).first)
        let found = try await link.discoverCharacteristics(of: service)
        #expect(try await link.read(#require(found.first { $0.uuid == Self.value })) == [1, 2, 3])
        try await link.subscribe(to: #require(found.first { $0.uuid == Self.push }))
        #expect(await watch.connections == 1)
        #expect(await watch.disconnections == 0)
        await radio.close()
        #expect(try await becomes { await watch.disconnections == 1 })
        await air.close()
    }

    @Test func `without a restore identifier no Bluetooth state outlives the app`() async throws {
        let air = VirtualAir.private(seed: 2)
        let (peripheral, watch) = try await Self.peripheral(on: air)
        let (phone, old) = try await Apple.wallet(on: air)
        let before = try await old.connect(to: Apple.address(of: peripheral.address), timeout: .seconds(30))
        Self.end((old, before), on: phone)
        #expect(try await becomes { await watch.disconnections == 1 })
        let radio = try await Self.app()
        #expect(await radio.restored == nil)
        await radio.close()
        await air.close()
    }

    @Test func `a restored Bluetooth connection that the relaunched app does not use is ended`() async throws {
        let air = VirtualAir.private(seed: 3)
        let (peripheral, watch) = try await Self.peripheral(on: air)
        let phone = try await SimulatedPhone.make(on: air)
        let address = Apple.address(of: peripheral.address)
        let old = try await Self.app()
        let before = try await old.connect(to: address, timeout: .seconds(30))
        Self.end((old, before), on: phone)
        let radio = try await Self.app(restoreWait: .milliseconds(200))
        #expect(await radio.restored?.connected == [address])
        #expect(try await becomes { await watch.disconnections == 1 })
        await radio.close()
        await air.close()
    }

    @Test func `a Bluetooth connect goes on without the app, and the relaunched app waits for it`() async throws {
        let air = VirtualAir.private(seed: 4)
        let (peripheral, watch) = try await Self.peripheral(on: air)
        let phone = try await SimulatedPhone.make(on: air)
        let address = Apple.address(of: peripheral.address)
        let old = try await Self.app()
        for try await report in try await old.scan(services: [Self.service]) where report.address == address { break }
        await peripheral.stopAdvertising()
        let attempt = Task { try await old.connect(to: address, timeout: .seconds(60)) }
        try await Task.sleep(for: .milliseconds(300))
        Self.end(old, on: phone)
        let radio = try await Self.app()
        #expect(await radio.restored?.connecting == [address])
        let next = Task { try await radio.connect(to: address, timeout: .seconds(60)) }
        try await peripheral.startAdvertising(Self.advertisement)
        #expect(try await next.value.peer == address)
        #expect(await watch.connections == 1)
        attempt.cancel()
        await radio.close()
        await air.close()
    }

    @Test(arguments: [false, true])
    func `a restored scan goes on, and the relaunched app's scan reports all devices again`(
        inBackground: Bool
    ) async throws {
        let air = VirtualAir.private(seed: 5)
        let (connected, _) = try await Self.peripheral(on: air)
        let (other, _) = try await Self.peripheral(on: air)
        let phone = try await SimulatedPhone.make(on: air)
        let old = try await Self.app()
        let scan = try await old.scan(services: [Self.service])
        let link = try await old.connect(to: Apple.address(of: connected.address), timeout: .seconds(30))
        await connected.stopAdvertising()
        Self.end((old, scan, link), on: phone)
        phone.change { $0.isInBackground = inBackground }
        let radio = try await Self.app()
        #expect(await radio.restored?.scannedServices == [Self.service])
        // A report that comes before the app listens is not lost: in the background each device is reported once.
        try await Task.sleep(for: .milliseconds(300))
        var left: Set = [Apple.address(of: connected.address), Apple.address(of: other.address)]
        for try await report in try await radio.scan(services: [Self.service]) {
            left.remove(report.address)
            if left.isEmpty { break }
        }
        #expect(left.isEmpty)
        await radio.close()
        await air.close()
    }

    @Test func `published services outlive the app with their subscriber, whose writes arrive later`() async throws {
        let air = VirtualAir.private(seed: 6)
        let phone = try await SimulatedPhone.make(on: air)
        let old = try await Self.app(hasPeripheralRole: true)
        try await old.publish(Self.services)
        try await old.startAdvertising(Self.advertisement)
        let central = try await air.makeRadio()
        let link = try await central.connect(to: phone.address, timeout: .seconds(30))
        _ = try await link.exchangeMTU(185)
        let service = try #require(try await link.discoverServices(Self.service).first)
        let found = try await link.discoverCharacteristics(of: service)
        try await link.subscribe(to: #require(found.first { $0.uuid == Self.push }))
        for await event in old.events { if case .subscribed = event { break } }
        Self.end(old, on: phone)
        try await link.write([7, 8], to: #require(found.first { $0.uuid == Self.value }))
        let radio = try await Self.app(hasPeripheralRole: true)
        let restored = await radio.restored
        #expect(restored?.publishedServices == [Self.service])
        #expect(restored?.subscribers == [Apple.address(of: central.address)])
        #expect(restored?.isAdvertising == true)
        try await radio.publish(Self.services)
        try await radio.startAdvertising(Self.advertisement)
        var events: [PeripheralEvent] = []
        for await event in radio.events {
            events.append(event)
            if case .written = event { break }
        }
        guard case .connected(let id, Apple.address(of: central.address))? = events.first else {
            Issue.record("the first event is \(events)")
            return
        }
        #expect(events.contains(.subscribed(id, characteristic: Self.push, isSubscribed: true)))
        #expect(events.last == .written(id, characteristic: Self.value, value: [7, 8], isCommand: false))
        try await radio.notify([9], of: Self.push, on: id, confirmed: false)
        var received: [[UInt8]] = []
        for await event in link.events {
            if case .value(let value, _, _) = event { received.append(value) }
            if !received.isEmpty { break }
        }
        #expect(received == [[9]])
        let other = try await air.makeRadio()
        _ = try await other.connect(to: phone.address, timeout: .seconds(30))
        await radio.close()
        await air.close()
    }

    @Test func `a relaunched Herald node in the background measures the iPhone it was connected to`()
        async throws
    {
        let air = VirtualAir.private(seed: 7)
        let phone = try await SimulatedPhone.make(on: air)
        let old = try await Self.node(payload: [1, 1, 1])
        let otherPhone = try await SimulatedPhone.make(on: air)
        let other = try await Self.node(payload: [2, 2])
        #expect(try await becomes { await old.log.hasRead([2, 2]) })
        #expect(try await becomes { await other.log.hasRead([1, 1, 1]) })
        #expect(try await becomes { await old.log.linkReadings + other.log.linkReadings >= 2 })
        for phone in [phone, otherPhone] { phone.change { $0.isInBackground = true } }
        Self.end(old, on: phone)
        phone.becomeCurrent()
        let anew = try await Self.node(payload: [1, 1, 1])
        let restored = await anew.radio.restored
        #expect(restored?.publishedServices.isEmpty == false)
        #expect(restored?.isAdvertising == true)
        let before = await other.log.linkReadings
        #expect(
            try await becomes {
                let readings = await anew.log.linkReadings
                return await readings + other.log.linkReadings > before + 2
            })
        #expect(try await becomes { await anew.log.hasRead([2, 2]) })
        await anew.sensor.stop()
        await other.sensor.stop()
        await anew.radio.close()
        await other.radio.close()
        await air.close()
    }

    private actor Log {
        private var events: [HeraldEvent] = []

        func add(_ event: HeraldEvent) { events.append(event) }

        func hasRead(_ payload: [UInt8]) -> Bool {
            events.contains { if case .read(_, payload, _) = $0 { true } else { false } }
        }

        var linkReadings: Int {
            events.count { if case .measured(let reading) = $0 { reading.provenance == .link } else { false } }
        }
    }

    private static func node(
        payload: [UInt8]
    ) async throws -> (radio: CoreBluetoothRadio, sensor: Sensor, log: Log) {
        let radio = try await app(hasPeripheralRole: true)
        let sensor = try Sensor(
            central: radio, peripheral: radio, supplier: FixedPayloadSupplier(payload), configuration: .iPhone)
        let log = Log()
        let events = sensor.events
        Task { for await event in events { await log.add(event.event) } }
        await sensor.start()
        return (radio, sensor, log)
    }
}
