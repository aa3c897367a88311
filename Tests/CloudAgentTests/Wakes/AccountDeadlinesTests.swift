import Determinism
import Testing

@testable import CloudAgent

@Suite struct AccountDeadlinesTests {
    private static func at(_ seconds: Int) -> MonotonicInstant { .zero + .seconds(seconds) }

    @Test func `accounts are due at their deadline, in its order, and not a nanosecond earlier`() {
        var deadlines = AccountDeadlines()
        #expect(deadlines.next() == nil)
        for (account, seconds) in [(1, 30), (2, 10), (3, 20), (4, 10)] as [(Int64, Int)] {
            deadlines.set(Self.at(seconds), for: account)
        }
        #expect(deadlines.next() == Self.at(10))
        #expect(deadlines.popDue(at: Self.at(10) + .nanoseconds(-1)) == nil)
        #expect(deadlines.popDue(at: Self.at(10)) == 2)
        #expect(deadlines.popDue(at: Self.at(10)) == 4)
        #expect(deadlines.popDue(at: Self.at(10)) == nil)
        #expect(deadlines.popDue(at: Self.at(99)) == 3)
        #expect(deadlines.popDue(at: Self.at(99)) == 1)
        #expect(deadlines.popDue(at: Self.at(99)) == nil && deadlines.next() == nil)
    }

    @Test func `an account deadline that is moved or removed does not fall due`() {
        var deadlines = AccountDeadlines()
        deadlines.set(Self.at(10), for: 1)
        deadlines.set(Self.at(20), for: 2)
        deadlines.set(Self.at(30), for: 1)
        #expect(deadlines.next() == Self.at(20))
        deadlines.set(Self.at(5), for: 1)
        deadlines.set(nil, for: 2)
        #expect(deadlines.popDue(at: Self.at(99)) == 1)
        #expect(deadlines.popDue(at: Self.at(99)) == nil)
    }

    @Test func `an account deadline that is set, moved and set back falls due once`() {
        var deadlines = AccountDeadlines()
        for seconds in [10, 20, 10] { deadlines.set(Self.at(seconds), for: 1) }
        #expect(deadlines.popDue(at: Self.at(99)) == 1)
        #expect(deadlines.popDue(at: Self.at(99)) == nil)
    }

    @Test func `stale entries of moved account deadlines are removed when there are too many`() {
        var deadlines = AccountDeadlines()
        let limit = 2 + AccountDeadlines.slack
        for seconds in 1...limit { deadlines.set(Self.at(seconds), for: 1) }
        #expect(deadlines.entryCount == limit)
        deadlines.set(Self.at(limit + 1), for: 1)
        #expect(deadlines.entryCount == 1)
        #expect(deadlines.next() == Self.at(limit + 1))
    }
}
