import DataStructures
import Determinism
import TestSupport
import Testing

@Suite struct TokenBucketTests {
    private let limit = TokenBucket.Limit(burst: 3, perSecond: 2)

    private func instant(_ milliseconds: UInt64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
    }

    /// Returns the results of `count` takings from the bucket at one instant.
    private func take(_ count: Int, _ bucket: inout TokenBucket, at milliseconds: UInt64) -> [Bool] {
        (0..<count).map { _ in bucket.take(limit, at: instant(milliseconds)) }
    }

    @Test func `a new token bucket admits its burst and then refuses`() {
        var bucket = TokenBucket(limit, at: instant(0))
        #expect(take(4, &bucket, at: 0) == [true, true, true, false])
    }

    @Test func `a token returns to a token bucket after its time, and not before`() {
        var bucket = TokenBucket(limit, at: instant(0))
        for _ in 0..<3 { _ = bucket.take(limit, at: instant(0)) }
        #expect(take(1, &bucket, at: 499) == [false])
        #expect(take(1, &bucket, at: 500) == [true])
        #expect(take(1, &bucket, at: 501) == [false])
    }

    @Test func `a long pause fills a token bucket up to its burst`() {
        var bucket = TokenBucket(limit, at: instant(0))
        #expect(take(4, &bucket, at: 1_000_000) == [true, true, true, false])
    }

    @Test func `a clock that goes back adds no tokens to a token bucket`() {
        var bucket = TokenBucket(limit, at: instant(1000))
        for _ in 0..<3 { _ = bucket.take(limit, at: instant(1000)) }
        #expect(take(1, &bucket, at: 0) == [false])
        #expect(take(1, &bucket, at: 1400) == [false])
        #expect(take(1, &bucket, at: 1500) == [true])
    }

    @Test func `a token bucket with a limit of zero admits nothing`() {
        let none = TokenBucket.Limit(burst: 0, perSecond: 0)
        var bucket = TokenBucket(none, at: instant(0))
        let isAdmitted = bucket.take(none, at: instant(1_000_000))
        #expect(!isAdmitted)
    }

    @Test func `a token bucket admits at the time of its next token, and not a nanosecond earlier`() throws {
        let limit = TokenBucket.Limit(burst: 2, perSecond: 4)
        let start = MonotonicInstant(nanoseconds: 1_000)
        var bucket = TokenBucket(limit, at: start)
        #expect(bucket.nextToken(limit) == nil)
        #expect((0..<2).map { _ in bucket.take(limit, at: start) } == [true, true])
        let next = try #require(bucket.nextToken(limit))
        #expect(next == start + .milliseconds(250))
        var early = bucket
        let isEarly = early.take(limit, at: MonotonicInstant(nanoseconds: next.nanoseconds - 1))
        let isInTime = bucket.take(limit, at: next)
        #expect(!isEarly && isInTime)
        let never = TokenBucket.Limit(burst: 1, perSecond: 0)
        var empty = TokenBucket(never, at: start)
        _ = empty.take(never, at: start)
        #expect(empty.nextToken(never) == nil)
    }
}
