import CloudAgent
import Determinism

/// Decides what the log says of failures of the store: each cause once per outage, and when the outage is over.
///
/// An outage begins with a failure. It ends when the store answers and nothing has failed for a while; that while
/// grows when outages follow each other closely, so that a store that fails now and then does not fill the log.
struct StoreOutageLog: Sendable {
    /// The interval at which the counts of the store's failures are checked.
    static let interval = Duration.seconds(1)
    /// The time without a failure after which an outage is over.
    static let quiet = Duration.seconds(2)
    /// The upper limit of the time without a failure after which an outage is over.
    static let longestQuiet = Duration.seconds(60)
    /// The most causes that are named in one outage.
    static let maximumCauses = 4

    /// An entry of the log about the store's outages.
    enum Entry: Hashable, Sendable {
        /// The store began to fail, or fails for another cause than before.
        case failing(CloudAgentError)
        /// The store works again.
        case recovered(after: Duration, failures: Int, deferred: Int)
    }

    private struct Outage {
        let begin: MonotonicInstant
        let countsBefore: MediatorCounts
        var lastFailure: MonotonicInstant
        var named: [CloudAgentError.Code] = []
    }

    private var outage: Outage?
    private var counts = MediatorCounts()
    private var requiredQuiet = Self.quiet
    private var lastEnd: MonotonicInstant?

    /// True during an outage.
    var isFailing: Bool { outage != nil }

    /// Checks the counts of the store at an instant, and returns the entry to log, if any.
    ///
    /// - Parameters:
    ///   - failure: the last failure of the store.
    ///   - answers: whether the store has answered when it was asked last.
    mutating func look(
        _ now: MediatorCounts, failure: CloudAgentError?, answers: Bool, at time: MonotonicInstant
    ) -> Entry? {
        let before = counts
        counts = now
        if now.storeFailures > before.storeFailures, let failure { return failed(failure, before, at: time) }
        guard answers else {
            // A store that stands still fails nothing, and still it is not back.
            outage?.lastFailure = time
            return nil
        }
        guard let outage, time - outage.lastFailure >= requiredQuiet else { return nil }
        self.outage = nil
        lastEnd = time
        return .recovered(
            after: outage.lastFailure - outage.begin, failures: now.storeFailures - outage.countsBefore.storeFailures,
            deferred: now.deferred - outage.countsBefore.deferred)
    }

    private mutating func failed(
        _ failure: CloudAgentError, _ before: MediatorCounts, at time: MonotonicInstant
    ) -> Entry? {
        var current = outage ?? begin(before, at: time)
        defer { outage = current }
        current.lastFailure = time
        guard !current.named.contains(failure.code), current.named.count < Self.maximumCauses else { return nil }
        current.named.append(failure.code)
        return .failing(failure)
    }

    private mutating func begin(_ before: MediatorCounts, at time: MonotonicInstant) -> Outage {
        let isSoon = lastEnd.map { time - $0 < Self.longestQuiet } ?? false
        requiredQuiet = isSoon ? min(requiredQuiet * 4, Self.longestQuiet) : Self.quiet
        return Outage(begin: time, countsBefore: before, lastFailure: time)
    }
}
