import Air
import Bluetooth
import Determinism
import Testing

/// A host that is woken at the given instants and notes when it was.
private struct Sleeper: SimulatedHost {
    var alarms: [MonotonicInstant]
    var keepsAlarm = false
    private(set) var woken: [MonotonicInstant] = []

    init(alarms: [MonotonicInstant], keepsAlarm: Bool = false) {
        self.alarms = alarms
        self.keepsAlarm = keepsAlarm
    }

    var nextDeadline: MonotonicInstant? { alarms.first }

    mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        woken.append(now)
        if woken.count > 1_000_000 || !keepsAlarm { alarms.removeFirst() }
    }

    /// Any event cancels what is left.
    mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        alarms = []
    }
}

struct SimulatedWorldTests {
    @Test func `hosts are woken at their deadlines, and the run ends when none is left`() throws {
        var world = SimulatedWorld(seed: 1)
        let instants = [1.0, 2.5, 2.5, 7].map(MonotonicInstant.seconds)
        let device = try world.join(Sleeper(alarms: instants))
        #expect(world.run(until: .seconds(100)) == .quiet)
        #expect(world.host(device, as: Sleeper.self)?.woken == instants)
        #expect(world.now == .seconds(7))
    }

    @Test func `a time limit includes events at its instant, and leaves the clock there`() throws {
        for (limit, count) in [(1.999_999_999, 1), (2.0, 2)] {
            var world = SimulatedWorld(seed: 1)
            let device = try world.join(Sleeper(alarms: [.seconds(1), .seconds(2), .seconds(3)]))
            #expect(world.run(until: .seconds(limit)) == .timeLimit)
            #expect(world.now == .seconds(limit))
            #expect(world.host(device, as: Sleeper.self)?.woken.count == count)
        }
    }

    @Test func `a run stops when its condition no longer holds`() throws {
        var world = SimulatedWorld(seed: 1)
        _ = try world.join(Sleeper(alarms: [.seconds(1), .seconds(2), .seconds(3)]))
        #expect(world.run(until: .seconds(9), while: { $0.now < .seconds(2) }) == .stopped)
        #expect(world.now == .seconds(2))
    }

    @Test func `a host that does not move its deadline stops the run as stuck`() throws {
        var world = SimulatedWorld(seed: 1)
        _ = try world.join(Sleeper(alarms: [.seconds(1)], keepsAlarm: true))
        #expect(world.run(until: .seconds(9)) == .stuck)
    }

    @Test func `a deadline that a host withdraws does not move the clock`() throws {
        var world = SimulatedWorld(seed: 1)
        let device = try world.join(Sleeper(alarms: [.seconds(50)]))
        world.perform(.connect(DeviceAddress(staticRandom: 5)), by: device)
        world.perform(.cancelConnect, by: device)
        #expect(world.run(until: .seconds(100)) == .quiet)
        #expect(world.now == .zero)
    }

    @Test func `a removed host receives no more events`() throws {
        var world = SimulatedWorld(seed: 1)
        let device = try world.join(Sleeper(alarms: [.seconds(1)]))
        world.remove(device)
        #expect(world.run(until: .seconds(9)) == .quiet)
        #expect(world.host(device, as: Sleeper.self) == nil)
    }

    @Test func `the trace lists what happened on the air`() throws {
        let link = LinkParameters(phy: .le2M, intervalMicroseconds: 15_000)
        let conditions = DeviceRadioConditions(link: link, writeCommandDropShare: 0.3, packetLossShare: 0.1)
        let flooder = Flooder(
            target: Pair.address, frame: attFrame(pduBytes: 247), count: 100, disconnectsAtEnd: true)
        var pair = try #require(Pair(central: flooder, peripheral: Listener(), conditions: conditions))
        let scanner = try pair.world.join(Idler())
        pair.world.perform(.startScanning(isActive: true), by: scanner)
        pair.world.run(until: .seconds(30))
        let kinds = Set(
            pair.world.trace.lines.compactMap { $0.split(separator: " ").first { $0.allSatisfy(\.isLetter) } })
        let expected: Set<Substring> = [
            "attach", "advertise", "unadvertise", "initiate", "scan", "advert", "connect", "frame", "drop", "retry",
            "disconnect",
        ]
        #expect(kinds == expected)
        #expect(pair.world.trace.lines.contains { $0.contains("writeCommand bytes=251 hash=") })
    }
}
