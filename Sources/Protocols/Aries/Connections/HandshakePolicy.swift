/// How long a handshake waits, and how often it sends a message again.
public struct HandshakePolicy: Hashable, Sendable {
    /// The most times that one message is sent again.
    public static let maximumResends = 8

    /// How long to wait for an answer before the same message is sent again, once for each time.
    public var resendAfter: [Duration]

    /// How long to wait before a message is sent again that could not be delivered.
    public var retryAfter: Duration

    /// How long a handshake may take in all, from its start or from its resumption after a restart.
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
}
