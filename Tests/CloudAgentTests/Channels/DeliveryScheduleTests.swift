import Determinism
import Testing

@testable import CloudAgent

/// When messages are delivered to a client's own address, and which are set aside.
@Suite struct DeliveryScheduleTests {
    private typealias Output = DeliverySchedule.Output

    /// A schedule whose clock the test moves.
    private final class Script {
        var schedule: DeliverySchedule
        var now = MonotonicInstant.zero

        init(retryAfter: [Duration] = [.seconds(1), .seconds(5), .seconds(30)]) {
            schedule = DeliverySchedule(
                account: 7,
                timing: DeliverySchedule.DeliveryTiming(retryAfter: retryAfter, refusedRetryAfter: .seconds(3600)))
        }

        func handle(_ inputs: DeliverySchedule.Input...) -> [Output] {
            var outputs: [Output] = []
            for input in inputs { schedule.handle(input, at: now, into: &outputs) }
            return outputs
        }

        func begin() -> [Output] {
            var outputs: [Output] = []
            schedule.begin(into: &outputs)
            return outputs
        }

        /// Makes an attempt whose messages have these results.
        func attempt(_ results: DeliverySchedule.Input..., end: DeliverySchedule.DeliveryAttemptOutcome) -> [Output] {
            var outputs: [Output] = []
            schedule.begin(into: &outputs)
            for result in results { schedule.handle(result, at: now, into: &outputs) }
            schedule.handle(.attemptEnded(end), at: now, into: &outputs)
            return Array(outputs.dropFirst())
        }

        /// Returns true when an attempt is due this long after now, and none a millisecond earlier.
        func isQueued(exactlyAfter wait: Duration) -> Bool {
            now = now + (wait - .milliseconds(1))
            _ = handle(.timeReached)
            let isEarly = schedule.isQueued
            now = now + .milliseconds(1)
            _ = handle(.timeReached)
            return !isEarly && schedule.isQueued
        }

        /// A schedule that has set the message at position 10 aside, and has nothing else to do.
        static func withMessageSetAside() -> Script {
            let script = Script()
            _ = script.handle(.messageArrived)
            for _ in 1..<DeliverySchedule.maximumRefusals {
                _ = script.attempt(.refused(position: 10), end: .failed)
                script.now = script.schedule.nextDeadline ?? script.now
                _ = script.handle(.timeReached)
            }
            _ = script.attempt(.refused(position: 10), end: .finished)
            return script
        }
    }

    @Test func `an arriving message makes an attempt due, and a finished attempt leaves nothing to do`() {
        let script = Script()
        #expect(script.schedule.isFinished && !script.schedule.isQueued)
        #expect(script.handle(.messageArrived) == [] && script.schedule.isQueued)
        #expect(script.handle(.messageArrived) == [] && script.schedule.isQueued)
        #expect(script.begin() == [.deliver(account: 7)])
        #expect(!script.schedule.isQueued && !script.schedule.isFinished && script.schedule.position == nil)
        #expect(script.handle(.delivered, .delivered, .attemptEnded(.finished)) == [])
        #expect(script.schedule.isFinished && script.schedule.nextDeadline == nil)
    }

    @Test func `a message that arrives during an attempt makes another one due when it is finished`() {
        let script = Script()
        _ = script.handle(.messageArrived)
        #expect(script.attempt(.messageArrived, end: .finished) == [])
        #expect(script.schedule.isQueued)
        #expect(script.attempt(end: .finished) == [])
        #expect(script.schedule.isFinished, "the message is counted once")
    }

    @Test func `messages that arrive meanwhile make no attempt due for a client that is not reached by address`() {
        let script = Script()
        _ = script.handle(.messageArrived)
        #expect(script.attempt(.messageArrived, end: .notByAddress) == [])
        #expect(script.schedule.isFinished)
    }

    @Test func `the wait after each failure in a row grows up to the last one, and a finished attempt resets it`() {
        let script = Script()
        _ = script.handle(.messageArrived)
        for seconds in [1, 5, 30, 30] {
            let until = script.now + .seconds(seconds)
            #expect(script.attempt(end: .failed) == [.retryPlanned(until)])
            #expect(script.schedule.nextDeadline == until)
            #expect(script.handle(.messageArrived) == [] && !script.schedule.isQueued, "a message does not hurry it")
            #expect(script.isQueued(exactlyAfter: .seconds(seconds)))
        }
        _ = script.attempt(end: .finished)
        _ = script.handle(.messageArrived)
        #expect(script.attempt(end: .failed) == [.retryPlanned(script.now + .seconds(1))])
    }

    @Test func `without configured waits an attempt is retried after five minutes`() {
        let script = Script(retryAfter: [])
        _ = script.handle(.messageArrived)
        for _ in 0..<2 {
            #expect(script.attempt(end: .failed) == [.retryPlanned(script.now + .seconds(300))])
            #expect(script.isQueued(exactlyAfter: .seconds(300)))
        }
    }

    @Test func `a client that speaks after several failures is retried after the first wait since the last failure`() {
        for (elapsed, isQueued) in [(Duration.milliseconds(999), false), (.seconds(1), true)] {
            let script = Script()
            _ = script.handle(.messageArrived)
            _ = script.attempt(end: .failed)
            _ = script.isQueued(exactlyAfter: .seconds(1))
            _ = script.attempt(end: .failed)
            let failure = script.now
            script.now = failure + elapsed
            #expect(script.handle(.clientSpoke) == [])
            #expect(script.schedule.isQueued == isQueued, "\(elapsed)")
            #expect(script.schedule.nextDeadline == (isQueued ? nil : failure + .seconds(1)))
            script.now = failure + .seconds(1)
            _ = script.handle(.timeReached)
            #expect(script.attempt(end: .failed) == [.retryPlanned(script.now + .seconds(5))], "the second failure")
        }
    }

    @Test func `a client that speaks after a first failure changes nothing`() {
        let script = Script()
        _ = script.handle(.messageArrived)
        _ = script.attempt(end: .failed)
        #expect(script.handle(.clientSpoke) == [] && !script.schedule.isQueued)
        #expect(script.isQueued(exactlyAfter: .seconds(1)))
    }

    @Test func `a failure of an attempt during which the client spoke counts as the first`() {
        let script = Script()
        _ = script.handle(.messageArrived)
        for wait in [1, 5] {
            _ = script.attempt(end: .failed)
            _ = script.isQueued(exactlyAfter: .seconds(wait))
        }
        #expect(script.attempt(.clientSpoke, end: .failed) == [.retryPlanned(script.now + .seconds(1))])
    }

    @Test func `a client that speaks while its attempt is queued has at most one failure counted`() {
        let script = Script()
        _ = script.handle(.messageArrived)
        for wait in [1, 5] {
            _ = script.attempt(end: .failed)
            _ = script.isQueued(exactlyAfter: .seconds(wait))
        }
        #expect(script.handle(.clientSpoke) == [] && script.schedule.isQueued)
        #expect(script.attempt(end: .failed) == [.retryPlanned(script.now + .seconds(5))])
    }

    @Test func `an account held by another instance is attempted again when the hold expires, without a failure`() {
        let script = Script()
        _ = script.handle(.messageArrived)
        #expect(script.attempt(end: .heldElsewhere) == [])
        #expect(script.isQueued(exactlyAfter: InstanceChangeFollower.life))
        #expect(script.attempt(end: .failed) == [.retryPlanned(script.now + .seconds(1))])
    }

    @Test func `a message is set aside at its last allowed refusal and not at the one before`() {
        let script = Script()
        _ = script.handle(.messageArrived)
        for _ in 1..<DeliverySchedule.maximumRefusals {
            #expect(script.begin() == [.deliver(account: 7)])
            #expect(script.handle(.refused(position: 10)) == [])
            #expect(script.schedule.position == nil)
            _ = script.handle(.attemptEnded(.failed))
            script.now = script.schedule.nextDeadline ?? script.now
            _ = script.handle(.timeReached)
        }
        _ = script.begin()
        #expect(script.handle(.refused(position: 10)) == [.setAside(isFirst: true)])
        #expect(script.schedule.position == 10)
        #expect(script.handle(.refused(position: 11)) == [], "each message has its own refusals")
    }

    @Test func `a delivered message resets the count of refusals`() {
        let script = Script()
        _ = script.handle(.messageArrived)
        _ = script.begin()
        for _ in 1..<DeliverySchedule.maximumRefusals { #expect(script.handle(.refused(position: 10)) == []) }
        _ = script.handle(.delivered)
        for _ in 1..<DeliverySchedule.maximumRefusals { #expect(script.handle(.refused(position: 11)) == []) }
        #expect(script.handle(.refused(position: 11)) == [.setAside(isFirst: true)])
    }

    @Test func `a failure does not count as a refusal`() {
        let script = Script()
        _ = script.handle(.messageArrived)
        for _ in 0..<DeliverySchedule.maximumRefusals + 1 {
            _ = script.attempt(end: .failed)
            script.now = script.schedule.nextDeadline ?? script.now
            _ = script.handle(.timeReached)
        }
        _ = script.begin()
        #expect(script.handle(.refused(position: 10)) == [])
    }

    @Test
    func
        `messages that are set aside are left alone until the retry of refused messages, and then get one attempt each`()
    {
        let script = Script.withMessageSetAside()
        _ = script.handle(.messageArrived)
        _ = script.begin()
        #expect(script.schedule.position == 10, "a later message is fetched behind those that are set aside")
        _ = script.handle(.delivered, .attemptEnded(.finished))
        #expect(script.isQueued(exactlyAfter: .seconds(3600)))
        #expect(script.begin() == [.deliver(account: 7)])
        #expect(script.schedule.position == nil)
        #expect(script.handle(.refused(position: 9)) == [.setAside(isFirst: false)], "up to the position")
        #expect(script.handle(.refused(position: 10)) == [.setAside(isFirst: false)], "at the position")
        #expect(script.handle(.refused(position: 11)) == [], "behind the position")
        #expect(script.schedule.position == 10)
    }

    @Test func `nothing is remembered when all messages that were set aside are delivered`() {
        let script = Script.withMessageSetAside()
        #expect(!script.schedule.isFinished)
        #expect(script.isQueued(exactlyAfter: .seconds(3600)))
        _ = script.attempt(.delivered, end: .finished)
        #expect(script.schedule.isFinished && script.schedule.nextDeadline == nil)
        _ = script.handle(.messageArrived)
        _ = script.begin()
        #expect(script.handle(.refused(position: 10)) == [], "three refusals are allowed again")
    }

    @Test func `later attempts do not postpone a planned retry of refused messages`() {
        let script = Script.withMessageSetAside()
        let planned = script.schedule.nextDeadline
        #expect(planned == script.now + .seconds(3600))
        script.now = script.now + .seconds(1800)
        _ = script.handle(.messageArrived)
        _ = script.attempt(.delivered, end: .finished)
        #expect(script.schedule.nextDeadline == planned)
        _ = script.handle(.messageArrived)
        _ = script.attempt(end: .notByAddress)
        #expect(script.schedule.nextDeadline == planned)
    }

    @Test func `a retry of refused messages that is due during an attempt follows when it is finished`() {
        let script = Script.withMessageSetAside()
        _ = script.handle(.messageArrived)
        _ = script.begin()
        script.now = script.schedule.nextDeadline ?? script.now
        #expect(script.handle(.timeReached) == [] && script.schedule.position == 10)
        _ = script.handle(.attemptEnded(.finished))
        #expect(script.schedule.isQueued)
        _ = script.begin()
        #expect(script.schedule.position == nil)
    }

    @Test func `a retry of refused messages that is due during the wait after a failure does not shorten it`() {
        let script = Script.withMessageSetAside()
        let planned = script.schedule.nextDeadline ?? .zero
        script.now = planned + .milliseconds(-500)
        _ = script.handle(.messageArrived)
        _ = script.attempt(end: .failed)
        #expect(script.schedule.nextDeadline == planned)
        script.now = planned
        #expect(script.handle(.timeReached) == [] && !script.schedule.isQueued)
        #expect(script.isQueued(exactlyAfter: .milliseconds(500)))
        _ = script.begin()
        #expect(script.schedule.position == nil)
    }

    @Test
    func `a new document brings back at once what is set aside, and leaves the planned retry of refused messages`() {
        let script = Script.withMessageSetAside()
        let planned = script.schedule.nextDeadline
        #expect(script.handle(.documentChanged) == [] && script.schedule.isQueued)
        _ = script.begin()
        #expect(script.schedule.position == nil && script.schedule.nextDeadline == planned)
        #expect(script.handle(.refused(position: 10)) == [.setAside(isFirst: false)])
        _ = script.handle(.attemptEnded(.finished))
        #expect(!script.schedule.isQueued && script.schedule.nextDeadline == planned)
    }

    @Test func `a new document during an attempt makes another one due, from the first message`() {
        let script = Script.withMessageSetAside()
        _ = script.handle(.messageArrived)
        _ = script.attempt(.documentChanged, end: .finished)
        #expect(script.schedule.isQueued && script.schedule.position == 10)
        _ = script.begin()
        #expect(script.schedule.position == nil)
    }

    @Test func `a new document after several failures hurries the retry as a message of the client does`() {
        let script = Script()
        _ = script.handle(.messageArrived)
        _ = script.attempt(end: .failed)
        _ = script.isQueued(exactlyAfter: .seconds(1))
        _ = script.attempt(end: .failed)
        _ = script.handle(.documentChanged)
        #expect(script.schedule.nextDeadline == script.now + .seconds(1))
    }

    @Test func `a deleted account is forgotten, during an attempt when it ends`() {
        let script = Script.withMessageSetAside()
        _ = script.handle(.accountDeleted)
        #expect(script.schedule.isFinished)
        let active = Script.withMessageSetAside()
        _ = active.handle(.messageArrived)
        _ = active.begin()
        _ = active.handle(.accountDeleted)
        #expect(!active.schedule.isFinished && active.schedule.position == nil)
        _ = active.handle(.attemptEnded(.notByAddress))
        #expect(active.schedule.isFinished && active.schedule.nextDeadline == nil)
    }
}
