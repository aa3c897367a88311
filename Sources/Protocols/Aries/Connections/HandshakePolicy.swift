public import Determinism

/// The longest duration of a handshake, and the waits before it sends a message again.
public struct HandshakePolicy: Hashable, Sendable {
    /// The most times that one message is sent again.
    public static let maximumResends = 8

    /// The time after the first response in which a repeated one counts as sent before our confirmation.
    ///
    /// It is less than the first wait of `resendAfter`.
    static let repeatedResponseAfter = Duration.seconds(15)

    /// The wait before each resend of the same message; the number of waits is the number of resends.
    ///
    /// A response is sent again until it is confirmed; a request only until it was handed over, because
    /// deployed agents treat a repeated request as a new one.
    public var resendAfter: [Duration]

    /// The wait before each resend of a request that was handed over to a mediator of the inviter.
    ///
    /// A mediator may lose a message, for example when the inviter ends while it fetches; a silence this long counts as
    /// a failure.
    static let repeatAfter: [Duration] = [.seconds(900), .seconds(3600)]

    /// The wait before a message that could not be delivered is sent again.
    public var retryAfter: Duration

    /// The longest duration of a handshake before it fails.
    public var giveUpAfter: Duration

    /// Makes a policy; at most `maximumResends` waits, all durations positive, or it traps.
    public init(
        resendAfter: [Duration] = [.seconds(20), .seconds(60)], retryAfter: Duration = .seconds(5),
        giveUpAfter: Duration = .seconds(300)
    ) {
        precondition(resendAfter.count <= Self.maximumResends, "a message is sent again a few times at most")
        precondition(
            retryAfter > .zero && giveUpAfter > .zero && resendAfter.allSatisfy { $0 > .zero }, "waits take time")
        self.resendAfter = resendAfter
        self.retryAfter = retryAfter
        self.giveUpAfter = giveUpAfter
    }

    /// The default longest duration of a handshake for the invitee: seven days.
    public static let longestWait = Duration.seconds(7 * 86_400)

    /// The shortest time that a handshake gets after a restart: a minute.
    ///
    /// Messages that came meanwhile are processed in it.
    public static let leastWait = Duration.seconds(60)

    /// Returns the policy for the rest of a handshake that began earlier.
    ///
    /// It ends `giveUpAfter` after its beginning, or with its invitation where that ends first, and not before
    /// `leastWait` has passed from now on.
    public func limited(begun: WallTime, expires: WallTime?, now: WallTime) -> HandshakePolicy {
        var end = begun.millisecondsSinceEpoch.addingReportingOverflow(Int64(giveUpAfter / .milliseconds(1)))
        if end.overflow { end.partialValue = .max }
        let last = min(end.partialValue, expires?.millisecondsSinceEpoch ?? .max)
        let left = last.subtractingReportingOverflow(now.millisecondsSinceEpoch)
        var policy = self
        policy.giveUpAfter = left.overflow ? Self.leastWait : max(Self.leastWait, .milliseconds(left.partialValue))
        return policy
    }
}
