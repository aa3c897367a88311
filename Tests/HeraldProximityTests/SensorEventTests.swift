import Determinism
import Herald
import Testing

@testable import HeraldProximity

@Suite struct SensorEventTests {
    @Test func `events that the deployed libraries log become their log lines, and other events none`() {
        let time = WallTime(millisecondsSinceEpoch: 1_609_531_200_000)
        func lines(_ event: HeraldEvent) -> [String] {
            SensorEvent(at: .zero, time: time, event: event).contactLogLines.map { line in
                #expect(line.hasPrefix("2021-01-01 20:00:00,BLE,"))
                return String(line.dropFirst(24))
            }
        }
        let target = TargetID(7)
        let reading = SignalReading(target: target, at: .zero, rssi: -57, transmitPower: 12)
        let visit = BeaconVisit(target: target, payload: [0, 0, 0, 1], since: .zero, until: nil)
        #expect(lines(.detected(target)) == ["7,1,,,,,,,"])
        #expect(lines(.recognised(target)) == ["7,,,,,,6,,"])
        #expect(lines(.read(target, payload: [0, 0, 0, 1], .link)) == ["7,,2,,,,,,AQ=="])
        #expect(lines(.measured(reading)) == ["7,,,3,,,,,RSSI:-57.0[BLETransmitPower:12.0]"])
        #expect(lines(.shared([[0, 0, 0, 1], [0, 0, 0, 2]], by: target, rssi: -1)).count == 2)
        #expect(lines(.visit(visit)) == [",,,,,5,,,AQ=="])
        #expect(lines(.forgotten(target)) == ["7,,,,,,,7,"])
        #expect(lines(.ownPayload([1])) == [])
    }
}
