import CryptoSuite
import Determinism
import TestSupport
import Testing

@testable import Herald

@Suite struct ContactMatcherTests {
    private let schedule = SimplePayloadCalendar()

    private func chain(_ byte: UInt8) throws -> SimpleKeyChain {
        try SimpleKeyChain(secret: Secret(copying: [UInt8](repeating: byte, count: 2048)), schedule: schedule)
    }

    private func time(_ day: Int, _ period: Int, plus milliseconds: Int64 = 0) -> WallTime {
        let start = schedule.start(of: .init(day: day, period: period))
        return WallTime(millisecondsSinceEpoch: start.millisecondsSinceEpoch + milliseconds)
    }

    @Test func `an observed contact identifier is matched by the published key of its day, and by no other`() throws {
        let (one, other) = (try chain(1), try chain(2))
        var matcher = ContactMatcher()
        let seen = try #require(try one.identifiers(ofDay: 7)[100])
        matcher.observe(seen, at: time(7, 100))
        matcher.observe(seen, at: time(7, 100, plus: 60_000))
        matcher.observe(try #require(try other.identifiers(ofDay: 7)[100]), at: time(7, 100))
        let keys = try [
            ContactMatcher.PublishedMatchingKey(day: 6, key: one.matchingKey(ofDay: 6)),
            ContactMatcher.PublishedMatchingKey(day: 7, key: one.matchingKey(ofDay: 7)),
        ]
        let slot = SimplePayloadCalendar.CalendarPeriod(day: 7, period: 100)
        #expect(
            matcher.matches(keys) == [
                .init(slot: slot, observedAt: time(7, 100), isTimely: true),
                .init(slot: slot, observedAt: time(7, 100, plus: 60_000), isTimely: true),
            ])
        #expect(matcher.matches([]) == [])
    }

    @Test(.shows("N2")) func `a contact identifier replayed at another time is matched and marked as untimely`() throws
    {
        let chain = try chain(1)
        let seen = try #require(try chain.identifiers(ofDay: 7)[100])
        let key = ContactMatcher.PublishedMatchingKey(day: 7, key: try chain.matchingKey(ofDay: 7))
        for (milliseconds, isTimely) in [
            (Int64(-900_000), true), (-900_001, false), (1_259_999, true), (1_260_000, false),
        ] {
            var matcher = ContactMatcher(tolerance: .seconds(900))
            matcher.observe(seen, at: time(7, 100, plus: milliseconds))
            #expect(matcher.matches([key]).map(\.isTimely) == [isTimely])
        }
    }

    @Test func `a full contact matcher refuses more, and malformed identifiers and keys match nothing`() throws {
        let chain = try chain(1)
        let seen = try #require(try chain.identifiers(ofDay: 7)[100])
        var matcher = ContactMatcher(limit: 1)
        let taken = [seen.dropLast(), seen[...], seen[...]].map { matcher.observe($0, at: time(7, 100)) }
        #expect(taken == [false, true, false])
        #expect(matcher.count == 1)
        let key = try chain.matchingKey(ofDay: 7)
        #expect(matcher.matches([.init(day: 7, key: key.dropLast()), .init(day: 2001, key: key)]) == [])
        #expect(matcher.matches([.init(day: -1, key: key)]) == [])
    }
}
