import Determinism
import Testing

@testable import CloudAgent

@Suite struct FetchRetryTests {
    @Test func `a failed fetch for an account is retried once, in the order of the account numbers`() {
        var retry = FetchRetry()
        #expect(retry.due(at: .zero) == [])
        for account: Int64 in [3, 1, 2, 1] { retry.failed(account) }
        #expect(retry.due(at: .zero) == [1, 2, 3])
        #expect(retry.due(at: .zero + .seconds(100)) == [])
    }

    @Test func `the retry interval grows while fetching an account's mail fails, and is reset by a success`() {
        var (retry, now) = (FetchRetry(), MonotonicInstant.zero)
        retry.failed(1)
        #expect(retry.due(at: now) == [1])
        for seconds in [2, 4, 8, 16, 30, 30] {
            retry.failed(1)
            now = now + (Duration.seconds(seconds) - .milliseconds(1))
            #expect(retry.due(at: now) == [])
            now = now + .milliseconds(1)
            #expect(retry.due(at: now) == [1], "\(seconds)")
        }
        #expect(retry.due(at: now) == [])
        now = now + .seconds(30)
        retry.failed(1)
        #expect(retry.due(at: now) == [1])
        retry.failed(1)
        #expect(retry.due(at: now + .seconds(2)) == [1])
    }
}
