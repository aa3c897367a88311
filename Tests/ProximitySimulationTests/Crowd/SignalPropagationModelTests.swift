import Bluetooth
import Determinism
import Testing

@testable import ProximitySimulation

@Suite struct SignalPropagationModelTests {
    private func antenna(_ x: Double, _ y: Double, heading: FloorPoint = FloorPoint(1, 0)) -> DevicePlacement {
        DevicePlacement(position: FloorPoint(x, y), heading: heading, transmitOffset: 0, receiveOffset: 0)
    }

    @Test func `the radio model's logarithms are right to six digits`() {
        for (value, expected) in [(1.0, 0.0), (10, 1), (0.001, -3), (2, 0.301_029_996), (729, 2.862_727_528)] {
            #expect(abs(PortableLogarithm.decimal(value) - expected) < 1e-6)
        }
    }

    @Test func `ten times the distance costs thirty decibels in both directions, and a body costs more`() {
        let model = SignalPropagationModel(seed: 1)
        let (near, far) = (antenna(1, 0), antenna(10, 0))
        let me = antenna(0, 0)
        #expect(abs(model.mean(me, near, 0, 1) - model.mean(me, far, 0, 1) - 30) < 1e-6)
        #expect(model.mean(me, near, 0, 1) == model.mean(near, me, 1, 0))
        let facingAway = antenna(0, 0, heading: FloorPoint(-1, 0))
        #expect(abs(model.mean(me, near, 0, 1) - model.mean(facingAway, near, 0, 1) - 6) < 1e-6)
    }

    @Test func `signal strengths vary around the mean, and weak packets are lost`() {
        var random = SeededRandom(seed: 2)
        let strong = (0..<4000).compactMap { _ in SignalPropagationModel.packet(-60, clear: 256, &random) }
        #expect(strong.count == 4000)
        #expect(abs(Double(strong.reduce(0, +)) / 4000 + 60) < 0.5)
        #expect(strong.min().map { $0 < -66 } == true)
        let weak = (0..<4000).compactMap { _ in SignalPropagationModel.packet(-94, clear: 256, &random) }
        #expect((1600...2400).contains(weak.count))
        #expect(weak.allSatisfy { $0 >= -94 })
        #expect((0..<1000).allSatisfy { _ in SignalPropagationModel.packet(-107, clear: 256, &random) == nil })
        let crowded = (0..<4000).compactMap { _ in SignalPropagationModel.packet(-60, clear: 128, &random) }
        #expect((1800...2200).contains(crowded.count))
    }

    @Test func `connect times are distributed as measured with phones`() {
        var random = SeededRandom(seed: 3)
        let times = (0..<20_000).map { _ in SignalPropagationModel.connectMilliseconds(&random) }
        #expect(abs(Double(times.count { $0 < 1000 }) / 20_000 - 0.584) < 0.02)
        #expect(abs(Double(times.count { $0 < 2000 }) / 20_000 - 0.892) < 0.02)
        #expect(times.allSatisfy { (150...20_000).contains($0) })
        #expect(times.contains { $0 > 6000 })
    }

    @Test func `the devices found near another one are exactly those within range, wherever they move`() {
        var random = SeededRandom(seed: 4)
        let places = (0..<300).map { _ in
            FloorPoint(Double(random.within(0...200)), Double(random.within(-100...100)))
        }
        var walks = places.map { DeviceWalk(along: [.init(0, $0), .init(100, FloorPoint($0.y, $0.x))]) }
        var positions = DevicePositions(places.map { antenna($0.x, $0.y) }, seed: 1)
        for time in [0.0, 50, 100] {
            positions.move(to: time, &walks)
            for index in [0, 17, 299] {
                var found: Set<Int> = []
                positions.forEachNearby(of: index) { other, its in
                    found.insert(other)
                    #expect(its.position == positions.antennas[other].position)
                }
                let place = positions.antennas[index].position
                let expected = positions.antennas.indices.filter {
                    $0 != index && positions.antennas[$0].position.squaredDistance(to: place) <= 27 * 27
                }
                #expect(found == Set(expected))
            }
        }
    }

    @Test func `a pair of devices is found among thousands in the pair table`() {
        var table = DevicePairTable()
        for other in 0..<3000 { table.details[table.index(of: other * 7)].reads = UInt16(other) }
        #expect((0..<3000).allSatisfy { table.details[table.index(of: $0 * 7)].reads == UInt16($0) })
        #expect(table.states.count == 3000 && table.details.count == 3000)
    }

    @Test func `an advertising device is found with its data, and not under its former address`() {
        let addresses = (0..<3).map { DeviceAddress(value: UInt64($0), kind: .random) }
        var stations = SimulatedDeviceRadios(
            addresses.map { SimulatedDeviceRadio(address: $0, phantoms: 0, canAdvertise: true) })
        #expect(stations.range(of: 1).isEmpty && !stations[1].isAdvertising)
        let full = DeviceAdvertisingState(
            data: (1...31).map { UInt8($0) }, isConnectable: true, intervalMilliseconds: 250, isInBackground: false)
        let short = DeviceAdvertisingState(
            data: [7, 7], isConnectable: false, intervalMilliseconds: 20, isInBackground: true)
        stations.apply([.advertisement(1, full), .advertisement(2, full), .advertisement(2, short)])
        #expect(Array(stations.bytes[stations.range(of: 1)]) == full.data)
        #expect(Array(stations.bytes[stations.range(of: 2)]) == short.data)
        #expect(stations[1].isConnectable && !stations[2].isConnectable && stations[2].isInBackground)
        stations.apply([.advertisement(1, nil), .address(2, DeviceAddress(value: 9, kind: .random))])
        #expect(!stations[1].isAdvertising)
        #expect(stations.owner(of: addresses[2]) == nil)
        #expect(stations.owner(of: DeviceAddress(value: 9, kind: .random)) == 2)
    }

    @Test func `a crowd payload identifies its owner, and changed bytes identify none`() {
        #expect(CrowdPayload.owner(of: CrowdPayload.bytes(of: 77, generation: 3)) == 77)
        var bytes = CrowdPayload.bytes(of: 77)
        bytes[6] ^= 1
        #expect(CrowdPayload.owner(of: bytes) == nil)
        #expect(CrowdPayload.owner(of: Array(bytes.dropLast())) == nil)
    }

    @Test
    func `a time window counts if its pair was in range throughout and could detect each other`() {
        var figures = CrowdDeviceFigures()
        let place = figures.pairs.index(of: 1)
        for second in UInt64(0)..<90 { figures.noteInRange(place, at: second, canNotice: true) }
        figures.noteReading(of: 1, at: 89)
        for second in UInt64(90)..<119 { figures.noteInRange(place, at: second, canNotice: true) }
        figures.finish(at: 120)
        #expect(figures.pairs.states[place].windows == 3)
        #expect(figures.pairs.states[place].heardWindows == 1)
    }

    @Test func `time windows of a pair that could not yet detect each other do not count`() {
        var figures = CrowdDeviceFigures()
        let place = figures.pairs.index(of: 1)
        for second in UInt64(0)..<120 { figures.noteInRange(place, at: second, canNotice: second == 45) }
        figures.finish(at: 120)
        #expect(figures.pairs.states[place].windows == 2)
    }
}
