import CommandTestSupport
import Determinism
import TestSupport
import Testing

@testable import CommandProgram

/// The clock of a program whose hours pass in minutes.
@Suite struct AcceleratedClockTests {
    @Test func `an accelerated clock shows the elapsed time multiplied by its rate`() {
        let hand = HandClock()
        hand.advance(by: .seconds(3))
        let clock = AcceleratedClock(hand, rate: 20)
        #expect(clock.now() == .zero + .seconds(60))
        hand.advance(by: .milliseconds(50))
        #expect(clock.now() == .zero + .seconds(61))
    }

    @Test func `the wall clock of an accelerated environment runs at its rate, too`() {
        let hand = HandClock()
        var environment = CommandRun.environment([])
        environment.clock = hand
        environment.wallTime = { WallTime(millisecondsSinceEpoch: 1_000_000) }
        let faster = AcceleratedClock.environment(environment, rate: 20)
        hand.advance(by: .milliseconds(250))
        #expect(faster.wallTime() == WallTime(millisecondsSinceEpoch: 1_005_000))
        #expect(faster.clock.now() == .zero + .seconds(5))
    }

    @Test(.timeLimit(.minutes(1)))
    func `an accelerated clock waits the time divided by its rate`() async throws {
        let hand = HandClock()
        let clock = AcceleratedClock(hand, rate: 20)
        let done = Lock(false)
        let wait = Task {
            try await clock.wait(until: .zero + .seconds(60))
            done.withLock { $0 = true }
        }
        while hand.sleeperCount == 0 { await Task.yield() }
        hand.advance(by: .milliseconds(2999))
        #expect(hand.sleeperCount == 1)
        #expect(!done.withLock { $0 })
        hand.advance(by: .milliseconds(1))
        try await wait.value
        #expect(done.withLock { $0 })
    }
}
