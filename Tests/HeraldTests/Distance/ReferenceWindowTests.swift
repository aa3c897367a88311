import CryptoSuite
import Determinism
import Testing

@testable import Herald

@Suite struct ReferenceWindowTests {
    @Test func `the reference window answers like the reference model of the last 25 valid readings`() {
        var random = SeededRandom(seed: 9)
        for spread in [2, 5, 20, 110] {
            var window = ReferenceWindow()
            var readings: [Double] = []
            #expect(window.metres == nil)
            for byte in random.bytes(count: 2000) {
                let rssi = Int8(-5 - Int(byte) % spread)
                window.take(rssi)
                if ReferenceDistanceModel.validReadings.contains(Double(rssi)) { readings.append(Double(rssi)) }
                #expect(window.metres == ReferenceDistanceModel.fowlerBasic(Array(readings.suffix(25))))
            }
        }
    }

    @Test func `readings at the ends of the reference window's range count, and those beyond do not`() {
        var window = ReferenceWindow()
        for rssi: Int8 in [-100, -9, -128, 127] { window.take(rssi) }
        #expect(window.metres == nil)
        window.take(-99)
        #expect(window.metres == ReferenceDistanceModel.fowlerBasic([-99]))
        window.take(-10)
        #expect(window.metres == ReferenceDistanceModel.fowlerBasic([-99, -10]))
    }
}
