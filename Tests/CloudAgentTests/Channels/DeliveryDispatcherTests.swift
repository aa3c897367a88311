import Determinism
import Testing

@testable import CloudAgent

/// Tests of the choice of accounts for delivery attempts, and of their order.
@Suite struct DeliveryDispatcherTests {
    private typealias Output = DeliverySchedule.Output

    private final class Script {
        var dispatcher: DeliveryDispatcher
        var now = MonotonicInstant.zero

        init(maximumActive: Int = EndpointDelivery.maximumActive) {
            dispatcher = DeliveryDispatcher(
                timing: DeliverySchedule.DeliveryTiming(
                    retryAfter: [.seconds(1), .seconds(5)], refusedRetryAfter: .seconds(3600)),
                maximumActive: maximumActive)
        }

        func handle(_ input: DeliverySchedule.Input, of account: Int64) -> [Output] {
            var outputs: [Output] = []
            dispatcher.handle(input, of: account, at: now, into: &outputs)
            return outputs
        }

        func reach(_ instant: MonotonicInstant) -> [Output] {
            var outputs: [Output] = []
            now = instant
            dispatcher.timeReached(at: now, into: &outputs)
            return outputs
        }
    }

    private static func at(_ seconds: Double) -> MonotonicInstant { .zero + .seconds(seconds) }

    @Test func `as many attempts as allowed are made at a time, and the next account waits until one ends`() {
        let script = Script()
        let last = Int64(EndpointDelivery.maximumActive)
        for account in 1...last {
            #expect(script.handle(.messageArrived, of: account) == [.deliver(account: account)])
        }
        for account in last + 1...last + 2 { #expect(script.handle(.messageArrived, of: account) == []) }
        #expect(script.handle(.messageArrived, of: last + 1) == [], "an account is queued once")
        #expect(script.handle(.attemptEnded(.finished), of: 5) == [.deliver(account: last + 1)])
        #expect(script.handle(.attemptEnded(.finished), of: last + 1) == [.deliver(account: last + 2)])
        #expect(script.handle(.attemptEnded(.finished), of: 6) == [])
        #expect(script.handle(.messageArrived, of: 6) == [.deliver(account: 6)])
        #expect(script.handle(.messageArrived, of: 5) == [])
    }

    @Test func `an account with more messages goes on before those that are queued`() {
        let script = Script(maximumActive: 1)
        _ = script.handle(.messageArrived, of: 1)
        _ = script.handle(.messageArrived, of: 2)
        _ = script.handle(.messageArrived, of: 1)
        #expect(script.handle(.attemptEnded(.finished), of: 1) == [.deliver(account: 1)])
        #expect(script.handle(.attemptEnded(.finished), of: 1) == [.deliver(account: 2)])
    }

    @Test func `an attempt that fails lets the next queued account go on`() {
        let script = Script(maximumActive: 1)
        _ = script.handle(.messageArrived, of: 1)
        _ = script.handle(.messageArrived, of: 2)
        #expect(
            script.handle(.attemptEnded(.failed), of: 1) == [.retryPlanned(Self.at(1)), .deliver(account: 2)])
        #expect(script.reach(Self.at(1)) == [], "the retry is queued")
        #expect(script.handle(.attemptEnded(.finished), of: 2) == [.deliver(account: 1)])
    }

    @Test func `only a message and a new document begin the deliveries of an account`() {
        let script = Script()
        #expect(script.handle(.clientSpoke, of: 1) == [])
        #expect(script.handle(.accountDeleted, of: 1) == [])
        #expect(script.handle(.timeReached, of: 1) == [])
        #expect(script.handle(.messageArrived, of: 1) == [.deliver(account: 1)])
        #expect(script.handle(.documentChanged, of: 2) == [.deliver(account: 2)])
    }

    @Test func `the next deadline is the earliest of all accounts, and each is retried at its own`() {
        let script = Script()
        for account: Int64 in [1, 2] {
            script.now = Self.at(Double(account))
            _ = script.handle(.messageArrived, of: account)
            _ = script.handle(.attemptEnded(.failed), of: account)
        }
        #expect(script.dispatcher.nextDeadline == Self.at(2))
        #expect(script.reach(Self.at(1.999)) == [])
        #expect(script.reach(Self.at(2)) == [.deliver(account: 1)])
        #expect(script.dispatcher.nextDeadline == Self.at(3))
        #expect(script.reach(Self.at(2.999)) == [])
        #expect(script.reach(Self.at(3)) == [.deliver(account: 2)])
        #expect(script.dispatcher.nextDeadline == nil)
    }

    @Test func `accounts that are due at one time begin in the order of their numbers`() {
        let script = Script()
        for account: Int64 in [3, 1, 2] {
            _ = script.handle(.messageArrived, of: account)
            _ = script.handle(.attemptEnded(.failed), of: account)
        }
        #expect(script.reach(Self.at(1)) == [1, 2, 3].map { .deliver(account: $0) })
    }

    @Test func `a retry that a client's message brought forward is made once`() {
        let script = Script()
        _ = script.handle(.messageArrived, of: 1)
        _ = script.handle(.attemptEnded(.failed), of: 1)
        #expect(script.reach(Self.at(1)) == [.deliver(account: 1)])
        #expect(script.handle(.attemptEnded(.failed), of: 1) == [.retryPlanned(Self.at(6))])
        #expect(script.handle(.clientSpoke, of: 1) == [])
        #expect(script.dispatcher.nextDeadline == Self.at(2))
        #expect(script.reach(Self.at(2)) == [.deliver(account: 1)])
        #expect(script.reach(Self.at(6)) == [])
        #expect(script.handle(.attemptEnded(.finished), of: 1) == [])
        #expect(script.dispatcher.nextDeadline == nil)
    }

    @Test func `the position of an account follows its messages that are set aside`() {
        let script = Script()
        _ = script.handle(.messageArrived, of: 1)
        #expect(script.dispatcher.position(of: 1) == nil)
        for _ in 1..<DeliverySchedule.maximumRefusals { _ = script.handle(.refused(position: 10), of: 1) }
        #expect(script.handle(.refused(position: 10), of: 1) == [.setAside(isFirst: true)])
        #expect(script.dispatcher.position(of: 1) == 10 && script.dispatcher.position(of: 2) == nil)
        _ = script.handle(.attemptEnded(.finished), of: 1)
        _ = script.handle(.accountDeleted, of: 1)
        #expect(script.dispatcher.position(of: 1) == nil)
        #expect(script.reach(Self.at(3600)) == [] && script.dispatcher.nextDeadline == nil)
    }

    @Test func `after all accounts are removed the end of an attempt begins nothing`() {
        let script = Script(maximumActive: 1)
        _ = script.handle(.messageArrived, of: 1)
        _ = script.handle(.messageArrived, of: 2)
        script.dispatcher.removeAll()
        #expect(script.handle(.refused(position: 10), of: 1) == [])
        #expect(script.handle(.attemptEnded(.failed), of: 1) == [])
        #expect(script.dispatcher.nextDeadline == nil)
    }
}
