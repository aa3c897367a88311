import Foundation
import Testing

@testable import Herald

@Suite struct DistanceBeliefTests {
    @Test func `vectorised powers for the distance estimate are right to eight digits`() {
        for base in [1, 1.0001, 1.4142, 1.4143, 1.9999, 2, 3, 7.5, 36, 100] {
            for exponent in [0, -0.01, -0.135, -1, -2.4] {
                let result = DistanceBelief.power(SIMD8(repeating: base), exponent)
                let expected = pow(base, exponent)
                for lane in 0..<8 { #expect(abs(result[lane] / expected - 1) < 1e-8, "\(base) \(exponent)") }
            }
        }
    }

    @Test func `a distance belief has ordered quantiles in its range, whatever signal levels come`() {
        var belief = DistanceBelief(model: .shipped, pair: PhoneSystemPair(own: nil, peer: nil))
        for (index, level) in [-120.0, 20, -60, -60, -61, 20, -120, -50].enumerated() {
            for _ in 0..<20 { belief.take(level: level, share: index % 2 == 0 ? 1 : 1.0 / 3) }
            let (low, middle, high) = belief.quantiles()
            #expect(0 <= low && low <= middle && middle <= high && high <= 3.65)
        }
    }
}
