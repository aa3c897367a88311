import ByteCoding
import Determinism

/// Decides when the webhook of one account is called: grace period, patience with a live client, interval between two
/// wake-ups, retries, and when to give up.
///
/// The owner performs the operations, one at a time, and gives each result back as an input.
struct WebhookSchedule: StateMachine, Sendable {
    enum Input: Hashable, Sendable {
        /// A message waits for the client.
        case messageWaits
        /// The live client has sent a message, or another channel of it has become live.
        case clientHeard(at: MonotonicInstant)
        /// The account has no live client any more.
        case clientLeft
        case timeReached
        /// The account is deleted, or the mediator ends: the operation under way is the last but for those that record
        /// its result.
        case cancelled
        /// The result of `read`: the entry, nil without a webhook; when the live client was heard, nil without one.
        case found(WebhookEntry?, heard: MonotonicInstant?, wallTime: WallTime)
        /// The result of `takeHold`: the entry as it is now, nil when the client has no webhook any more.
        case holdTaken(WebhookEntry?)
        /// The result of `takeHold`: another instance has the hold, or the live client.
        case heldElsewhere
        /// The result of `freeHold`.
        case holdFreed
        /// The result of `post`: the status of the answer, nil without an answer.
        case answered(status: Int?)
        /// The result of `post`: the rules do not allow posts to this webhook.
        case notAllowed
        /// The result of `recordWakeUp`, `giveUp` and `removeWebhook`.
        case settled
        /// The operation failed. The maintenance finds the account again.
        case operationFailed
    }

    /// Work of the owner that ends with one input.
    enum Operation: Hashable, Sendable {
        /// Reads the entry of the account.
        case read
        /// Takes the hold of the account, so that no other instance calls the webhook.
        case takeHold(WebhookEntry)
        /// Frees the hold.
        case freeHold
        /// Posts once.
        case post(WebhookEntry, id: String)
        /// Records that the client was woken for the messages up to this position, and frees the hold.
        case recordWakeUp(upTo: UInt64)
        /// Records that no wake-up follows for the messages up to this position, and frees the hold.
        case giveUp(upTo: UInt64)
        /// Removes the webhook, and frees the hold.
        case removeWebhook
    }

    enum Output: Hashable, Sendable {
        case perform(Operation)
        /// The schedule waits for the live client: `clientHeard` and `clientLeft` are due from now on.
        case watchClient
        /// A post has failed; for the metrics.
        case postFailed
        /// The schedule has found that the client has no webhook.
        case hasNoWebhook
        /// Nothing is left to do until the next `messageWaits`.
        case ended
    }

    private enum Phase {
        /// No message is known to wait.
        case idle
        /// The client may come without a wake-up.
        case grace(until: MonotonicInstant)
        /// The client is live, and was heard recently enough.
        case attended(until: MonotonicInstant)
        /// The last wake-up is too recent.
        case interval(until: MonotonicInstant)
        /// An attempt has failed; this instance keeps the hold.
        case retry(at: MonotonicInstant)
        /// `read` is under way.
        case reading
        /// `takeHold` is under way for this entry.
        case takingHold(WebhookEntry)
        /// `freeHold` is under way, because another instance has called the webhook.
        case freeingHold
        /// `post` is under way for the messages up to this position.
        case posting(Attempts, upTo: UInt64)
        /// The wake-up is over; its result is being recorded.
        case settling
    }

    /// The attempts of one wake-up; all have the same identifier.
    private struct Attempts {
        let id: String
        let deadline: MonotonicInstant
        var failures = 0
    }

    /// The state from the grace period to the end of one wake-up.
    private struct WakeUpCycle {
        let start: MonotonicInstant
        /// The attempts so far; nil before the first one.
        var attempts: Attempts?
        /// True when another message came after the start.
        var hasNewMessage = false
    }

    private let rules: WebhookRules
    private var random: any RandomSource
    private var phase = Phase.idle
    private var pass = WakeUpCycle(start: .zero)
    private var isCancelled = false

    /// Makes a schedule for which no message waits.
    ///
    /// - Parameter random: for the identifiers of wake-ups.
    init(_ rules: WebhookRules, random: any RandomSource) {
        self.rules = rules
        self.random = random
    }

    /// The time at which `timeReached` is due; nil while an operation is under way, and when nothing is left to do.
    var nextDeadline: MonotonicInstant? {
        switch phase {
        case .grace(let deadline), .attended(let deadline), .interval(let deadline), .retry(let deadline): deadline
        case .idle, .reading, .takingHold, .freeingHold, .posting, .settling: nil
        }
    }

    /// True while the schedule waits for the live client.
    var isWaitingForClient: Bool {
        if case .attended = phase { true } else { false }
    }

    /// Handles an input of the schedule, and appends the outputs for its owner.
    ///
    /// Results of operations that are not under way are errors of the owner, and trap.
    mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch input {
        case .messageWaits: messageWaits(at: now, into: &outputs)
        case .clientHeard(let heard): clientHeard(at: heard, now: now, into: &outputs)
        case .clientLeft: if isWaitingForClient { read(into: &outputs) }
        case .timeReached: if let nextDeadline, now >= nextDeadline { read(into: &outputs) }
        case .cancelled: cancel(into: &outputs)
        case .found(let entry, let heard, let wallTime): found(entry, heard, wallTime, at: now, into: &outputs)
        case .holdTaken(let entry): holdTaken(entry, at: now, into: &outputs)
        case .heldElsewhere:
            guard case .takingHold = phase else { return unexpected(input) }
            finish(at: now, into: &outputs)
        case .holdFreed:
            guard case .freeingHold = phase else { return unexpected(input) }
            read(into: &outputs)
        case .answered(let status): answered(status, at: now, into: &outputs)
        case .notAllowed:
            guard case .posting(_, let position) = phase else { return unexpected(input) }
            settle(.giveUp(upTo: position), into: &outputs)
        case .settled:
            guard case .settling = phase else { return unexpected(input) }
            finish(at: now, into: &outputs)
        case .operationFailed:
            guard isOperating else { return unexpected(input) }
            end(into: &outputs)
        }
    }

    private func unexpected(_ input: Input) {
        preconditionFailure("the result of an operation that is not under way: \(input)")
    }

    /// True while an operation is under way.
    private var isOperating: Bool {
        switch phase {
        case .reading, .takingHold, .freeingHold, .posting, .settling: true
        case .idle, .grace, .attended, .interval, .retry: false
        }
    }

    // Messages and the end.

    private mutating func messageWaits(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard case .idle = phase else {
            pass.hasNewMessage = true
            return
        }
        begin(at: now, into: &outputs)
    }

    private mutating func begin(at now: MonotonicInstant, into outputs: inout [Output]) {
        pass = WakeUpCycle(start: now)
        wait(in: .grace(until: now + rules.grace), into: &outputs)
    }

    /// Ends a wake-up; a message that came meanwhile begins the next one.
    private mutating func finish(at now: MonotonicInstant, into outputs: inout [Output]) {
        if pass.hasNewMessage { begin(at: now, into: &outputs) } else { end(into: &outputs) }
    }

    private mutating func end(into outputs: inout [Output]) {
        phase = .idle
        outputs.append(.ended)
    }

    private mutating func cancel(into outputs: inout [Output]) {
        isCancelled = true
        if nextDeadline != nil { end(into: &outputs) }
    }

    private mutating func wait(in phase: Phase, into outputs: inout [Output]) {
        if isCancelled { end(into: &outputs) } else { self.phase = phase }
    }

    private mutating func read(into outputs: inout [Output]) {
        if isCancelled { return end(into: &outputs) }
        phase = .reading
        outputs.append(.perform(.read))
    }

    // The reasons not to call the webhook.

    private mutating func found(
        _ entry: WebhookEntry?, _ heard: MonotonicInstant?, _ wallTime: WallTime, at now: MonotonicInstant,
        into outputs: inout [Output]
    ) {
        guard case .reading = phase else { preconditionFailure("an entry that was not asked for") }
        guard let entry else {
            outputs.append(.hasNoWebhook)
            return finish(at: now, into: &outputs)
        }
        guard entry.count > 0, entry.newest > entry.settled else { return finish(at: now, into: &outputs) }
        if let heard, let deadline = attendedUntil(heard, at: now) {
            wait(in: .attended(until: deadline), into: &outputs)
            if isWaitingForClient { outputs.append(.watchClient) }
            return
        }
        if let rest = rest(since: entry.woken, at: wallTime) {
            return wait(in: .interval(until: now + rest), into: &outputs)
        }
        phase = .takingHold(entry)
        outputs.append(.perform(.takeHold(entry)))
    }

    /// Returns the time until which a live client, last heard at `heard`, is not woken; nil for no longer.
    private func attendedUntil(_ heard: MonotonicInstant, at now: MonotonicInstant) -> MonotonicInstant? {
        let deadline = max(heard, pass.start) + rules.patience
        return deadline > now ? deadline : nil
    }

    private mutating func clientHeard(
        at heard: MonotonicInstant, now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard isWaitingForClient else { return }
        guard let deadline = attendedUntil(heard, at: now) else { return read(into: &outputs) }
        phase = .attended(until: deadline)
    }

    /// Returns the wait after the last wake-up; nil for no longer.
    private func rest(since woken: WallTime?, at wallTime: WallTime) -> Duration? {
        guard let woken else { return nil }
        let since = wallTime.millisecondsSinceEpoch - woken.millisecondsSinceEpoch
        // A clock that was set back does not lengthen the wait.
        guard since >= 0 else { return nil }
        let rest = rules.interval - .milliseconds(since)
        return rest > .zero ? rest : nil
    }

    // Attempts.

    private mutating func holdTaken(_ entry: WebhookEntry?, at now: MonotonicInstant, into outputs: inout [Output]) {
        guard case .takingHold(let before) = phase else { preconditionFailure("a hold that was not asked for") }
        // Another instance may have woken the client since the entry was read, and have freed the hold.
        guard let entry, entry.count > 0, entry.settled == before.settled else {
            phase = .freeingHold
            return outputs.append(.perform(.freeHold))
        }
        let attempts = pass.attempts ?? Attempts(id: makeID(), deadline: now + rules.deadline)
        phase = .posting(attempts, upTo: entry.newest)
        outputs.append(.perform(.post(entry, id: attempts.id)))
    }

    private mutating func answered(_ status: Int?, at now: MonotonicInstant, into outputs: inout [Output]) {
        guard case .posting(var attempts, let position) = phase else {
            preconditionFailure("an answer to a post that was not made")
        }
        if let status, (200...299).contains(status) { return settle(.recordWakeUp(upTo: position), into: &outputs) }
        outputs.append(.postFailed)
        if status == 410 { return settle(.removeWebhook, into: &outputs) }
        let wait = attempts.failures < rules.retryAfter.count ? rules.retryAfter[attempts.failures] : nil
        guard let wait, now + wait < attempts.deadline else {
            // No retry is left; the next message begins again.
            return settle(.giveUp(upTo: position), into: &outputs)
        }
        attempts.failures += 1
        pass.attempts = attempts
        self.wait(in: .retry(at: now + wait), into: &outputs)
    }

    private mutating func settle(_ operation: Operation, into outputs: inout [Output]) {
        phase = .settling
        outputs.append(.perform(operation))
    }

    private mutating func makeID() -> String { "wake_" + Base64URL.encode(random.bytes(count: 16)) }
}
