import Determinism
import Testing

@testable import CloudAgent

@Suite struct MessageAgeClockTests {
    /// The judged time in seconds, for a clock that shows `shown` after `elapsed` seconds.
    private static func read(_ clock: inout MessageAgeClock, _ shown: Int64, after elapsed: Int64) -> Int64 {
        let now = MonotonicInstant.zero + .seconds(elapsed)
        return clock.read(WallTime(millisecondsSinceEpoch: shown * 1000), at: now).millisecondsSinceEpoch / 1000
    }

    @Test func `a message age clock follows a steady clock unchanged`() {
        var clock = MessageAgeClock(window: .seconds(100))
        for second: Int64 in [0, 50, 99, 100, 250, 1000] {
            #expect(Self.read(&clock, 5000 + second, after: second) == 5000 + second)
        }
    }

    @Test func `after the clock jumps forward no message expires before its true age reaches the window`() {
        var clock = MessageAgeClock(window: .seconds(100))
        #expect(Self.read(&clock, 5000, after: 0) == 5000)
        #expect(Self.read(&clock, 5099, after: 99) == 5099)
        #expect(Self.read(&clock, 90_100, after: 100) == 5100)
        #expect(Self.read(&clock, 90_199, after: 199) == 5199, "what came at 99 is 100 seconds old now")
        #expect(Self.read(&clock, 90_200, after: 200) == 90_200)
    }

    @Test func `a clock set back is followed at once, and after a wrong jump forward the right time is followed again`()
    {
        var clock = MessageAgeClock(window: .seconds(100))
        #expect(Self.read(&clock, 5000, after: 0) == 5000)
        #expect(Self.read(&clock, 4010, after: 10) == 4010)
        #expect(Self.read(&clock, 5020, after: 20) == 4020)
        #expect(Self.read(&clock, 9030, after: 30) == 4030)
    }
}
