import Air
import Bluetooth
import Determinism
import Testing

struct AirAdvertisingTests {
    /// A world with one advertiser, and with scanners that listen from the start.
    static func world(
        seed: UInt64 = 1, scanners: [Bool], lossShare: Double = 0, rssi: Int = -50
    ) throws -> (world: SimulatedWorld, advertiser: AirDeviceID, scanners: [AirDeviceID]) {
        var world = SimulatedWorld(seed: seed, advertisementLossShare: lossShare)
        let advertiser = try world.join(Idler(), address: Pair.address, conditions: DeviceRadioConditions(rssi: rssi))
        var listening: [AirDeviceID] = []
        for isActive in scanners {
            let device = try world.join(Idler())
            world.perform(.startScanning(isActive: isActive), by: device)
            listening.append(device)
        }
        return (world, advertiser, listening)
    }

    static func reports(_ world: SimulatedWorld, _ device: AirDeviceID) throws -> [(
        at: MonotonicInstant, report: AdvertisementReport
    )] {
        try #require(world.host(device, as: Idler.self)).log.reports
    }

    @Test func `an active scanner gets the scan response right after each advertisement`() throws {
        var (world, advertiser, scanners) = try Self.world(scanners: [true], rssi: -77)
        world.perform(.advertise(), by: advertiser)
        world.run(until: .seconds(2))
        let reports = try Self.reports(world, scanners[0])
        #expect(reports.count >= 36)
        let kinds = reports.map(\.report.kind)
        #expect(kinds == (0..<kinds.count).map { $0 % 2 == 0 ? .connectable : .scanResponse })
        #expect(reports[0].report.data == [0x02, 0x01, 0x06])
        #expect(reports[1].report.data == [0x02, 0x0A, 0x04])
        #expect(reports[0].at == reports[1].at)
        #expect(reports.allSatisfy { $0.report.address == Pair.address && $0.report.rssi == -77 })
    }

    @Test func `two scanners hear the same advertisements, the passive one no scan responses`() throws {
        var (world, advertiser, scanners) = try Self.world(scanners: [false, true])
        world.perform(.advertise(), by: advertiser)
        world.run(until: .seconds(3))
        let passive = try Self.reports(world, scanners[0])
        let active = try Self.reports(world, scanners[1])
        #expect(passive.count > 20)
        #expect(active.count == 2 * passive.count)
        #expect(passive.map(\.at) == active.filter { $0.report.kind == .connectable }.map(\.at))
        #expect(passive.allSatisfy { $0.report.kind == .connectable })
    }

    @Test(arguments: [
        (wanted: 100_000, interval: 100_000), (20_000, 20_000), (19_999, 20_000), (-1, 20_000),
        (10_240_000, 10_240_000), (10_240_001, 10_240_000), (.max, 10_240_000),
    ])
    func `advertising events follow each other after the interval and up to ten milliseconds`(
        wanted: Int, interval: Int
    ) throws {
        var (world, advertiser, scanners) = try Self.world(scanners: [false])
        world.perform(.advertise(interval: wanted), by: advertiser)
        world.run(until: MonotonicInstant(nanoseconds: UInt64(interval) * 100_000))
        let times = try Self.reports(world, scanners[0]).map(\.at)
        let gaps = zip(times.dropFirst(), times).map { $0.microseconds(since: $1) }
        #expect(gaps.count > 60)
        #expect(gaps.allSatisfy { (interval...(interval + 10_000)).contains($0) })
        #expect(Set(gaps).count > 30)
        #expect(times[0].nanoseconds <= 10_000_000)
    }

    @Test func `advertising that is not connectable or not scannable is reported as such`() throws {
        var (world, advertiser, scanners) = try Self.world(scanners: [true])
        world.perform(.advertise(isConnectable: false), by: advertiser)
        world.run(until: .seconds(1))
        world.perform(
            .startAdvertising(data: [], scanResponse: [], intervalMicroseconds: 100_000, isConnectable: false),
            by: advertiser)
        let before = try Self.reports(world, scanners[0]).count
        world.run(until: .seconds(2))
        let kinds = try Self.reports(world, scanners[0]).map(\.report.kind)
        #expect(Set(kinds[..<before]) == [.scannable, .scanResponse])
        #expect(Set(kinds[before...]) == [.broadcast])
        world.perform(.connect(Pair.address), by: scanners[0])
        world.run(until: .seconds(5))
        #expect(world.host(scanners[0], as: Idler.self)?.log.connections.isEmpty == true)
    }

    @Test func `a simulated advertisement has at most 31 bytes`() throws {
        for count in [31, 32] {
            var (world, advertiser, scanners) = try Self.world(scanners: [false])
            let data = [UInt8](repeating: 1, count: count)
            world.perform(
                .startAdvertising(data: data, scanResponse: data, intervalMicroseconds: 50_000, isConnectable: true),
                by: advertiser)
            world.run(until: .seconds(1))
            let isHeard = try !Self.reports(world, scanners[0]).isEmpty
            #expect(isHeard == (count == 31))
        }
    }

    private static func numbered(_ number: UInt8, interval: Int = 100_000) -> AirCommand {
        .addAdvertisement(
            number, data: [2, 0xFF, number], scanResponse: [], intervalMicroseconds: interval, isConnectable: true)
    }

    private static func count(_ number: UInt8?, _ world: SimulatedWorld, _ scanner: AirDeviceID) throws -> Int {
        let data: [UInt8] = number.map { [2, 0xFF, $0] } ?? [0x02, 0x01, 0x06]
        return try reports(world, scanner).count { $0.report.data == data }
    }

    @Test func `advertisements with numbers are heard beside the one without, and each stops alone`() throws {
        var (world, advertiser, scanners) = try Self.world(scanners: [false])
        world.perform(.advertise(), by: advertiser)
        for number in [1, 2] as [UInt8] { world.perform(Self.numbered(number), by: advertiser) }
        world.run(until: .seconds(2))
        for number in [nil, 1, 2] as [UInt8?] {
            #expect((17...21).contains(try Self.count(number, world, scanners[0])), "\(number ?? 0)")
        }
        world.perform(.removeAdvertisement(1), by: advertiser)
        world.perform(.removeAdvertisement(7), by: advertiser)
        let before = try Self.count(1, world, scanners[0])
        world.run(until: .seconds(4))
        #expect(try Self.count(1, world, scanners[0]) == before)
        #expect(try Self.count(2, world, scanners[0]) > 30)
        world.perform(.stopAdvertising, by: advertiser)
        world.run(until: .seconds(6))
        #expect(try Self.count(nil, world, scanners[0]) < 45)
        #expect(try Self.count(2, world, scanners[0]) > 50)
        world.perform(.removeAdvertisement(2), by: advertiser)
        #expect(world.nextDeadline == nil)
    }

    @Test func `a connection stops the advertisement without a number and no other`() throws {
        var (world, advertiser, scanners) = try Self.world(scanners: [false, false])
        world.perform(.advertise(), by: advertiser)
        world.perform(Self.numbered(1), by: advertiser)
        world.perform(.connect(Pair.address), by: scanners[1])
        world.run(until: .seconds(1))
        #expect(world.host(scanners[1], as: Idler.self)?.log.connections.count == 1)
        let before = try (Self.count(nil, world, scanners[0]), Self.count(1, world, scanners[0]))
        world.run(until: .seconds(3))
        #expect(try Self.count(nil, world, scanners[0]) == before.0)
        #expect(try Self.count(1, world, scanners[0]) > before.1 + 15)
        world.perform(.connect(Pair.address), by: scanners[0])
        world.run(until: .seconds(4))
        #expect(world.host(scanners[0], as: Idler.self)?.log.connections.count == 1)
    }

    @Test func `a device has 16 advertisements on the air and no more`() throws {
        var (world, advertiser, scanners) = try Self.world(scanners: [false])
        for number in 0...16 as ClosedRange<UInt8> { world.perform(Self.numbered(number), by: advertiser) }
        world.run(until: .seconds(1))
        #expect(try Self.count(15, world, scanners[0]) > 5)
        #expect(try Self.count(16, world, scanners[0]) == 0)
        world.perform(Self.numbered(15, interval: 50_000), by: advertiser)
        world.run(until: .seconds(2))
        #expect(try Self.count(15, world, scanners[0]) > 20)
    }

    @Test func `nothing is heard after advertising or scanning has stopped`() throws {
        var (world, advertiser, scanners) = try Self.world(scanners: [false, false])
        world.perform(.advertise(), by: advertiser)
        world.run(until: .seconds(1))
        world.perform(.stopScanning, by: scanners[0])
        let first = try Self.reports(world, scanners[0]).count
        world.run(until: .seconds(2))
        #expect(try Self.reports(world, scanners[0]).count == first)
        world.perform(.stopAdvertising, by: advertiser)
        let second = try Self.reports(world, scanners[1]).count
        #expect(second > first)
        #expect(world.nextDeadline == nil)
        #expect(world.run(until: .seconds(3)) == .quiet)
        #expect(try Self.reports(world, scanners[1]).count == second)
    }

    @Test func `advertised data can be replaced faster than the advertising interval`() throws {
        var (world, advertiser, scanners) = try Self.world(scanners: [false])
        for step in 1...400 {
            world.perform(
                .startAdvertising(
                    data: [UInt8(truncatingIfNeeded: step)], scanResponse: [], intervalMicroseconds: 100_000,
                    isConnectable: true), by: advertiser)
            world.run(until: .seconds(Double(step) * 0.005))
        }
        let data = try Self.reports(world, scanners[0]).map(\.report.data)
        #expect((18...20).contains(data.count))
        #expect(Set(data).count == data.count)
    }

    @Test func `each scanner misses advertisements independently of others`() throws {
        var (world, advertiser, scanners) = try Self.world(scanners: [false, false], lossShare: 0.3)
        world.perform(.advertise(interval: 20_000), by: advertiser)
        world.run(until: .seconds(100))
        let heard = try scanners.map { Set(try Self.reports(world, $0).map(\.at)) }
        for times in heard { #expect((2600...3000).contains(times.count)) }
        #expect(heard[0] != heard[1])
    }

    @Test func `with a loss share of one no advertisement is heard`() throws {
        var (world, advertiser, scanners) = try Self.world(scanners: [true], lossShare: 1)
        world.perform(.advertise(), by: advertiser)
        world.run(until: .seconds(10))
        #expect(try Self.reports(world, scanners[0]).isEmpty)
    }
}
