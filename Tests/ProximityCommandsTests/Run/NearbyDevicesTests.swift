import Testing

@testable import ProximityCommands

@Suite struct NearbyDevicesTests {
    private func record(
        _ at: Int, _ kind: ProximityRecord.Kind, _ peer: String, _ fill: (inout ProximityRecord) -> Void = { _ in }
    ) -> ProximityRecord {
        var record = ProximityRecord(at: at, device: "self", kind: kind, peer: peer)
        fill(&record)
        return record
    }

    private func known(_ peer: String, payload: [UInt8], at: Int, in nearby: inout NearbyDevices) {
        nearby.take(record(at, .detect, peer))
        nearby.take(record(at, .read, peer) { $0.payload = payload })
        nearby.take(record(at, .measure, peer) { $0.rssi = -57 })
        nearby.take(
            record(at, .begin, peer) {
                $0.since = at
                $0.payload = payload
            })
    }

    @Test func `a row of the table of devices in range shows identity, time, reading and distance`() {
        var nearby = NearbyDevices()
        known("d1", payload: [0, 0, 0, 1, 2, 3], at: 1000, in: &nearby)
        nearby.take(
            record(31_000, .distance, "d1") {
                $0.centimetres = 123
                $0.low = 50
                $0.high = 241
            })
        #expect(
            nearby.lines(at: 61_000) == [
                "identity  name  near for       heard     RSSI  distance  80 % between",
                "AQID      d1        1:00  60.0 s ago  -57 dBm     1.2 m  0.5 m and 2.4 m",
            ])
    }

    @Test func `the final table shows the length of recent contacts, and no row is wider than a terminal`() {
        var nearby = NearbyDevices()
        known("d1", payload: [0, 0, 0, 1, 2, 3], at: 1000, in: &nearby)
        nearby.take(
            record(31_000, .distance, "d1") {
                $0.centimetres = 1234
                $0.low = 500
                $0.high = 2410
            })
        nearby.take(
            record(60_500, .end, "d1") {
                $0.since = 1000
                $0.until = 60_000
            })
        let live = nearby.lines(at: 60_900)
        #expect(live.last == "AQID      d1           –  59.9 s ago  -57 dBm    12.3 m  5.0 m and 24.1 m")
        let last = nearby.lines(at: 60_900, isOver: true)
        #expect(last.last == "AQID      d1        0:59  59.9 s ago  -57 dBm    12.3 m  5.0 m and 24.1 m")
        #expect(last.allSatisfy { $0.count <= 80 })
    }

    @Test func `the table shows a device for a minute after its contact, and none without Herald`() {
        var nearby = NearbyDevices()
        known("d1", payload: [1], at: 0, in: &nearby)
        nearby.take(record(0, .detect, "d2"))
        nearby.take(record(0, .measure, "d2") { $0.rssi = -40 })
        nearby.take(record(30_000, .end, "d1"))
        #expect(nearby.present(at: 59_999).map(\.peer) == ["d1"])
        #expect(nearby.present(at: 60_000).isEmpty)
    }

    @Test func `a device that merges into another name keeps its payload, and a forgotten device is removed`() {
        var nearby = NearbyDevices()
        known("d1", payload: [1], at: 0, in: &nearby)
        known("d3", payload: [3], at: 0, in: &nearby)
        nearby.take(record(1, .merge, "d1") { $0.text = "d2" })
        #expect(nearby.identity(of: "d1") == nil)
        #expect(nearby.identity(of: "d2") == "AQ==")
        #expect(nearby.identity(of: "d3") == "Aw==")
        nearby.take(record(2, .forget, "d3"))
        #expect(nearby.devices.map(\.peer) == ["d2"])
    }

    @Test func `the table keeps 4,096 devices, and drops the one heard longest ago for a further one`() {
        var nearby = NearbyDevices()
        for index in 1...4096 { nearby.take(record(index, .measure, "d\(index)") { $0.rssi = -1 }) }
        #expect(nearby.devices.count == 4096)
        nearby.take(record(5000, .measure, "e") { $0.rssi = -1 })
        #expect(nearby.devices.count == 4096)
        #expect(nearby.devices.first?.peer == "d2")
        #expect(nearby.devices.last?.peer == "e")
    }

    @Test func `the table of devices in range counts the rows that do not fit`() {
        var nearby = NearbyDevices()
        for index in 1...5 { known("d\(index)", payload: [UInt8(index)], at: 0, in: &nearby) }
        #expect(nearby.lines(at: 1, rows: 2).count == 4)
        #expect(nearby.lines(at: 1, rows: 2).last == "and 3 more")
    }
}
