import Determinism

/// The sends and resends of a handshake's request: their counts and results, and the time of the next.
///
/// A part of `HandshakeRequester`. A request that was not handed over is sent again a few times; one that was, only
/// when a mediator of the inviter took it and a long silence followed.
struct HandshakeRequestDelivery: Hashable, Sendable {
    /// The number of resends since the start, the last restart, or the user's last request.
    private(set) var resends = 0
    /// The number of resends after the inviter's mediator accepted the request and no answer came.
    private(set) var repeats = 0
    /// True when the request was ever sent more than once, so that the inviter may have it already.
    private(set) var isRepeated = false
    /// True once the transport has delivered the request.
    private(set) var isHandedOver = false
    /// The reason why the transport could not deliver the last request; nil when it could.
    private(set) var failure: HandshakeDeliveryFailure?
    /// The inviter's problem report about the repeated request; nil without one.
    private(set) var refusal: String?
    /// True when the request could not be delivered and no retry is left.
    private(set) var isUndeliverable = false
    /// The time at which the request is sent again; nil for never.
    private(set) var resendAt: MonotonicInstant?
    /// The time at which the handshake fails; nil after a read from a store.
    private(set) var giveUpAt: MonotonicInstant?
    /// The time of the last send; nil before the first.
    private var sentAt: MonotonicInstant?
    private var isSending = false

    /// The delivery of a request that was sent before a restart.
    static let handedOverBefore = HandshakeRequestDelivery(isRepeated: true, isHandedOver: true)

    init(
        resends: Int = 0, repeats: Int = 0, isRepeated: Bool = false, isHandedOver: Bool = false,
        failure: HandshakeDeliveryFailure? = nil, refusal: String? = nil, giveUpAt: MonotonicInstant? = nil
    ) {
        (self.resends, self.repeats) = (resends, repeats)
        (self.isRepeated, self.isHandedOver) = (isRepeated, isHandedOver)
        (self.failure, self.refusal, self.giveUpAt) = (failure, refusal, giveUpAt)
    }

    /// The time-out error of the handshake, with what is known about the sends of the request.
    var timeout: AriesError {
        if let failure {
            return AriesError(
                .timeout, "The inviter could not be reached in time: \(failure.reason)", wireCode: failure.code)
        }
        if let refusal {
            return AriesError(.timeout, "The inviter did not answer in time but for a refusal: \(refusal)")
        }
        return AriesError(.timeout, "The inviter did not answer in time.")
    }

    /// Returns true when a resend is left before the handshake fails as undeliverable.
    func mayResend(_ policy: HandshakePolicy) -> Bool { resends < policy.resendAfter.count }

    /// Returns true when the request is being sent or was just sent, so that `again` sends nothing more.
    func isUnderWay(at now: MonotonicInstant, _ policy: HandshakePolicy) -> Bool {
        let isRecent = sentAt.map { now < $0 + policy.retryAfter } ?? false
        return isSending || isHandedOver && isRecent
    }

    /// Sets the time at which the handshake fails.
    mutating func giveUp(at deadline: MonotonicInstant) { giveUpAt = deadline }

    /// Records that the request is sent now, and schedules the next resend.
    mutating func begin(at now: MonotonicInstant, _ policy: HandshakePolicy) {
        resendAt = mayResend(policy) ? now + policy.resendAfter[resends] : nil
        (sentAt, isSending, isUndeliverable) = (now, true, false)
    }

    /// Resets the resends, after a restart or a request of the user.
    mutating func restart() {
        self = HandshakeRequestDelivery(
            repeats: repeats, isRepeated: true, failure: failure, refusal: refusal, giveUpAt: giveUpAt)
    }

    /// Counts a resend that is due; returns false when none is left.
    mutating func countResend(_ policy: HandshakePolicy) -> Bool {
        if isHandedOver {
            self = HandshakeRequestDelivery(
                repeats: repeats + 1, isRepeated: true, refusal: refusal, giveUpAt: giveUpAt)
            return true
        }
        guard mayResend(policy) else {
            resendAt = nil
            return false
        }
        resends += 1
        isRepeated = true
        return true
    }

    /// Records that the request was delivered.
    ///
    /// - Parameter isMediated: true when a mediator of the inviter took it.
    mutating func handedOver(isMediated: Bool, at now: MonotonicInstant, _ policy: HandshakePolicy) {
        (isSending, isHandedOver, failure) = (false, true, nil)
        planRepeat(isMediated: isMediated, at: now, policy)
    }

    /// Schedules a resend of a request that a mediator of the inviter may lose.
    mutating func planRepeat(isMediated: Bool, at now: MonotonicInstant, _ policy: HandshakePolicy) {
        let waits = HandshakePolicy.repeatAfter
        resendAt = isMediated && repeats < waits.count ? now + waits[repeats] : nil
    }

    /// Records that the request could not be delivered.
    ///
    /// - Parameter new: the reason; nil where it is not known.
    /// - Returns: true when nothing more is tried, which is to be reported.
    mutating func failed(
        _ new: HandshakeDeliveryFailure?, at now: MonotonicInstant, _ policy: HandshakePolicy
    ) -> Bool {
        isSending = false
        failure = new ?? failure
        if mayResend(policy), new?.isPermanent != true {
            retrySoon(at: now, policy)
            return false
        }
        resendAt = nil
        isUndeliverable = isUndeliverable || new != nil
        return new != nil
    }

    /// Schedules a resend soon, and no later than scheduled before.
    mutating func retrySoon(at now: MonotonicInstant, _ policy: HandshakePolicy) {
        let retryAt = now + policy.retryAfter
        resendAt = min(resendAt ?? retryAt, retryAt)
    }

    /// Records the inviter's problem report about the repeated request.
    mutating func refused(_ text: String) { refusal = text }

    /// Cancels all resends, because a response came.
    mutating func rest() { resendAt = nil }
}
