import Air
import Bluetooth
import Determinism
import Testing

/// Tests of outages of one device on a link with a supervision timeout of five seconds.
struct AirOutageTests {
    static func outage(_ from: Double, _ until: Double, _ direction: AirOutage.Direction = .both, share: Double = 1)
        -> AirOutage
    {
        AirOutage(from: .seconds(from), until: .seconds(until), direction: direction, lossShare: share)
    }

    /// A central that floods a peripheral with `count` frames; the outage is one of the central's device.
    static func run(_ outage: AirOutage?, count: Int, disconnects: Bool = false) throws -> (
        central: HostLog, peripheral: HostLog
    ) {
        var world = SimulatedWorld(seed: 1, trace: nil)
        let peripheral = try world.join(Listener(), address: Pair.address)
        let flooder = Flooder(
            target: Pair.address, frame: attFrame(opcode: 0x12, pduBytes: 100), count: count,
            disconnectsAtEnd: disconnects)
        let central = try world.join(flooder, conditions: DeviceRadioConditions(outages: outage.map { [$0] } ?? []))
        world.run(until: .seconds(40))
        return (
            try #require(world.host(central, as: Flooder.self)).log,
            try #require(world.host(peripheral, as: Listener.self)).log
        )
    }

    @Test(arguments: [0, 2000]) func `an outage shorter than the supervision timeout loses no frame`(count: Int) throws
    {
        let result = try Self.run(Self.outage(0.5, 5.3), count: count)
        #expect(result.central.connections.count == 1)
        #expect(result.central.ends.isEmpty)
        #expect(result.peripheral.frames.map { Flooder.number(of: $0.bytes) } == Array(0..<count))
    }

    @Test(arguments: [0, 100_000]) func `an outage longer than the supervision timeout ends the link at both ends`(
        count: Int
    ) throws {
        let result = try Self.run(Self.outage(2, 9), count: count)
        for log in [result.central, result.peripheral] {
            let end = try #require(log.ends.first)
            #expect(end.reason == 0x08)
            #expect((6_900_000...7_100_000).contains(end.at.microseconds(since: .zero)))
        }
    }

    @Test(arguments: [
        (AirOutage.Direction.sending, false), (.receiving, true),
    ]) func `an outage in one direction makes the link half open for a while`(
        direction: AirOutage.Direction, centralFirst: Bool
    ) throws {
        let result = try Self.run(Self.outage(2, 20, direction), count: 0)
        let central = try #require(result.central.ends.first)
        let peripheral = try #require(result.peripheral.ends.first)
        #expect((central.at < peripheral.at) == centralFirst)
        let gap = max(central.at, peripheral.at).microseconds(since: min(central.at, peripheral.at))
        #expect((4_900_000...5_100_000).contains(gap))
    }

    @Test func `a connection made during an outage is lost`() throws {
        let result = try Self.run(Self.outage(0, 30), count: 0)
        #expect(result.central.ends.first?.reason == 0x08)
        #expect(result.peripheral.ends.first?.reason == 0x08)
    }

    @Test func `an outage that loses three packets in ten delays all frames and loses none`() throws {
        let good = try Self.run(nil, count: 2000, disconnects: true)
        let bad = try Self.run(Self.outage(0, 40, share: 0.3), count: 2000, disconnects: true)
        #expect(bad.peripheral.frames.count == 2000)
        let times = try (#require(good.central.ends.first).at, #require(bad.central.ends.first).at)
        #expect(times.0 < times.1)
        #expect(try #require(bad.central.ends.first).statistics.retransmissions > 400)
    }

    @Test func `a host that replaces another receives the end of a link that it does not know`() throws {
        var world = SimulatedWorld(seed: 1, trace: nil)
        let peripheral = try world.join(Listener(), address: Pair.address)
        let central = try world.join(Listener(target: Pair.address))
        world.advance(to: .seconds(1))
        world.replaceHost(on: peripheral, with: Idler(), at: Pair.address)
        world.remove(central, gracefully: true)
        world.advance(to: .seconds(2))
        let log = try #require(world.host(peripheral, as: Idler.self)).log
        #expect(log.connections.isEmpty)
        #expect(log.ends.count == 1)
    }
}
