import Determinism
import Testing

@Suite struct MonotonicInstantTests {
    @Test func `a monotonic instant saturates at both ends of the clock instead of trapping`() {
        #expect(MonotonicInstant.zero + .seconds(-1) == .zero)
        let end = MonotonicInstant(nanoseconds: .max)
        #expect(end + .nanoseconds(1) == end)
    }

    @Test func `the difference of two monotonic instants is the duration from one to the other`() {
        let start = MonotonicInstant(nanoseconds: 5)
        #expect(start + .milliseconds(3) - start == .milliseconds(3))
        #expect(start - (start + .milliseconds(3)) == .milliseconds(-3))
    }
}
