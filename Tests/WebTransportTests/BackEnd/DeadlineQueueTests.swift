import Determinism
import Testing

@testable import WebTransport

@Suite struct DeadlineQueueTests {
    @Test func `entries come up in the order of their instants, and none before its time`() {
        var random: UInt64 = 1
        var queue = DeadlineQueue()
        var instants: [UInt64] = []
        for serial in 0..<500 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let instant = random >> 40
            instants.append(instant)
            queue.insert(.init(instant: MonotonicInstant(nanoseconds: instant), serial: UInt64(serial)))
        }
        let sorted = instants.sorted()
        #expect(queue.first?.nanoseconds == sorted.first)
        #expect(queue.takeDue(at: MonotonicInstant(nanoseconds: sorted[0] - 1)) == nil)
        var taken: [UInt64] = []
        while let entry = queue.takeDue(at: MonotonicInstant(nanoseconds: .max)) {
            taken.append(entry.instant.nanoseconds)
        }
        #expect(taken == sorted)
        #expect(queue.first == nil)
    }
}
