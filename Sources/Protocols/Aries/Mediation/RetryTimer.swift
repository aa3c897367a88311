import Determinism

/// Waits for an answer, resends the request a few times, and then fails.
struct RetryTimer: Sendable {
    enum Action: Hashable, Sendable {
        case sendAgain
        case giveUp
    }

    private let policy: HandshakePolicy
    private var resends = 0
    private var resendAt: MonotonicInstant?
    private var giveUpAt: MonotonicInstant?

    init(_ policy: HandshakePolicy) { self.policy = policy }

    var deadline: MonotonicInstant? { [resendAt, giveUpAt].compactMap(\.self).min() }

    mutating func begin(at now: MonotonicInstant) {
        resends = 0
        giveUpAt = now + policy.giveUpAfter
        schedule(at: now)
    }

    /// Schedules a resend soon after a failed delivery, which counts as a resend.
    mutating func failed(at now: MonotonicInstant) {
        guard resends < policy.resendAfter.count else { return }
        let retryAt = now + policy.retryAfter
        resendAt = min(resendAt ?? retryAt, retryAt)
    }

    /// Returns the action that is due at `now`; nil when none is.
    mutating func reached(at now: MonotonicInstant) -> Action? {
        if let giveUpAt, now >= giveUpAt { return .giveUp }
        guard let resendAt, now >= resendAt else { return nil }
        resends += 1
        schedule(at: now)
        return .sendAgain
    }

    private mutating func schedule(at now: MonotonicInstant) {
        resendAt = resends < policy.resendAfter.count ? now + policy.resendAfter[resends] : nil
    }
}
