import Determinism

/// The counts of events since a cloud agent was started.
public struct MediatorCounts: Hashable, Sendable {
    /// The number of accepted envelopes, also those for unknown recipients, which are dropped.
    public var taken = 0
    /// The number of envelopes whose senders were asked to send them again.
    public var deferred = 0
    /// The number of envelopes that do not open with a key of the mediator.
    public var refused = 0
    /// The number of envelopes of sources that sent more than the limit of their rate.
    public var slowedDown = 0
    /// The bytes of all accepted envelopes.
    public var takenBytes = 0
    /// The number of messages that were sent to clients; a message that was sent again counts again.
    public var handedOut = 0
    /// The number of messages of clients that were processed.
    public var requests = 0
    /// The number of accounts that were opened.
    public var opened = 0
    /// The number of accounts that were closed by their clients.
    public var closed = 0
    /// The number of accounts that were deleted because they were not used.
    public var ended = 0
    /// The number of requests for an account that were refused.
    public var turnedAway = 0
    /// The number of answers that could not be delivered to a client's address.
    public var undelivered = 0
    /// The number of messages that a client's address refused, and that stay for pickup.
    public var setAside = 0
    /// The number of clients that were woken by their webhook.
    public var woken = 0
    /// The number of attempts to wake a client that failed.
    public var wakeFailures = 0
    /// The number of messages that were dropped because of their age.
    public var expired = 0
    /// The number of messages that were ignored.
    public var ignored = 0
    /// The number of failures of the store.
    public var storeFailures = 0
    /// The number of times that the store went back to an earlier state.
    public var storeReturns = 0
    /// The number of answered writing steps that were gone when the store went back to an earlier state.
    public var storeStepsLost = 0
    /// The number of open WebSockets.
    public var sockets = 0
    /// The number of open WebSockets whose clients are live, so that messages are sent to them as they come.
    public var live = 0

    /// Makes counts that are all zero.
    public init() {}
}

/// The counters of a running mediator.
final class MediatorCounters: Sendable {
    private let state = Lock(MediatorCounts())
    private let handling = Lock(DurationHistogram())

    /// The handling times of envelopes: from their arrival to the answer, or until the next one could be read.
    var durations: DurationHistogram { handling.withLock { $0 } }

    func addHandling(_ duration: Duration) { handling.withLock { $0.add(duration) } }

    var counts: MediatorCounts { state.withLock { $0 } }

    func add(_ count: Int = 1, to kind: WritableKeyPath<MediatorCounts, Int>) {
        state.withLock { $0[keyPath: kind] += count }
    }
}
