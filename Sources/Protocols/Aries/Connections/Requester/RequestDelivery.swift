import Determinism

/// How often, and with what success, the request of a handshake was sent, and when it is sent again.
///
/// A part of `HandshakeRequester`. A request that was not handed over is sent again a few times; one that was, only when a
/// mediator of the inviter took it and a long silence followed.
struct RequestDelivery: Hashable, Sendable {
    /// How many times again since the start, the last restart, or the last request of the user.
    private(set) var resends = 0
    /// How many times again because the inviter's mediator took it and no answer came.
    private(set) var repeats = 0
    /// Whether it was sent more than once in all, so that the inviter may have it already.
    private(set) var isRepeated = false
    /// Whether it was handed over.
    private(set) var isHandedOver = false
    /// Why it could not be handed over the last time.
    private(set) var failure: DeliveryFailure?
    /// What the inviter said to the repeated request.
    private(set) var refusal: String?
    /// Whether it could not be handed over and nothing more is tried.
    private(set) var isUndeliverable = false
    /// When it is sent again; nil for not.
    private(set) var resendAt: MonotonicInstant?
    /// When it was sent the last time, and whether the result of that is not known yet.
    private var sentAt: MonotonicInstant?
    private var isSending = false

    init() {}

    /// One that was sent and handed over before a restart.
    static var handedOverBefore: RequestDelivery { RequestDelivery(isRepeated: true, isHandedOver: true) }

    /// As it was stored.
    init(
        resends: Int = 0, repeats: Int = 0, isRepeated: Bool = false, isHandedOver: Bool = false,
        failure: DeliveryFailure? = nil, refusal: String? = nil
    ) {
        (self.resends, self.repeats) = (resends, repeats)
        (self.isRepeated, self.isHandedOver) = (isRepeated, isHandedOver)
        (self.failure, self.refusal) = (failure, refusal)
    }

    /// Why nothing came of it in time, with what is known.
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

    /// Whether a resend is left before it is given up as undeliverable.
    func mayResend(_ policy: HandshakePolicy) -> Bool { resends < policy.resendAfter.count }

    /// Whether it was sent a moment ago, or is being sent, so that a request of the user adds nothing.
    func isUnderWay(at now: MonotonicInstant, _ policy: HandshakePolicy) -> Bool {
        let isRecent = sentAt.map { now < $0 + policy.retryAfter } ?? false
        return isSending || isHandedOver && isRecent
    }

    /// Notes that it is sent now.
    mutating func begin(at now: MonotonicInstant, _ policy: HandshakePolicy) {
        resendAt = mayResend(policy) ? now + policy.resendAfter[resends] : nil
        (sentAt, isSending, isUndeliverable) = (now, true, false)
    }

    /// Begins the waits anew, after a restart or because the user wants it.
    mutating func restart() {
        self = RequestDelivery(repeats: repeats, isRepeated: true, failure: failure, refusal: refusal)
    }

    /// Counts the next time that it is sent because its time has come; false when none is left.
    mutating func countResend(_ policy: HandshakePolicy) -> Bool {
        if isHandedOver {
            self = RequestDelivery(repeats: repeats + 1, isRepeated: true, refusal: refusal)
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

    /// Notes that it was handed over.
    ///
    /// - Parameter isMediated: whether a mediator of the inviter took it.
    mutating func handedOver(isMediated: Bool, at now: MonotonicInstant, _ policy: HandshakePolicy) {
        (isSending, isHandedOver, failure) = (false, true, nil)
        planRepeat(isMediated: isMediated, at: now, policy)
    }

    /// Plans to send a request again that a mediator of the inviter may lose.
    mutating func planRepeat(isMediated: Bool, at now: MonotonicInstant, _ policy: HandshakePolicy) {
        let waits = policy.repeatAfter
        resendAt = isMediated && repeats < waits.count ? now + waits[repeats] : nil
    }

    /// Notes that it could not be handed over.
    ///
    /// - Parameter new: why; nil where that is not known.
    /// - Returns: whether nothing more is tried, which is to be reported.
    mutating func failed(
        _ new: DeliveryFailure?, at now: MonotonicInstant, _ policy: HandshakePolicy
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

    /// Sends it again soon, and no later than planned.
    mutating func retrySoon(at now: MonotonicInstant, _ policy: HandshakePolicy) {
        let retryAt = now + policy.retryAfter
        resendAt = min(resendAt ?? retryAt, retryAt)
    }

    /// Notes what the inviter said to the repeated request.
    mutating func refused(_ text: String) { refusal = text }

    /// Plans nothing more, because a response came.
    mutating func rest() { resendAt = nil }
}
