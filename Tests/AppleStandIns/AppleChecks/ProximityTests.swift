import Air
import Bluetooth
import CoreBluetooth
import CoreBluetoothRadio
import Determinism
import Herald
import HeraldProximity
import Radio
import StockHeralds
import Testing
import VirtualRadio

/// Herald on Core Bluetooth, among a Linux node and models of deployed phones.
@Suite(.serialized) struct ProximityTests {
    /// A Herald sensor and the events that it reported.
    private actor Node {
        let sensor: Sensor
        private(set) var events: [HeraldEvent] = []

        init(_ sensor: Sensor) { self.sensor = sensor }

        func run() async {
            let stream = sensor.events
            Task { for await event in stream { self.add(event.event) } }
            await sensor.start()
        }

        private func add(_ event: HeraldEvent) { events.append(event) }

        func hasRead(_ payload: [UInt8]) -> Bool {
            events.contains { if case .read(_, payload, _) = $0 { true } else { false } }
        }

        /// The number of distance readings that the node made over a link.
        var linkReadings: Int {
            events.count { if case .measured(let reading) = $0 { reading.provenance == .link } else { false } }
        }
    }

    /// A phone with an app in front.
    private static func apple(
        on air: VirtualAir, payload: [UInt8], inBackground: Bool = false
    ) async throws -> (phone: SimulatedPhone, radio: CoreBluetoothRadio, node: Node) {
        let phone = try await SimulatedPhone.make(on: air)
        phone.change { $0.isInBackground = inBackground }
        let radio = try await CoreBluetoothRadio.open()
        let sensor = try Sensor(
            central: radio, peripheral: radio, supplier: FixedPayloadSupplier(payload), configuration: .iPhone)
        let node = Node(sensor)
        await node.run()
        return (phone, radio, node)
    }

    private static func linux(on air: VirtualAir, payload: [UInt8]) async throws -> Node {
        let radio = try await air.makeRadio()
        let node = Node(
            try Sensor(central: radio, peripheral: radio, supplier: FixedPayloadSupplier(payload)))
        await node.run()
        return node
    }

    @Test(arguments: [false, true])
    func `an Apple and a Linux Herald node read each other's payloads, also in the background`(
        inBackground: Bool
    ) async throws {
        let air = VirtualAir.private(seed: 1)
        let (_, radio, apple) = try await Self.apple(on: air, payload: [1, 1, 1], inBackground: inBackground)
        let linux = try await Self.linux(on: air, payload: [2, 2])
        #expect(try await becomes { await apple.hasRead([2, 2]) })
        #expect(try await becomes { await linux.hasRead([1, 1, 1]) })
        await apple.sensor.stop()
        await linux.sensor.stop()
        await radio.close()
        await air.close()
    }

    @Test func `two Apple Herald nodes read each other and go on measuring over their kept link`() async throws {
        let air = VirtualAir.private(seed: 2)
        let (_, first, one) = try await Self.apple(on: air, payload: [1, 1, 1])
        let (_, second, two) = try await Self.apple(on: air, payload: [2, 2])
        #expect(try await becomes { await one.hasRead([2, 2]) })
        #expect(try await becomes { await two.hasRead([1, 1, 1]) })
        #expect(try await becomes { await one.linkReadings + two.linkReadings >= 3 })
        await one.sensor.stop()
        await two.sensor.stop()
        await first.close()
        await second.close()
        await air.close()
    }

    @Test func `an Apple Herald node finds one in the background, and goes on measuring there itself`()
        async throws
    {
        let air = VirtualAir.private(seed: 3)
        let (_, first, hidden) = try await Self.apple(on: air, payload: [1, 1, 1], inBackground: true)
        let (phone, second, front) = try await Self.apple(on: air, payload: [2, 2])
        #expect(try await becomes { await front.hasRead([1, 1, 1]) })
        phone.change { $0.isInBackground = true }
        let before = await front.linkReadings
        #expect(try await becomes { await front.linkReadings > before + 2 })
        await hidden.sensor.stop()
        await front.sensor.stop()
        await first.close()
        await second.close()
        await air.close()
    }

    @Test func `two Apple nodes that were always in the background do not find each other`() async throws {
        let air = VirtualAir.private(seed: 4)
        let (_, first, one) = try await Self.apple(on: air, payload: [1, 1, 1], inBackground: true)
        let (_, second, two) = try await Self.apple(on: air, payload: [2, 2], inBackground: true)
        try await Task.sleep(for: .seconds(6))
        #expect(await one.events.allSatisfy { if case .read = $0 { false } else { true } })
        #expect(await two.events.allSatisfy { if case .read = $0 { false } else { true } })
        await one.sensor.stop()
        await two.sensor.stop()
        await first.close()
        await second.close()
        await air.close()
    }

    @Test(arguments: [
        (StockHeraldLibrary.android22, false), (.android22, true), (.android20, false), (.ios22, false), (.cpp, false),
    ]) func `an Apple node reads the models of deployed phones, and phones that look for it read it`(
        library: StockHeraldLibrary, inBackground: Bool
    ) async throws {
        let air = VirtualAir.private(seed: 5)
        let device = HostedDevice(StockAndroidHerald(library, payload: [9, 8, 7]), on: air)
        try await device.start()
        let (_, radio, apple) = try await Self.apple(on: air, payload: [1, 1, 1], inBackground: inBackground)
        #expect(try await becomes { await apple.hasRead([9, 8, 7]) })
        var notes: [ProximityObservation] = []
        // The model opens a link of its own to read, and the air has one link between two devices: an Apple node keeps
        // the one that it opened to another iPhone. Two Apple nodes, above, read each other over one link.
        let isRead = try await becomes {
            notes += await device.read { host in
                var new: [ProximityObservation] = []
                host.drainNotes(into: &new)
                return new
            }
            return notes.contains(.payloadRead([1, 1, 1])) || library == .ios22
        }
        #expect(isRead)
        await apple.sensor.stop()
        await device.stop()
        await radio.close()
        await air.close()
    }

    @Test func `an Apple Herald node receives a message and sends one back`() async throws {
        let air = VirtualAir.private(seed: 6)
        let (_, radio, apple) = try await Self.apple(on: air, payload: [1, 1, 1])
        let linux = try await Self.linux(on: air, payload: [2, 2])
        #expect(try await becomes { await apple.hasRead([2, 2]) })
        #expect(try await becomes { await linux.hasRead([1, 1, 1]) })
        let message = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
        _ = try await linux.sensor.send(message, to: .all)
        _ = try await apple.sensor.send([5, 5], to: .all)
        #expect(
            try await becomes {
                await apple.events.contains { if case .received(message, _) = $0 { true } else { false } }
            })
        #expect(
            try await becomes {
                await linux.events.contains { if case .received([5, 5], _) = $0 { true } else { false } }
            })
        await apple.sensor.stop()
        await linux.sensor.stop()
        await radio.close()
        await air.close()
    }
}
