import Determinism
import Testing

@testable import CloudAgent

/// Scripts of one account's schedule: grace 1 s, patience 90 s, interval 60 s, retries after 5 s and 30 s.
@Suite struct WebhookScheduleTests {
    private typealias Output = WebhookSchedule.Output

    private static let wallTime = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)
    private static let nanosecond = Duration.nanoseconds(1)

    /// A schedule and the time.
    private struct Script {
        let rules: WebhookRules
        var schedule: WebhookSchedule
        var now = MonotonicInstant.zero + .seconds(1000)

        init(_ change: (inout WebhookRules) -> Void = { _ in }) throws {
            var rules = WebhookRules(hosts: try #require(WebhookRules.WebhookHostList(parsing: "*")))
            rules.retryAfter = [.seconds(5), .seconds(30)]
            change(&rules)
            self.rules = rules
            schedule = WebhookSchedule(rules, random: SeededRandom(seed: 1))
        }

        mutating func handle(_ input: WebhookSchedule.Input) -> [Output] { schedule.handle(input, at: now) }

        /// Moves the time to `duration` later, and reports it.
        mutating func pass(_ duration: Duration) -> [Output] {
            now = now + duration
            return handle(.timeReached)
        }

        /// Time until the next deadline; nil for none.
        var rest: Duration? { schedule.nextDeadline.map { $0 - now } }

        mutating func found(
            _ entry: WebhookEntry?, heard: MonotonicInstant? = nil, at wallTime: WallTime = wallTime
        ) -> [Output] {
            handle(.found(entry, heard: heard, wallTime: wallTime))
        }

        /// A message waits, and the grace period is over.
        mutating func beginReading() {
            #expect(handle(.messageWaits) == [])
            #expect(pass(rules.grace) == [.perform(.read)])
        }

        /// Reads the entry and takes the hold; returns the identifier of the post.
        mutating func post(_ entry: WebhookEntry) throws -> String {
            #expect(found(entry) == [.perform(.takeHold(entry))])
            let outputs = handle(.holdTaken(entry))
            guard case .perform(.post(entry, let id))? = outputs.first, outputs.count == 1 else {
                Issue.record("\(outputs)")
                return ""
            }
            #expect(schedule.nextDeadline == nil)
            return id
        }
    }

    private static func entry(
        settled: UInt64 = 1, newest: UInt64 = 2, count: Int = 1, woken: WallTime? = nil
    ) -> WebhookEntry {
        WebhookEntry(body: [7], settled: settled, woken: woken, newest: newest, count: count)
    }

    private static func before(_ duration: Duration) -> WallTime {
        WallTime(millisecondsSinceEpoch: wallTime.millisecondsSinceEpoch - duration.wholeNanoseconds / 1_000_000)
    }

    // Grace period and entry.

    @Test func `the account's webhook entry is read at the end of the grace period, and not a nanosecond earlier`()
        throws
    {
        var script = try Script()
        #expect(script.schedule.nextDeadline == nil)
        #expect(script.handle(.messageWaits) == [])
        #expect(script.rest == .seconds(1))
        #expect(script.pass(.seconds(1) - Self.nanosecond) == [])
        #expect(script.pass(Self.nanosecond) == [.perform(.read)])
        #expect(script.schedule.nextDeadline == nil)
    }

    @Test func `a webhook call that succeeds is recorded up to the newest message, and ends the schedule`() throws {
        var script = try Script()
        script.beginReading()
        let id = try script.post(Self.entry(newest: 9))
        #expect(id.utf8.starts(with: Array("wake_".utf8)) && id.utf8.count == 27)
        #expect(script.handle(.answered(status: 204)) == [.perform(.recordWakeUp(upTo: 9))])
        #expect(script.handle(.settled) == [.ended])
        #expect(script.schedule.nextDeadline == nil)
    }

    @Test(arguments: [199, 200, 299, 300])
    func `a webhook status from 200 to 299 is a success, any other a failure`(status: Int) throws {
        var script = try Script()
        script.beginReading()
        _ = try script.post(Self.entry())
        let outputs = script.handle(.answered(status: status))
        #expect(outputs == ((200...299).contains(status) ? [.perform(.recordWakeUp(upTo: 2))] : [.postFailed]))
    }

    @Test func `no webhook call is made for an account without a webhook or without a new message`() throws {
        var script = try Script()
        script.beginReading()
        #expect(script.found(nil) == [.hasNoWebhook, .ended])
        for entry in [Self.entry(count: 0), Self.entry(settled: 2), Self.entry(settled: 3)] {
            script.beginReading()
            #expect(script.found(entry) == [.ended])
        }
    }

    @Test func `a message that comes during a webhook wake-up begins another grace period after it`() throws {
        var script = try Script()
        script.beginReading()
        let first = try script.post(Self.entry())
        #expect(script.handle(.messageWaits) == [])
        #expect(script.handle(.answered(status: 200)) == [.perform(.recordWakeUp(upTo: 2))])
        #expect(script.handle(.settled) == [])
        #expect(script.rest == .seconds(1))
        #expect(script.pass(.seconds(1)) == [.perform(.read)])
        let second = try script.post(Self.entry(settled: 2, newest: 3))
        #expect(first != second, "each wake-up has its own identifier")
        #expect(script.handle(.answered(status: 200)) == [.perform(.recordWakeUp(upTo: 3))])
        #expect(script.handle(.settled) == [.ended])
    }

    // The live client.

    @Test func `a live client's webhook is not called until the client has been silent for the limit`() throws {
        var script = try Script()
        let start = script.now
        script.beginReading()
        // Heard before the message came: the patience counts from the message.
        #expect(script.found(Self.entry(), heard: start + .seconds(-50)) == [.watchClient])
        #expect(script.schedule.isWaitingForClient)
        #expect(script.schedule.nextDeadline == start + .seconds(90))
        #expect(script.pass(.seconds(89) - Self.nanosecond) == [])
        #expect(script.pass(Self.nanosecond) == [.perform(.read)])
        #expect(!script.schedule.isWaitingForClient)
        let entry = Self.entry()
        #expect(script.found(entry, heard: start) == [.perform(.takeHold(entry))])
    }

    @Test func `a live client silent for a nanosecond less than the limit causes no webhook call`() throws {
        for (rest, outputs) in [(Self.nanosecond, [.watchClient]), (.zero, [.perform(.takeHold(Self.entry()))])]
            as [(Duration, [Output])]
        {
            var script = try Script { $0.patience = .seconds(5) }
            let start = script.now
            #expect(script.handle(.messageWaits) == [])
            #expect(script.pass(.seconds(5) - rest) == [.perform(.read)])
            #expect(script.found(Self.entry(), heard: start) == outputs)
        }
    }

    @Test func `each message of the live client restarts the silence limit before a webhook call`() throws {
        var script = try Script()
        script.beginReading()
        #expect(script.found(Self.entry(), heard: script.now) == [.watchClient])
        for _ in 0..<3 {
            script.now = script.now + .seconds(80)
            #expect(script.handle(.clientHeard(at: script.now)) == [])
            #expect(script.rest == .seconds(90))
        }
        #expect(script.pass(.seconds(90)) == [.perform(.read)])
        #expect(script.found(Self.entry(count: 0), heard: script.now) == [.ended], "it has fetched the message")
    }

    @Test func `a live client that disconnects has its webhook entry read at once`() throws {
        var script = try Script()
        script.beginReading()
        #expect(script.found(Self.entry(), heard: script.now) == [.watchClient])
        #expect(script.handle(.clientLeft) == [.perform(.read)])
        #expect(script.found(Self.entry()) == [.perform(.takeHold(Self.entry()))])
    }

    @Test func `a new channel whose client has been silent too long ends the wait for a webhook call`() throws {
        var script = try Script()
        let start = script.now
        script.beginReading()
        #expect(script.found(Self.entry(), heard: start + .seconds(60)) == [.watchClient])
        script.now = start + .seconds(90)
        #expect(script.handle(.clientHeard(at: start)) == [.perform(.read)])
    }

    @Test func `changes of a live client have no effect unless its webhook schedule waits for it`() throws {
        var script = try Script()
        func noEffect(_ script: inout Script) {
            let deadline = script.schedule.nextDeadline
            #expect(script.handle(.clientHeard(at: script.now)) == [])
            #expect(script.handle(.clientLeft) == [])
            #expect(script.schedule.nextDeadline == deadline)
        }
        noEffect(&script)
        #expect(script.handle(.messageWaits) == [])
        noEffect(&script)
        #expect(script.pass(.seconds(1)) == [.perform(.read)])
        noEffect(&script)
        _ = try script.post(Self.entry())
        noEffect(&script)
        #expect(script.handle(.answered(status: nil)) == [.postFailed])
        noEffect(&script)
    }

    // The interval.

    @Test func `the next webhook wake-up waits for the rest of the interval since the last one`() throws {
        var script = try Script()
        script.beginReading()
        #expect(script.found(Self.entry(woken: Self.before(.seconds(20)))) == [])
        #expect(script.rest == .seconds(40))
        #expect(script.pass(.seconds(40) - Self.nanosecond) == [])
        #expect(script.pass(Self.nanosecond) == [.perform(.read)])
    }

    @Test func `the interval between webhook wake-ups ends at its length, and not a millisecond earlier`() throws {
        let short = Self.entry(woken: Self.before(.milliseconds(59_999)))
        let whole = Self.entry(woken: Self.before(.seconds(60)))
        var script = try Script()
        script.beginReading()
        #expect(script.found(short) == [])
        #expect(script.pass(.milliseconds(1)) == [.perform(.read)])
        #expect(script.found(whole) == [.perform(.takeHold(whole))])
    }

    @Test func `a wall clock set back before the last webhook wake-up does not lengthen the interval`() throws {
        let future = Self.entry(woken: Self.before(.milliseconds(-1)))
        let present = Self.entry(woken: Self.wallTime)
        var script = try Script()
        script.beginReading()
        #expect(script.found(present) == [])
        #expect(script.rest == .seconds(60))
        #expect(script.pass(.seconds(60)) == [.perform(.read)])
        #expect(script.found(future) == [.perform(.takeHold(future))])
    }

    // Other instances.

    @Test func `an account that another instance wakes is left to it`() throws {
        var script = try Script()
        script.beginReading()
        #expect(script.found(Self.entry()) == [.perform(.takeHold(Self.entry()))])
        #expect(script.handle(.heldElsewhere) == [.ended])
        script.beginReading()
        #expect(script.found(Self.entry()) == [.perform(.takeHold(Self.entry()))])
        #expect(script.handle(.messageWaits) == [])
        #expect(script.handle(.heldElsewhere) == [])
        #expect(script.rest == .seconds(1), "another message came")
    }

    @Test func `a webhook entry that another instance has settled meanwhile is read again`() throws {
        for now in [nil, Self.entry(settled: 2, newest: 3), Self.entry(count: 0)] {
            var script = try Script()
            script.beginReading()
            #expect(script.found(Self.entry()) == [.perform(.takeHold(Self.entry()))])
            #expect(script.handle(.holdTaken(now)) == [.perform(.freeHold)])
            #expect(script.handle(.holdFreed) == [.perform(.read)])
        }
    }

    @Test func `a webhook wake-up covers messages that came while its hold was acquired`() throws {
        var script = try Script()
        script.beginReading()
        #expect(script.found(Self.entry()) == [.perform(.takeHold(Self.entry()))])
        let newer = Self.entry(newest: 5, count: 4)
        guard case .perform(.post(newer, _))? = script.handle(.holdTaken(newer)).first else {
            Issue.record("no post of the newer entry")
            return
        }
        #expect(script.handle(.answered(status: 200)) == [.perform(.recordWakeUp(upTo: 5))])
    }

    // Failures.

    @Test func `a failed webhook post is retried with the same identifier after each wait, then given up`() throws {
        var script = try Script()
        script.beginReading()
        let id = try script.post(Self.entry())
        for (wait, status) in [(5, 500), (30, nil)] as [(Int, Int?)] {
            #expect(script.handle(.answered(status: status)) == [.postFailed])
            #expect(script.rest == .seconds(wait))
            #expect(script.pass(.seconds(wait) - Self.nanosecond) == [])
            #expect(script.pass(Self.nanosecond) == [.perform(.read)])
            #expect(try script.post(Self.entry()) == id)
        }
        #expect(script.handle(.answered(status: 302)) == [.postFailed, .perform(.giveUp(upTo: 2))])
        #expect(script.handle(.settled) == [.ended])
        script.beginReading()
        #expect(try script.post(Self.entry(settled: 2, newest: 3)) != id, "the next message begins anew")
        #expect(script.handle(.answered(status: 500)) == [.postFailed])
        #expect(script.rest == .seconds(5))
    }

    @Test func `a webhook retry at the deadline is given up, one a nanosecond earlier is made`() throws {
        for (deadline, isRetried) in [(Duration.seconds(8), false), (.seconds(8) + Self.nanosecond, true)] {
            var script = try Script { $0.deadline = deadline }
            script.beginReading()
            _ = try script.post(Self.entry())
            // The post took three seconds; the deadline counts from its start.
            script.now = script.now + .seconds(3)
            let outputs = script.handle(.answered(status: nil))
            #expect(outputs == (isRetried ? [.postFailed] : [.postFailed, .perform(.giveUp(upTo: 2))]))
            #expect(script.rest == (isRetried ? .seconds(5) : nil))
        }
    }

    @Test func `the deadline of webhook retries counts from the first attempt, also when the client was live between`()
        throws
    {
        for (deadline, isRetried) in [(Duration.seconds(125), false), (.seconds(125) + Self.nanosecond, true)] {
            var script = try Script { $0.deadline = deadline }
            script.beginReading()
            let id = try script.post(Self.entry())
            #expect(script.handle(.answered(status: 500)) == [.postFailed])
            #expect(script.pass(.seconds(5)) == [.perform(.read)])
            #expect(script.found(Self.entry(), heard: script.now) == [.watchClient])
            #expect(script.pass(.seconds(90)) == [.perform(.read)])
            #expect(try script.post(Self.entry()) == id)
            let outputs = script.handle(.answered(status: 500))
            #expect(outputs == (isRetried ? [.postFailed] : [.postFailed, .perform(.giveUp(upTo: 2))]))
        }
    }

    @Test func `a message fetched between two webhook attempts ends the wake-up`() throws {
        var script = try Script()
        script.beginReading()
        _ = try script.post(Self.entry())
        #expect(script.handle(.answered(status: 500)) == [.postFailed])
        #expect(script.pass(.seconds(5)) == [.perform(.read)])
        #expect(script.found(Self.entry(count: 0)) == [.ended])
    }

    @Test func `a webhook that answers 410 is removed, and not retried`() throws {
        var script = try Script()
        script.beginReading()
        _ = try script.post(Self.entry())
        #expect(script.handle(.answered(status: 410)) == [.postFailed, .perform(.removeWebhook)])
        #expect(script.handle(.settled) == [.ended])
    }

    @Test func `a webhook that the rules do not allow is given up without a failed post`() throws {
        var script = try Script()
        script.beginReading()
        _ = try script.post(Self.entry())
        #expect(script.handle(.notAllowed) == [.perform(.giveUp(upTo: 2))])
        #expect(script.handle(.settled) == [.ended])
    }

    @Test func `a failed store operation ends the webhook schedule, also when another message came`() throws {
        var script = try Script()
        script.beginReading()
        #expect(script.handle(.messageWaits) == [])
        #expect(script.handle(.operationFailed) == [.ended])
        #expect(script.schedule.nextDeadline == nil)
    }

    // Cancellation.

    @Test func `a cancelled webhook schedule that waits ends at once`() throws {
        var script = try Script()
        #expect(script.handle(.messageWaits) == [])
        #expect(script.handle(.cancelled) == [.ended])
        #expect(script.schedule.nextDeadline == nil)
        #expect(script.handle(.cancelled) == [])
    }

    @Test func `a cancelled webhook schedule ends where it would wait or read again`() throws {
        var retry = try Script()
        retry.beginReading()
        _ = try retry.post(Self.entry())
        #expect(retry.handle(.cancelled) == [])
        #expect(retry.handle(.answered(status: nil)) == [.postFailed, .ended])

        var live = try Script()
        live.beginReading()
        #expect(live.handle(.cancelled) == [])
        #expect(live.found(Self.entry(), heard: live.now) == [.ended])

        var interval = try Script()
        interval.beginReading()
        #expect(interval.handle(.cancelled) == [])
        #expect(interval.found(Self.entry(woken: Self.wallTime)) == [.ended])

        var hold = try Script()
        hold.beginReading()
        #expect(hold.found(Self.entry()) == [.perform(.takeHold(Self.entry()))])
        #expect(hold.handle(.cancelled) == [])
        #expect(hold.handle(.holdTaken(nil)) == [.perform(.freeHold)])
        #expect(hold.handle(.holdFreed) == [.ended])
    }

    @Test func `a cancelled webhook schedule records a post that succeeds, and begins no other pass`() throws {
        var script = try Script()
        script.beginReading()
        _ = try script.post(Self.entry())
        #expect(script.handle(.messageWaits) == [])
        #expect(script.handle(.cancelled) == [])
        #expect(script.handle(.answered(status: 200)) == [.perform(.recordWakeUp(upTo: 2))])
        #expect(script.handle(.settled) == [.ended])
    }
}
