import Determinism
import TestSupport
import Testing

@testable import CloudAgent

@Suite struct ChannelTimersTests {
    private actor Receiver: DeadlineReceiver {
        private let name: String
        private let calls: AsyncStream<String>.Continuation

        init(_ name: String, _ calls: AsyncStream<String>.Continuation) { (self.name, self.calls) = (name, calls) }

        func timeReached() { calls.yield(name) }
    }

    private let clock = HandClock()
    private let timers: ChannelTimers
    private let stream = AsyncStream.makeStream(of: String.self)

    init() { timers = ChannelTimers(clock: clock) }

    private func instant(_ seconds: Int) -> MonotonicInstant { .zero + .seconds(seconds) }

    @Test func `client channels are called at their deadlines, the earliest first, in whatever order they were set`()
        async
    {
        var names = stream.stream.makeAsyncIterator()
        let (late, early) = (Receiver("late", stream.continuation), Receiver("early", stream.continuation))
        timers.arm(late, at: instant(30))
        timers.arm(early, at: instant(10))
        clock.advance(by: .seconds(10))
        #expect(await names.next() == "early")
        clock.advance(by: .milliseconds(19_999))
        timers.arm(early, at: clock.now())
        #expect(await names.next() == "early", "a millisecond before its deadline the other is not called")
        clock.advance(by: .milliseconds(1))
        #expect(await names.next() == "late")
    }

    @Test func `a client channel that has ended is not kept until its deadline, and not called`() async {
        var names = stream.stream.makeAsyncIterator()
        var ended: Receiver? = Receiver("ended", stream.continuation)
        weak let remaining = ended
        let open = Receiver("open", stream.continuation)
        timers.arm(Receiver("ended at once", stream.continuation), at: instant(5))
        if let ended { timers.arm(ended, at: instant(5)) }
        timers.arm(open, at: instant(6))
        ended = nil
        #expect(remaining == nil)
        clock.advance(by: .seconds(6))
        #expect(await names.next() == "open")
    }
}
