import Determinism
import Testing

@testable import Herald

@Suite struct DistanceEstimatorTests {
    private static let android = PhoneSystemPair(own: .android, peer: .android)

    private func at(_ seconds: Double) -> MonotonicInstant { .zero + .milliseconds(Int64(seconds * 1000)) }

    /// Readings every 3 s of a device that keeps its distance, as the model expects them, with `scatter` dB to and fro.
    private func hear(
        _ estimator: inout DistanceEstimator, metres: Double, pair: PhoneSystemPair = android, from start: Double,
        windows: Int, scatter: Double = 2
    ) {
        for index in 0..<(windows * 10) {
            let level = DistanceModel.shipped.expectedLevel(at: metres, pair: pair) - (index % 2 == 0 ? 0 : scatter)
            estimator.take(rssi: level, at: at(start + Double(index) * 3))
        }
        estimator.advance(to: at(start + Double(windows) * 30))
    }

    @Test func `a distance estimator gives no estimate before a window has ended`() {
        var estimator = DistanceEstimator(pair: Self.android)
        #expect(estimator.nextDeadline == nil)
        estimator.take(rssi: -60, at: at(10))
        #expect(estimator.nextDeadline == at(40))
        #expect(estimator.advance(to: at(39.999)) == nil)
        #expect(estimator.latest == nil)
        #expect(estimator.advance(to: at(40))?.readings == 1)
        #expect(estimator.latest?.at == at(40))
        #expect(estimator.nextDeadline == nil)
    }

    @Test func `a distance estimator ignores readings that no radio reports`() {
        for (rssi, counts) in [(-120.0, true), (-120.1, false), (20.0, true), (20.1, false), (.nan, false)] {
            var estimator = DistanceEstimator(pair: Self.android)
            estimator.take(rssi: rssi, at: at(0))
            #expect((estimator.nextDeadline != nil) == counts, "\(rssi)")
        }
    }

    @Test(arguments: [PhoneSystem.android, .iOS], [PhoneSystem.android, .iOS])
    func `a device that does not move is estimated at its distance`(own: PhoneSystem, peer: PhoneSystem) throws {
        let pair = PhoneSystemPair(own: own, peer: peer)
        for metres in [0.5, 1.5, 2.5] {
            var estimator = DistanceEstimator(pair: pair)
            hear(&estimator, metres: metres, pair: pair, from: 0, windows: 40)
            let estimate = try #require(estimator.latest)
            #expect(abs(estimate.metres - metres) < 0.5, "\(metres) told as \(estimate.metres)")
            #expect(estimate.interval.contains(metres), "\(metres) outside \(estimate.interval)")
        }
    }

    @Test func `a nearer device never gets a larger distance estimate`() {
        let told = [0.1, 0.5, 1, 1.5, 2, 2.5, 3, 3.5].map { metres -> Double in
            var estimator = DistanceEstimator(pair: Self.android)
            hear(&estimator, metres: metres, from: 0, windows: 3)
            return estimator.latest?.metres ?? -1
        }
        #expect(told == told.sorted())
    }

    @Test func `a device that moves away is estimated farther with the next window`() throws {
        var estimator = DistanceEstimator(pair: Self.android)
        hear(&estimator, metres: 0.4, from: 0, windows: 20)
        let before = try #require(estimator.latest).metres
        hear(&estimator, metres: 3, from: 600, windows: 1)
        let after = try #require(estimator.latest).metres
        #expect(after > before + 0.5)
    }

    @Test func `an unknown phone system makes the distance estimate less certain`() throws {
        var known = DistanceEstimator(pair: Self.android)
        var unknown = DistanceEstimator(pair: PhoneSystemPair(own: nil, peer: nil))
        hear(&known, metres: 1, from: 0, windows: 20)
        hear(&unknown, metres: 1, from: 0, windows: 20)
        let (sure, unsure) = (try #require(known.latest).interval, try #require(unknown.latest).interval)
        #expect(unsure.upperBound - unsure.lowerBound > sure.upperBound - sure.lowerBound)
    }

    @Test func `no reading, however strong or weak, leads to an estimate outside of the grid`() throws {
        var random = SeededRandom(seed: 1)
        var estimator = DistanceEstimator(pair: Self.android)
        for step in 0..<3000 {
            let rssi = Double(Int(random.nextWord() % 141)) - 120
            if let estimate = estimator.take(rssi: rssi, at: at(Double(step) * 7)) {
                #expect((0...3.65).contains(estimate.metres))
                #expect(estimate.interval.lowerBound <= estimate.metres)
                #expect(estimate.metres <= estimate.interval.upperBound)
            }
        }
    }
}
