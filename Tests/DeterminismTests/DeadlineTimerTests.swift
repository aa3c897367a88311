import Determinism
import TestSupport
import Testing

@Suite struct DeadlineTimerTests {
    private let clock = HandClock()
    private let fired = AsyncStream.makeStream(of: UInt64.self)

    private func seconds(_ count: Int64) -> MonotonicInstant { .zero + .seconds(count) }

    private func arm(_ timer: inout DeadlineTimer, _ deadline: MonotonicInstant?) {
        timer.arm(deadline) { [continuation = fired.continuation] in continuation.yield($0) }
    }

    /// Moves the clock by a second at a time until the timer has fired; returns the number that it fired with.
    private func nextFiring() async throws -> UInt64 {
        var iterator = fired.stream.makeAsyncIterator()
        while clock.sleeperCount == 0 { await Task.yield() }
        clock.advance(by: .seconds(1))
        return try #require(await iterator.next())
    }

    @Test func `a deadline timer that fired can be armed again, and a later deadline does not move it`() async throws {
        var timer = DeadlineTimer(clock: clock)
        arm(&timer, seconds(1))
        arm(&timer, seconds(600))
        var number = try await nextFiring()
        #expect(timer.hasFired(number) == true)
        arm(&timer, seconds(2))
        number = try await nextFiring()
        #expect(timer.hasFired(number) == true)
        #expect(clock.sleeperCount == 0)
    }

    @Test func `a timer's outdated firing is ignored, and the earlier deadline set since stays armed`() async throws {
        var timer = DeadlineTimer(clock: clock)
        arm(&timer, seconds(1))
        let overtaken = try await nextFiring()
        arm(&timer, .zero)
        #expect(timer.hasFired(overtaken) == false)
        // Armed for zero, so that nothing waits for the later deadline beside it.
        arm(&timer, seconds(5))
        var iterator = fired.stream.makeAsyncIterator()
        let second = try #require(await iterator.next())
        #expect(second != overtaken)
        #expect(timer.hasFired(second) == true)
        #expect(clock.sleeperCount == 0)
    }

    @Test func `a firing of a deadline timer that was cancelled since is ignored`() async throws {
        var timer = DeadlineTimer(clock: clock)
        arm(&timer, seconds(1))
        let number = try await nextFiring()
        arm(&timer, nil)
        #expect(timer.hasFired(number) == false)
        arm(&timer, seconds(5))
        #expect(timer.hasFired(number) == false)
        timer.cancel()
    }
}
