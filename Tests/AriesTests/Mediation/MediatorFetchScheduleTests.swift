import Determinism
import Testing

@testable import Aries

@Suite struct MediatorFetchScheduleTests {
    private let start = MonotonicInstant.zero + .seconds(1000)

    private func makeSchedule() -> MediatorFetchSchedule {
        MediatorFetchSchedule(
            waits: RetryDelays([.seconds(1), .seconds(5)]), pollEvery: .seconds(15), shortPollInterval: .seconds(1))
    }

    /// A schedule with an open WebSocket.
    private func makeLive() -> MediatorFetchSchedule {
        var schedule = makeSchedule()
        #expect(schedule.beginOpening() && schedule.opened() && schedule.isLive)
        return schedule
    }

    @Test func `without a WebSocket the mediator is polled at the usual interval and not sooner`() {
        var schedule = makeSchedule()
        schedule.caughtUp(expectsAnswers: false, at: start)
        #expect(schedule.nextDeadline == start + .seconds(15))
        #expect(schedule.takePollDue(at: start + .milliseconds(14_999)) == false)
        #expect(schedule.takePollDue(at: start + .seconds(15)) == true)
        #expect(schedule.nextDeadline == nil && !schedule.takePollDue(at: start + .seconds(99)))
    }

    @Test func `while an answer is expected the mediator is polled every second`() {
        var schedule = makeSchedule()
        schedule.caughtUp(expectsAnswers: true, at: start)
        #expect(schedule.nextDeadline == start + .seconds(1))
    }

    @Test func `after a message was sent the mediator is polled every second for half a minute and no longer`() {
        var schedule = makeSchedule()
        schedule.pollSooner(at: start)
        schedule.caughtUp(expectsAnswers: false, at: start + .milliseconds(29_999))
        #expect(schedule.nextDeadline == start + .milliseconds(30_999))
        schedule.caughtUp(expectsAnswers: false, at: start + .seconds(30))
        #expect(schedule.nextDeadline == start + .seconds(45))
    }

    @Test func `sending a message brings the next poll forward, and plans none while a round is under way`() {
        var schedule = makeSchedule()
        schedule.pollSooner(at: start)
        #expect(schedule.nextDeadline == nil)
        schedule.caughtUp(expectsAnswers: false, at: start + .seconds(60))
        schedule.pollSooner(at: start + .seconds(62))
        #expect(schedule.nextDeadline == start + .seconds(63))
        schedule.pollSooner(at: start + .seconds(62) + .milliseconds(500))
        #expect(schedule.nextDeadline == start + .seconds(63))
    }

    @Test func `a mediator with a WebSocket is polled only while answers are expected, every two seconds`() {
        var schedule = makeLive()
        schedule.caughtUp(expectsAnswers: false, at: start)
        #expect(schedule.nextDeadline == nil)
        schedule.caughtUp(expectsAnswers: true, at: start)
        #expect(schedule.nextDeadline == start + .seconds(2))
        schedule.caughtUp(expectsAnswers: false, at: start)
        schedule.pollSooner(at: start + .seconds(5))
        #expect(schedule.nextDeadline == start + .seconds(7))
    }

    @Test func `failed mediator polls come at growing intervals, and a successful one starts the intervals anew`() {
        var schedule = makeSchedule()
        #expect(schedule.pollFailed(at: start) == .seconds(1))
        #expect(schedule.nextDeadline == start + .seconds(1))
        #expect(schedule.pollFailed(at: start) == .seconds(5))
        #expect(schedule.pollFailed(at: start) == .seconds(5))
        schedule.caughtUp(expectsAnswers: false, at: start)
        #expect(schedule.pollFailed(at: start) == .seconds(1))
    }

    @Test
    func `a WebSocket that ends is opened again at growing intervals, and a good round starts the intervals anew`() {
        var schedule = makeSchedule()
        for wait in [Duration.seconds(1), .seconds(5), .seconds(5)] {
            #expect(schedule.beginOpening() && !schedule.beginOpening())
            #expect(schedule.opened() && !schedule.beginOpening())
            #expect(schedule.socketEnded(at: start) == wait && !schedule.isLive)
            #expect(schedule.takeSocketDue(at: start + (wait - .milliseconds(1))) == false)
            #expect(schedule.takeSocketDue(at: start + wait) == true)
        }
        #expect(schedule.beginOpening() && schedule.opened())
        schedule.caughtUp(expectsAnswers: false, at: start)
        #expect(schedule.socketEnded(at: start) == .seconds(1))
    }

    @Test func `a mediator WebSocket that opens replaces the planned poll`() {
        var schedule = makeSchedule()
        schedule.caughtUp(expectsAnswers: false, at: start)
        #expect(schedule.isPollPlanned && schedule.beginOpening() && schedule.opened())
        #expect(!schedule.isPollPlanned && schedule.nextDeadline == nil)
    }

    @Test func `after the agent begins to stop, no poll is planned and no WebSocket is used`() {
        var schedule = makeSchedule()
        #expect(schedule.beginOpening() == true)
        schedule.caughtUp(expectsAnswers: true, at: start)
        schedule.finish()
        #expect(schedule.nextDeadline == nil && !schedule.opened() && !schedule.isLive && !schedule.beginOpening())
        schedule.socketEnded(at: start)
        _ = schedule.pollFailed(at: start)
        schedule.caughtUp(expectsAnswers: true, at: start)
        #expect(schedule.nextDeadline == nil)
    }

    @Test func `the last poll retry interval counts for all further failures; without any it is ten minutes`() {
        let waits = RetryDelays([.seconds(1), .seconds(5)])
        #expect([0, 1, 2, 100].map { waits.wait(after: $0) } == [.seconds(1), .seconds(5), .seconds(5), .seconds(5)])
        #expect(RetryDelays([]).wait(after: 0) == .seconds(600))
    }
}
