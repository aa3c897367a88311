import Determinism

/// Schedules the delivery of one account's messages to the client's own address: the time of each attempt, the back-off
/// after failures, and the refused messages that are set aside so that later ones are delivered.
///
/// The driver makes the attempt and reports each message of it, in order, and then its end. A message that the
/// client's server refuses `maximumRefusals` times is set aside. Messages that were set aside get one more attempt each
/// after `Timing.refusedRetryAfter`, and at once when the client has a new DID document.
struct DeliverySchedule: StateMachine, Sendable {
    /// The number of refusals of a message after which it is set aside.
    static let maximumRefusals = 3

    /// The waits between attempts.
    struct DeliveryTiming: Hashable, Sendable {
        /// The wait after each failed attempt in a row; the last one for all that follow, and five minutes if empty.
        var retryAfter: [Duration]
        /// The wait before messages that were set aside get another attempt.
        var refusedRetryAfter: Duration

        fileprivate func wait(afterFailures count: Int) -> Duration {
            retryAfter.isEmpty ? .seconds(300) : retryAfter[min(count, retryAfter.count) - 1]
        }
    }

    /// The outcome of an attempt to deliver an account's messages.
    enum DeliveryAttemptOutcome: Hashable, Sendable {
        /// No message is left behind `position`.
        case finished
        /// The client's server, or the store, failed, or a refused message was not set aside.
        case failed
        /// The client is live, or has no address of its own.
        case notByAddress
        /// Another instance delivers the account's messages.
        case heldElsewhere
    }

    enum Input: Hashable, Sendable {
        /// Messages wait, and the client is not live.
        case messageArrived
        /// The client sent a message, so it is reachable.
        case clientSpoke
        /// The client has a new DID document, perhaps with another address.
        case documentChanged
        case accountDeleted
        /// The queue is in an earlier state than before: positions may belong to other messages now.
        case queueWentBack
        /// The client's server took the message of the attempt, or did so before.
        case delivered
        /// The client's server refused the message of the attempt at this position in the queue.
        case refused(position: UInt64)
        case attemptEnded(DeliveryAttemptOutcome)
        /// `nextDeadline` has come.
        case timeReached
    }

    enum Output: Hashable, Sendable {
        /// Attempt to deliver the account's messages behind `position`.
        case deliver(account: Int64)
        /// The refused message is set aside, so the attempt goes on with the next one; without this output it ends as
        /// `failed`. `isFirst` is false for a message that was set aside before.
        case setAside(isFirst: Bool)
        /// The attempt failed, and another one follows at this time.
        case retryPlanned(MonotonicInstant)
    }

    private enum Phase {
        /// Every message is delivered or set aside.
        case idle
        /// An attempt is due as soon as `begin` allows it.
        case queued(failures: Int)
        /// An attempt is made. More messages came meanwhile, and the client sent a message meanwhile.
        case active(failures: Int, hasArrivals: Bool, hasSpoken: Bool)
        /// The attempt at `since` ended without success; the next one is made at `until`.
        case waiting(failures: Int, since: MonotonicInstant, until: MonotonicInstant)
    }

    private let account: Int64
    private let timing: DeliveryTiming
    private var phase = Phase.idle
    private var refused = RefusedMessages()

    /// Makes the schedule of an account without waiting messages.
    init(account: Int64, timing: DeliveryTiming) {
        self.account = account
        self.timing = timing
    }

    /// The position up to which every message was delivered or is set aside; nil when no message is set aside.
    var position: UInt64? { refused.position }

    /// True when an attempt is due, which `begin` starts.
    var isQueued: Bool {
        switch phase {
        case .queued: true
        case .idle, .active, .waiting: false
        }
    }

    /// True when there is nothing to do and nothing to remember.
    var isFinished: Bool {
        switch phase {
        case .idle: refused.position == nil
        case .queued, .active, .waiting: false
        }
    }

    /// The time at which `timeReached` is next due; nil for none.
    var nextDeadline: MonotonicInstant? {
        switch phase {
        case .idle, .queued, .active: refused.refusedRetryAt
        case .waiting(_, _, let until): min(until, refused.refusedRetryAt ?? until)
        }
    }

    /// Starts the attempt that is due.
    mutating func begin(into outputs: inout [Output]) {
        guard case .queued(let failures) = phase else { preconditionFailure("No attempt is due.") }
        refused.retryRefusedIfDue()
        phase = .active(failures: failures, hasArrivals: false, hasSpoken: false)
        outputs.append(.deliver(account: account))
    }

    mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch input {
        case .messageArrived: messageArrived()
        case .clientSpoke: clientSpoke(at: now)
        case .documentChanged:
            refused.requestRefusedRetry()
            messageArrived()
            clientSpoke(at: now)
        case .accountDeleted: refused.deleted()
        case .queueWentBack: refused = RefusedMessages()
        case .delivered: refused.delivered()
        case .refused(let position): refused.add(position, into: &outputs)
        case .attemptEnded(let end): attemptEnded(end, at: now, into: &outputs)
        case .timeReached: timeReached(at: now)
        }
    }

    private mutating func messageArrived() {
        switch phase {
        case .idle: phase = .queued(failures: 0)
        case .active(let failures, _, let hasSpoken):
            phase = .active(failures: failures, hasArrivals: true, hasSpoken: hasSpoken)
        case .queued, .waiting: break
        }
    }

    /// Shortens the wait of a client that has sent a message to that after a first failure.
    private mutating func clientSpoke(at now: MonotonicInstant) {
        switch phase {
        case .idle: break
        case .queued(let failures): phase = .queued(failures: min(failures, 1))
        case .active(let failures, let hasArrivals, _):
            phase = .active(failures: failures, hasArrivals: hasArrivals, hasSpoken: true)
        case .waiting(let failures, let since, _):
            guard failures > 1 else { break }
            phase = .waiting(failures: 1, since: since, until: since + timing.wait(afterFailures: 1))
            retryIfDue(at: now)
        }
    }

    private mutating func timeReached(at now: MonotonicInstant) {
        if refused.timeReached(at: now), case .idle = phase { phase = .queued(failures: 0) }
        retryIfDue(at: now)
    }

    private mutating func retryIfDue(at now: MonotonicInstant) {
        if case .waiting(let failures, _, let until) = phase, now >= until { phase = .queued(failures: failures) }
    }

    private mutating func attemptEnded(
        _ end: DeliveryAttemptOutcome, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard case .active(let failures, let hasArrivals, let hasSpoken) = phase else {
            preconditionFailure("An attempt ends that was not begun.")
        }
        switch end {
        case .finished: rest(goesOn: hasArrivals || refused.isRefusedRetryDue, at: now)
        case .notByAddress: rest(goesOn: false, at: now)
        case .failed:
            let failures = hasSpoken ? 1 : failures + 1
            let until = now + timing.wait(afterFailures: failures)
            phase = .waiting(failures: failures, since: now, until: until)
            outputs.append(.retryPlanned(until))
        case .heldElsewhere:
            // If that instance ends, its hold expires soon.
            phase = .waiting(failures: failures, since: now, until: now + InstanceChangeFollower.life)
        }
    }

    private mutating func rest(goesOn: Bool, at now: MonotonicInstant) {
        phase = goesOn ? .queued(failures: 0) : .idle
        if refused.position == nil {
            refused = RefusedMessages()
        } else {
            refused.scheduleRefusedRetry(at: now + timing.refusedRetryAfter)
        }
    }
}

extension DeliverySchedule {
    /// The messages that the client's server refused.
    private struct RefusedMessages {
        /// The position up to which every message was delivered or is set aside; nil when no message is set aside.
        private(set) var position: UInt64?
        /// The time at which messages that are set aside get another attempt.
        private(set) var refusedRetryAt: MonotonicInstant?
        /// True when the next attempt begins with the messages that are set aside.
        private(set) var isRefusedRetryDue = false
        /// The number of refusals of the first message behind `position`.
        private var count = 0
        /// The position up to which messages were set aside before the last retry, and get one attempt each.
        private var knownPosition: UInt64?

        /// Notes the refusal of a message, and sets it aside if it is the last one allowed.
        mutating func add(_ position: UInt64, into outputs: inout [Output]) {
            let isKnown = knownPosition.map { position <= $0 } ?? false
            guard isKnown || count + 1 >= DeliverySchedule.maximumRefusals else {
                count += 1
                return
            }
            self.position = position
            count = 0
            outputs.append(.setAside(isFirst: !isKnown))
        }

        /// Records that the first message behind `position` was delivered.
        mutating func delivered() { count = 0 }

        /// Records that the messages that were set aside are deleted.
        mutating func deleted() { position = nil }

        /// Plans the next retry of refused messages, unless one is planned.
        mutating func scheduleRefusedRetry(at instant: MonotonicInstant) { refusedRetryAt = refusedRetryAt ?? instant }

        /// Asks for a retry of refused messages at the next attempt.
        mutating func requestRefusedRetry() { isRefusedRetryDue = true }

        /// Makes the planned retry of refused messages due once its time has come; returns true if it did.
        mutating func timeReached(at now: MonotonicInstant) -> Bool {
            guard let instant = refusedRetryAt, now >= instant else { return false }
            refusedRetryAt = nil
            isRefusedRetryDue = true
            return true
        }

        /// Begins again with the messages that are set aside, if a retry of refused messages is due.
        mutating func retryRefusedIfDue() {
            guard isRefusedRetryDue else { return }
            isRefusedRetryDue = false
            if let position { knownPosition = max(position, knownPosition ?? position) }
            position = nil
        }
    }
}
