import Determinism
import TestSupport
import Testing

@testable import Herald

@Suite struct DistanceTrackerTests {
    private static func instant(_ seconds: Double) -> MonotonicInstant {
        .zero + .nanoseconds(Int64(seconds * 1e9))
    }

    private static func reading(
        _ target: UInt64, _ rssi: Int8, at seconds: Double, _ provenance: ObservationSource = .advertisement
    ) -> SignalReading {
        SignalReading(target: TargetID(target), at: instant(seconds), rssi: rssi, provenance: provenance)
    }

    @Test(.shows("HP-43")) func `a distance tracker estimates every device in every window`() {
        var tracker = DistanceTracker(own: .android)
        var answers: [DistanceTracker.DeviceDistance] = []
        for second in 0..<300 {
            for target in UInt64(1)...50 {
                let reading = Self.reading(target, -40 - Int8(target), at: Double(second))
                tracker.take(reading, into: &answers)
            }
            tracker.advance(to: Self.instant(Double(second) + 0.5), into: &answers)
        }
        tracker.advance(to: Self.instant(400), into: &answers)
        for target in UInt64(1)...50 {
            let own = answers.filter { $0.target == TargetID(target) }
            #expect(own.count == 10)
            #expect(own.allSatisfy { $0.estimate.readings == 30 })
            #expect(tracker.latest(of: TargetID(target)) == own.last?.estimate)
        }
        #expect(tracker.nextDeadline == nil)
    }

    @Test func `a tracked device gets the estimate of an estimator that saw it alone`() {
        var tracker = DistanceTracker(own: .iOS)
        var alone = DistanceEstimator(pair: PhoneSystemPair(own: .iOS, peer: .android))
        var answers: [DistanceTracker.DeviceDistance] = []
        tracker.setSystem(.android, of: TargetID(2), at: .zero)
        for second in 0..<31 {
            tracker.take(Self.reading(1, -90, at: Double(second)), into: &answers)
            tracker.take(Self.reading(2, -55, at: Double(second)), into: &answers)
            alone.take(rssi: -55, at: Self.instant(Double(second)))
        }
        #expect(tracker.latest(of: TargetID(2)) == alone.latest)
        #expect(alone.latest != nil)
    }

    @Test func `a distance tracker ignores readings that other devices wrote`() {
        var tracker = DistanceTracker(own: nil)
        var answers: [DistanceTracker.DeviceDistance] = []
        tracker.take(Self.reading(1, -40, at: 0, .writtenByPeer), into: &answers)
        tracker.take(Self.reading(1, -40, at: 1, .relayed), into: &answers)
        #expect(tracker.nextDeadline == nil)
        tracker.take(Self.reading(1, -40, at: 2, .link), into: &answers)
        #expect(tracker.nextDeadline == Self.instant(32))
    }

    @Test func `a full distance tracker drops the device heard longest ago`() {
        var tracker = DistanceTracker(own: nil, limit: 3)
        var answers: [DistanceTracker.DeviceDistance] = []
        for (target, second) in [(3, 0.0), (1, 1), (2, 2), (3, 31), (1, 32), (2, 33)] {
            tracker.take(Self.reading(UInt64(target), -50, at: second), into: &answers)
        }
        #expect([1, 2, 3].allSatisfy { tracker.latest(of: TargetID($0)) != nil })
        tracker.take(Self.reading(4, -50, at: 34), into: &answers)
        #expect(tracker.latest(of: TargetID(3)) == nil)
        #expect([1, 2].allSatisfy { tracker.latest(of: TargetID($0)) != nil })
    }

    @Test func `the distance of a forgotten device, or one whose phone system becomes known, is estimated anew`() {
        var tracker = DistanceTracker(own: nil)
        var answers: [DistanceTracker.DeviceDistance] = []
        for second in [0.0, 31, 62] { tracker.take(Self.reading(1, -50, at: second), into: &answers) }
        #expect(tracker.latest(of: TargetID(1)) != nil)
        tracker.setSystem(nil, of: TargetID(1), at: Self.instant(62))
        #expect(tracker.latest(of: TargetID(1)) != nil)
        tracker.setSystem(.iOS, of: TargetID(1), at: Self.instant(62))
        #expect(tracker.latest(of: TargetID(1)) == nil)
        for second in [63.0, 94] { tracker.take(Self.reading(1, -50, at: second), into: &answers) }
        #expect(tracker.latest(of: TargetID(1)) != nil)
        tracker.forget(TargetID(1))
        #expect(tracker.latest(of: TargetID(1)) == nil)
    }
}
