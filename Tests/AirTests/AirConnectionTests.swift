import Air
import Bluetooth
import Determinism
import Testing

struct AirConnectionTests {
    static let phone = LinkParameters(phy: .le2M, intervalMicroseconds: 15_000)

    @Test func `both ends learn of a connection at once, and the peripheral stops advertising`() throws {
        var pair = try #require(Pair(central: Listener(target: Pair.address), peripheral: Listener()))
        let scanner = try pair.world.join(Idler())
        pair.world.perform(.startScanning(isActive: false), by: scanner)
        #expect(pair.world.run(until: .seconds(5)) == .quiet)
        let central = try #require(pair.world.host(pair.central, as: Listener.self)).log
        let peripheral = try #require(pair.world.host(pair.peripheral, as: Listener.self)).log
        #expect(central.connectedAt != nil)
        #expect(central.connectedAt == peripheral.connectedAt)
        #expect(central.connections == peripheral.connections)
        let reports = try #require(pair.world.host(scanner, as: Idler.self)).log.reports
        #expect(reports.map(\.at) == [central.connectedAt])
    }

    @Test func `each end receives the address of the other`() throws {
        var pair = try #require(Pair(central: Listener(target: Pair.address), peripheral: Listener()))
        pair.world.run(until: .seconds(1))
        let events = try [pair.central, pair.peripheral].map {
            try #require(pair.world.host($0, as: Listener.self)).log.entries.map(\.event)
        }
        guard case .connected(_, let target, true, _, 16) = events[0].first,
            case .connected(_, let initiator, false, _, 16) = events[1].first
        else {
            Issue.record("not connected")
            return
        }
        #expect(target == Pair.address)
        #expect(initiator != Pair.address)
    }

    static let other = LinkParameters(
        phy: .le1M, intervalMicroseconds: 30_000, dataLengthBytes: 27, packetsPerEvent: 6, maximumMTU: 185,
        isEncrypted: true, supervisionTimeoutMilliseconds: 2000)

    @Test func `a link takes the smaller value of both ends for every parameter`() throws {
        #expect(try Self.agreed(Self.phone, Self.other) == Self.other)
        #expect(try Self.agreed(Self.other, Self.phone) == Self.other)
        #expect(try Self.agreed(nil, Self.other) == Self.other)
        #expect(try Self.agreed(Self.other, nil) == Self.other)
        let phone5 = try #require(LinkParameters.named.first { $0.name == "phone-5" }).parameters
        #expect(try Self.agreed(nil, nil) == phone5)
    }

    @Test func `link parameters that no controller supports are brought into range`() throws {
        let low = LinkParameters(
            phy: .le2M, intervalMicroseconds: 0, dataLengthBytes: 0, packetsPerEvent: 0, maximumMTU: 0,
            supervisionTimeoutMilliseconds: 0)
        #expect(
            try Self.agreed(low, nil)
                == LinkParameters(
                    phy: .le2M, intervalMicroseconds: 7500, dataLengthBytes: 27, packetsPerEvent: 1, maximumMTU: 23,
                    supervisionTimeoutMilliseconds: 100))
        let high = LinkParameters(
            phy: .le2M, intervalMicroseconds: 9_999_999, dataLengthBytes: 9999, packetsPerEvent: nil,
            maximumMTU: 9999, supervisionTimeoutMilliseconds: .max)
        #expect(
            try Self.agreed(high, nil)
                == LinkParameters(
                    phy: .le2M, intervalMicroseconds: 4_000_000, dataLengthBytes: 251, maximumMTU: 517,
                    supervisionTimeoutMilliseconds: 32_000))
        let crooked = LinkParameters(phy: .le2M, intervalMicroseconds: 8000)
        #expect(try Self.agreed(crooked, nil).intervalMicroseconds == 7500)
    }

    static func agreed(_ central: LinkParameters?, _ peripheral: LinkParameters?) throws -> LinkParameters {
        var world = SimulatedWorld(seed: 1)
        _ = world.add(Listener(), address: Pair.address, conditions: DeviceRadioConditions(link: peripheral))
        let device = try world.join(Listener(target: Pair.address), conditions: DeviceRadioConditions(link: central))
        world.run(until: .seconds(1))
        return try #require(world.host(device, as: Listener.self)?.log.connections.first).parameters
    }

    @Test func `changed air conditions apply to later connections only`() throws {
        var pair = try #require(
            Pair(
                central: Listener(target: Pair.address), peripheral: Listener(advertisesAgain: true),
                conditions: DeviceRadioConditions(link: Self.phone)))
        pair.world.run(until: .seconds(1))
        pair.world.perform(.configure(DeviceRadioConditions(link: Self.other, queueCapacity: 3)), by: pair.peripheral)
        _ = pair.world.add(Listener(target: Pair.address))
        pair.world.run(until: .seconds(2))
        let links = try #require(pair.world.host(pair.peripheral, as: Listener.self)).log.connections
        #expect(links.map(\.parameters) == [Self.phone, Self.other])
        #expect(links.map(\.capacity) == [16, 3])
    }

    @Test func `of two centrals that want to connect, the one that asked first is connected first`() throws {
        var world = SimulatedWorld(seed: 3)
        let late = try world.join(Idler())
        let early = try world.join(Idler())
        world.perform(.connect(Pair.address), by: early)
        world.perform(.connect(Pair.address), by: late)
        _ = world.add(Listener(advertisesAgain: true), address: Pair.address)
        world.run(until: .seconds(1))
        let first = try #require(world.host(early, as: Idler.self)?.log.connectedAt)
        let second = try #require(world.host(late, as: Idler.self)?.log.connectedAt)
        #expect(first < second)
    }

    @Test func `a cancelled connect is confirmed once and makes no connection`() throws {
        var world = SimulatedWorld(seed: 3)
        let device = try world.join(Idler())
        world.perform(.connect(Pair.address), by: device)
        world.run(until: .seconds(1))
        world.perform(.cancelConnect, by: device)
        world.perform(.cancelConnect, by: device)
        _ = world.add(Listener(), address: Pair.address)
        world.run(until: .seconds(3))
        let events = try #require(world.host(device, as: Idler.self)).log.entries.map(\.event)
        #expect(events == [.connectCancelled])
    }

    @Test func `a connect to another device cancels the earlier one`() throws {
        var world = SimulatedWorld(seed: 3)
        let device = try world.join(Idler())
        world.perform(.connect(DeviceAddress(staticRandom: 99)), by: device)
        world.perform(.connect(Pair.address), by: device)
        _ = world.add(Listener(), address: Pair.address)
        world.run(until: .seconds(1))
        let log = try #require(world.host(device, as: Idler.self)).log
        #expect(log.entries.first?.event == .connectCancelled)
        #expect(log.connections.count == 1)
    }

    @Test func `a second connection to the same device, or to the device itself, is refused`() throws {
        var pair = try #require(Pair(central: Listener(target: Pair.address), peripheral: Listener()))
        pair.world.run(until: .seconds(1))
        pair.world.perform(.connect(Pair.address), by: pair.central)
        pair.world.perform(.connect(Pair.address), by: pair.peripheral)
        for device in [pair.central, pair.peripheral] {
            let log = try #require(pair.world.host(device, as: Listener.self)).log
            #expect(log.entries.last?.event == .connectCancelled)
        }
    }

    @Test func `two connections of one peripheral carry frames at the same time`() throws {
        var world = SimulatedWorld(seed: 8)
        let server = try world.join(Listener(advertisesAgain: true), address: Pair.address)
        for mark in [UInt8(1), 2] {
            let frame = attFrame(opcode: 0x12, pduBytes: 100, mark: mark)
            _ = world.add(Flooder(target: Pair.address, frame: frame, count: 200))
        }
        world.run(until: .seconds(10))
        let marks = try #require(world.host(server, as: Listener.self)).log.frames.compactMap(\.bytes.last)
        #expect(marks.count { $0 == 1 } == 200)
        #expect(marks.count { $0 == 2 } == 200)
        #expect(marks != marks.sorted())
    }

    @Test func `a simulated device has at most 64 connections`() throws {
        var world = SimulatedWorld(seed: 8, trace: nil)
        let server = try world.join(Listener(advertisesAgain: true), address: Pair.address)
        for _ in 0..<65 { _ = world.add(Listener(target: Pair.address)) }
        world.run(until: .seconds(30))
        #expect(try #require(world.host(server, as: Listener.self)).log.connections.count == 64)
    }

    @Test func `a requested address that is taken is replaced by a free one`() throws {
        var air = SimulatedAir(seed: 1)
        let first = try air.join(address: Pair.address)
        let second = try air.join(address: Pair.address)
        #expect(first.address == Pair.address)
        #expect(second.address != Pair.address)
        #expect(second.address.kind == .random)
        var ignored: [SimulatedAir.HostDelivery] = []
        air.detach(first.device, at: .zero, into: &ignored)
        let third = try air.join(address: Pair.address)
        #expect(third.address == Pair.address)
    }

    @Test func `the air has at most 65,535 devices`() {
        var air = SimulatedAir(seed: 1)
        for _ in 1..<65_535 { _ = air.attach() }
        let last = air.attach()
        #expect(last?.device == AirDeviceID(65_535))
        #expect(air.attach() == nil)
    }

    @Test func `commands of unknown devices and about unknown links are ignored`() throws {
        var air = SimulatedAir(seed: 1)
        let device = try air.join().device
        var deliveries: [SimulatedAir.HostDelivery] = []
        let link = LinkID(7)
        for command in [
            AirCommand.send(link, frame: attFrame(pduBytes: 20)), .disconnect(link), .readStatistics(link),
            .cancelConnect, .stopScanning, .stopAdvertising,
        ] {
            air.perform(command, by: device, at: .zero, into: &deliveries)
            air.perform(command, by: AirDeviceID(9), at: .zero, into: &deliveries)
        }
        air.perform(.advertise(), by: AirDeviceID(9), at: .zero, into: &deliveries)
        #expect(deliveries.isEmpty)
        #expect(air.nextDeadline == nil)
    }
}
