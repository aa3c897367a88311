import Determinism
import Testing

@testable import Herald

@Suite struct DistanceTrialTests {
    private func readings(_ count: Int, every seconds: Double, rssi: Double = -60, metres: Double = 1)
        -> [DistanceReading]
    {
        (0..<count).map { DistanceReading(seconds: Double($0) * seconds, rssi: rssi, metres: metres) }
    }

    @Test func `a measurement window begins with a reading and lasts half a minute`() {
        let windows = DistanceTrial.windows(of: readings(7, every: 10))
        #expect(windows.map(\.readings) == [3, 3, 1])
        #expect(DistanceTrial.windows(of: []).isEmpty)
    }

    @Test func `measurement windows with fewer than three readings are not judged`() {
        let pair = PhoneSystemPair(own: .android, peer: .android)
        #expect(DistanceTrial.answers(to: readings(4, every: 15), pair: pair).isEmpty)
        #expect(DistanceTrial.answers(to: readings(6, every: 10), pair: pair).count == 2)
    }

    @Test func `a distance fit finds the model that generated the readings`() throws {
        let truth = DistanceModel(level: -70, slope: -21, ownIOS: 4, peerIOS: 18)
        var runs: [DistanceFit.DistanceMeasurementRun] = []
        for own in PhoneSystem.allCases {
            for peer in PhoneSystem.allCases {
                let pair = PhoneSystemPair(own: own, peer: peer)
                runs.append(
                    DistanceFit.DistanceMeasurementRun(
                        pair: pair,
                        windows: (1...30).map { index in
                            let metres = Double(index) / 10
                            return DistanceWindow(
                                readings: 3, strongest: truth.expectedLevel(at: metres, pair: pair), metres: metres)
                        }))
            }
        }
        let fitted = try #require(DistanceFit.fit(runs))
        #expect(abs(fitted.slope - truth.slope) < 0.1)
        // The draw keeps a little of each system's raise for the runs' own offsets.
        for run in runs {
            let strayed = fitted.expectedLevel(at: 1, pair: run.pair) - truth.expectedLevel(at: 1, pair: run.pair)
            #expect(abs(strayed) < 1)
        }
    }

    @Test func `a distance fit without usable readings gives no model`() {
        #expect(DistanceFit.fit([]) == nil)
        let unknown = DistanceFit.DistanceMeasurementRun(
            pair: PhoneSystemPair(own: nil, peer: .iOS),
            windows: [DistanceWindow(readings: 3, strongest: -50, metres: 1)])
        #expect(DistanceFit.fit([unknown]) == nil)
    }

    @Test func `a distance score has the errors, the answers, and the share of distances within intervals`() {
        let window = DistanceWindow(readings: 3, strongest: -60, metres: 1)
        let estimates = [(1.2, 0.9...1.5), (2.0, 1.5...2.5), (0.7, 0.5...1.0)].map { metres, interval in
            DistanceEstimate(at: .zero, metres: metres, interval: interval, readings: 3)
        }
        let answers = (estimates.map { Optional($0) } + [nil]).map { DistancePrediction(window: window, estimate: $0) }
        let score = DistanceScore(estimatesOf: answers)
        #expect(score.windows == 4)
        #expect(score.answered == 0.75)
        #expect(abs((score.meanAbsoluteError ?? 0) - 0.5) < 1e-9)
        #expect(score.percentile95 == 1)
        #expect(abs((score.covered80 ?? 0) - 2.0 / 3) < 1e-9)
        #expect(DistanceScore(estimatesOf: []).meanAbsoluteError == nil)
    }

    /// The reference's own test of its line: −17.7275 − 0.2754 × (−68) is one metre.
    @Test func `the reference's smoothed linear model gives the distance of its own test`() throws {
        let readings = [Double](repeating: -68, count: 5)
        let metres = ReferenceDistanceModel.smoothedLinear(readings, intercept: -17.7275, coefficient: -0.2754)
        #expect(abs(try #require(metres) - 1) < 0.001)
        #expect(ReferenceDistanceModel.smoothedLinear([Double](repeating: -68, count: 4)) == nil)
        #expect(ReferenceDistanceModel.smoothedLinear([Double](repeating: -20, count: 5)) == nil)
    }

    @Test func `Fowler's distance model uses the most frequent reading`() throws {
        let metres = ReferenceDistanceModel.fowlerBasic([-74, -74, -74, -73, -75])
        #expect(abs(try #require(metres) - 10) < 1e-9)
        #expect(ReferenceDistanceModel.fowlerBasic([-100, -9]) == nil)
    }
}
