import Determinism

/// The counts of events since a cloud agent was started.
public struct MediatorCounts: Hashable, Sendable {
    /// Envelopes that were accepted, also those for unknown recipients, which are dropped.
    public var taken = 0
    /// Envelopes whose senders were asked to send them again.
    public var deferred = 0
    /// Envelopes that do not open with a key of the mediator.
    public var refused = 0
    /// Envelopes of sources that sent more than the limit of their rate.
    public var slowedDown = 0
    /// Bytes of the envelopes that were taken.
    public var takenBytes = 0
    /// Messages that were sent to clients; a message that was sent again counts again.
    public var handedOut = 0
    /// Messages of clients that were processed.
    public var requests = 0
    /// Accounts that were opened.
    public var opened = 0
    /// Accounts that were closed by their clients.
    public var closed = 0
    /// Accounts that were ended because they were not used.
    public var ended = 0
    /// Requests for an account that were refused.
    public var turnedAway = 0
    /// Answers that could not be delivered to a client's address.
    public var undelivered = 0
    /// Messages that a client's address refused, and that stay for pickup.
    public var setAside = 0
    /// Clients that were woken.
    public var woken = 0
    /// Attempts to wake a client that failed.
    public var wakeFailures = 0
    /// Messages that were dropped because of their age.
    public var expired = 0
    /// Messages that were ignored.
    public var ignored = 0
    /// Failures of the store.
    public var storeFailures = 0
    /// The times that the store went back to an earlier state.
    public var storeReturns = 0
    /// The answered steps that were gone then.
    public var storeStepsLost = 0
    /// WebSockets that are open.
    public var sockets = 0
    /// WebSockets whose clients are live: they are sent mail as it comes.
    public var live = 0

    /// Makes counts that are all zero.
    public init() {}
}

/// The counters of a running mediator.
final class Counters: Sendable {
    private let state = Lock(MediatorCounts())
    private let handling = Lock(DurationHistogram())

    /// The times of envelopes from their arrival to the answer, or until the next one could be read.
    var durations: DurationHistogram { handling.withLock { $0 } }

    func addHandling(_ duration: Duration) { handling.withLock { $0.add(duration) } }

    var counts: MediatorCounts { state.withLock { $0 } }

    func add(_ count: Int = 1, to kind: WritableKeyPath<MediatorCounts, Int>) {
        state.withLock { $0[keyPath: kind] += count }
    }
}
