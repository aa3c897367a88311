import Air
import Bluetooth
import Determinism
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

struct DigestTests {
    /// A minute of everything the air does: what it traced depends on the seed alone.
    static func digest(seed: UInt64) -> String {
        var world = SimulatedWorld(seed: seed, advertisementLossShare: 0.1, trace: SimulationTrace(capacity: 0))
        let link = LinkParameters(phy: .le1M, intervalMicroseconds: 30_000, packetsPerEvent: 6, maximumMTU: 185)
        let rough = DeviceRadioConditions(link: link, writeCommandDropShare: 0.1, packetLossShare: 0.05)
        let frame = attFrame(pduBytes: 185)
        let server = world.add(Listener(echoes: true, advertisesAgain: true), address: Pair.address, conditions: rough)
        for isActive in [true, false] {
            if let device = world.add(Idler()) { world.perform(.startScanning(isActive: isActive), by: device) }
        }
        let clients = (0..<3).map { number in
            world.add(
                Flooder(target: Pair.address, frame: frame, count: 100 * (number + 1), disconnectsAtEnd: number == 0))
        }
        world.run(until: .seconds(20))
        if let last = clients.last, let device = last { world.remove(device) }
        world.run(until: .seconds(40))
        if let server { world.remove(server, gracefully: true) }
        world.run(until: .seconds(60))
        return world.trace.digest
    }

    /// Changes with the model, the trace and the generator of randomness, and with nothing else.
    static let pinned = "260102c9bafb4849"

    @Test func `a simulation seed gives the stored trace digest`() {
        #expect(Self.digest(seed: 42) == Self.pinned)
    }

    @Test func `a simulation seed gives the same trace digest in another process`() async {
        await #expect(processExitsWith: .success) {
            exit(DigestTests.digest(seed: 42) == DigestTests.pinned ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    @Test func `different simulation seeds give different trace digests`() {
        let digests = (1...20).map { Self.digest(seed: $0) }
        #expect(Set(digests).count == 20)
        #expect(Self.digest(seed: 7) == digests[6])
    }

    @Test func `a large simulated transfer takes its virtual time and hardly any real time`() throws {
        let frame = attFrame(opcode: 0x12, pduBytes: 247)
        let count = 550_000 / 244 + 1
        let conditions = DeviceRadioConditions(link: LinkParameters.named.first { $0.name == "phone-5" }?.parameters)
        let flooder = Flooder(target: Pair.address, frame: frame, count: count, disconnectsAtEnd: true)
        var pair = try #require(Pair(central: flooder, peripheral: Listener(), conditions: conditions))
        let start = ContinuousClock.now
        pair.world.run(until: .seconds(60))
        let elapsed = start.duration(to: .now)
        let log = try #require(pair.world.host(pair.peripheral, as: Listener.self)).log
        let first = try #require(log.frames.first).at
        let last = try #require(log.frames.last).at
        #expect(log.frames.count == count)
        #expect((3_350_000...3_400_000).contains(last.microseconds(since: first)))
        print("550 kB over phone-5: \(last - first) on the air, simulated in \(elapsed)")
    }
}
