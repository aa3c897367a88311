import Determinism
import TestSupport
import Testing

@testable import CloudAgent

/// Tests of the time for which messages are held back after failed acknowledgements.
@Suite struct RedeliveryBackoffTests {
    private final class Backoff {
        private var core = RedeliveryBackoff()

        func admits(_ account: Int64, at now: MonotonicInstant) -> Bool { core.admits(account, at: now) }
        func failed(_ account: Int64, at now: MonotonicInstant) { core.failed(account, at: now) }
        func succeeded(_ account: Int64) { core.succeeded(account) }
    }

    private static func at(_ seconds: Double) -> MonotonicInstant { .zero + .seconds(seconds) }

    @Test func `after a failure an account is redelivered to once per interval, and other accounts are not delayed`() {
        let backoff = Backoff()
        #expect(backoff.admits(1, at: .zero) && backoff.admits(1, at: .zero))
        backoff.failed(1, at: .zero)
        #expect(!backoff.admits(1, at: Self.at(0.999)) && backoff.admits(2, at: Self.at(0.5)))
        #expect(backoff.admits(1, at: Self.at(1)))
        #expect(!backoff.admits(1, at: Self.at(1.999)))
        #expect(backoff.admits(1, at: Self.at(2)))
    }

    @Test(.shows("A8")) func `each failure lengthens the redelivery interval up to a maximum, and a success ends it`() {
        let backoff = Backoff()
        var now = MonotonicInstant.zero
        for wait in RedeliveryBackoff.waits + [.seconds(60), .seconds(60)] {
            backoff.failed(1, at: now)
            now = now + wait
            #expect(!backoff.admits(1, at: now + .milliseconds(-1)))
            #expect(backoff.admits(1, at: now))
        }
        backoff.succeeded(1)
        #expect(backoff.admits(1, at: now) && backoff.admits(1, at: now))
        backoff.failed(1, at: now)
        #expect(backoff.admits(1, at: now + .seconds(1)))
    }

    @Test func `with more failed accounts than can be remembered, those that failed last are held back`() {
        let backoff = Backoff()
        for account in 0..<Int64(RedeliveryBackoff.capacity) { backoff.failed(account, at: .zero) }
        #expect(!backoff.admits(0, at: .zero))
        backoff.failed(-1, at: .zero)
        #expect(backoff.admits(1, at: .zero) && !backoff.admits(Int64(RedeliveryBackoff.capacity) - 1, at: .zero))
    }
}
