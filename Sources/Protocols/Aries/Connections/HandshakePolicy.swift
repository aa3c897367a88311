public import Determinism

/// How long a handshake waits, and how often it sends a message again.
public struct HandshakePolicy: Hashable, Sendable {
    /// The most times that one message is sent again.
    public static let maximumResends = 8

    /// How long to wait before the same message is sent again, once for each time.
    ///
    /// A response is sent again as long as it is not confirmed; a request only as long as it was not handed over, because
    /// deployed agents take a request that they have for another one.
    public var resendAfter: [Duration]

    /// How long to wait before a request is sent again that was handed over to a mediator of the inviter, once for each time.
    ///
    /// A mediator may lose it, as when the inviter ends while it fetches; so long a silence counts as a failure.
    public var repeatAfter: [Duration] = [.seconds(900), .seconds(3600)]

    /// How long to wait before a message is sent again that could not be delivered.
    public var retryAfter: Duration

    /// How long a handshake may take in all.
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

    /// How long an invitee waits for its inviter where nothing else is said: seven days.
    public static let longestWait = Duration.seconds(7 * 86_400)

    /// The least that a handshake is given after a restart, so that what has come meanwhile is still taken: a minute.
    public static let leastWait = Duration.seconds(60)

    /// The policy at a time, for a handshake that was begun earlier: it ends `giveUpAfter` after its beginning, or with its
    /// invitation where that ends first, and not before `leastWait` has passed.
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
