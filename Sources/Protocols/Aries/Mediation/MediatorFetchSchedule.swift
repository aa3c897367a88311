import Determinism

/// Schedules polls of a mediator and the opening of its WebSocket.
///
/// A part of `MediatorUse`. Failures in a row lengthen the waits; a successful round resets them. While answers
/// are expected, polls are more frequent.
struct MediatorFetchSchedule: Sendable {
    /// The time after a message was sent or received in which answers are expected.
    static let shortPollTime = Duration.seconds(30)

    /// The polling interval of a mediator with an open WebSocket while answers are expected.
    static let livePollInterval = Duration.seconds(2)

    /// The state of the WebSocket to the mediator.
    private enum MediatorSocketState {
        case closed
        case opening
        case open
    }

    private let waits: RetryDelays
    private let pollEvery: Duration
    private let shortPollInterval: Duration
    private var socket = MediatorSocketState.closed
    private var socketFailures = 0
    private var pollFailures = 0
    private var socketAt: MonotonicInstant?
    private var pollAt: MonotonicInstant?
    private var shortPollsUntil = MonotonicInstant.zero
    private(set) var isFinishing = false

    init(waits: RetryDelays, pollEvery: Duration, shortPollInterval: Duration) {
        self.waits = waits
        self.pollEvery = pollEvery
        self.shortPollInterval = shortPollInterval
    }

    var nextDeadline: MonotonicInstant? { [socketAt, pollAt].compactMap(\.self).min() }

    /// True while a WebSocket to the mediator is open.
    var isLive: Bool {
        switch socket {
        case .open: true
        case .closed, .opening: false
        }
    }

    /// True when the next poll is scheduled.
    var isPollPlanned: Bool { pollAt != nil }

    func isPollDue(at now: MonotonicInstant) -> Bool { pollAt.map { $0 <= now } ?? false }

    // The WebSocket.

    /// Starts opening a WebSocket; false when one is open or being opened, or fetching has ended.
    mutating func beginOpening() -> Bool {
        guard case .closed = socket, !isFinishing else { return false }
        socket = .opening
        return true
    }

    /// Records that the WebSocket is open; false when it is not needed any more.
    mutating func opened() -> Bool {
        guard !isFinishing else {
            socket = .closed
            return false
        }
        socket = .open
        pollAt = nil
        return true
    }

    /// Schedules the next WebSocket after one failed or ended; the wait grows with each useless one in a row.
    @discardableResult
    mutating func socketEnded(at now: MonotonicInstant) -> Duration {
        socket = .closed
        let wait = waits.wait(after: socketFailures)
        socketFailures += 1
        if !isFinishing { socketAt = now + wait }
        return wait
    }

    /// Returns true, and clears the scheduled time, when the next WebSocket is due.
    mutating func takeSocketDue(at now: MonotonicInstant) -> Bool {
        guard let socketAt, socketAt <= now else { return false }
        self.socketAt = nil
        return true
    }

    // Polling.

    /// Returns true, and clears the scheduled time, when the next poll is due.
    mutating func takePollDue(at now: MonotonicInstant) -> Bool {
        guard isPollDue(at: now) else { return false }
        pollAt = nil
        return true
    }

    /// Schedules the next poll after all messages were fetched.
    ///
    /// - Parameter expectsAnswers: true when something waits for a message.
    mutating func caughtUp(expectsAnswers: Bool, at now: MonotonicInstant) {
        pollFailures = 0
        if isLive { socketFailures = 0 }
        let pollsSooner = expectsAnswers || now < shortPollsUntil
        if isFinishing {
            pollAt = nil
        } else if isLive {
            pollAt = pollsSooner ? now + Self.livePollInterval : nil
        } else {
            pollAt = now + (pollsSooner ? shortPollInterval : pollEvery)
        }
    }

    /// Schedules the first poll after a short wait.
    mutating func pollLater(at now: MonotonicInstant) { pollAt = now + shortPollInterval }

    /// Schedules a poll soon, because an answer is expected.
    mutating func pollSooner(at now: MonotonicInstant) {
        shortPollsUntil = now + Self.shortPollTime
        let soon = now + (isLive ? Self.livePollInterval : shortPollInterval)
        // Where no time is planned, a round is under way that plans the next one.
        if isLive || pollAt != nil { pollAt = min(pollAt ?? soon, soon) }
    }

    /// Schedules the next poll after a failed one, later with each failure in a row; an open WebSocket stays open.
    mutating func pollFailed(at now: MonotonicInstant) -> Duration {
        let wait = waits.wait(after: pollFailures)
        pollFailures += 1
        pollAt = isFinishing ? nil : now + wait
        return wait
    }

    /// Cancels all scheduled polls and WebSockets; pending requests continue.
    mutating func finish() {
        isFinishing = true
        pollAt = nil
        socketAt = nil
    }

    /// Ends fetching from a mediator that refuses its service.
    mutating func end() {
        socket = .closed
        pollAt = nil
        socketAt = nil
    }
}

/// The waits after failures in a row: one for each failure, the last one for all further ones.
struct RetryDelays: Sendable {
    private let waits: [Duration]

    init(_ waits: [Duration]) { self.waits = waits }

    /// Returns the wait after one more failure.
    ///
    /// - Parameter failures: the number of failures before this one.
    func wait(after failures: Int) -> Duration {
        failures < waits.count ? waits[failures] : waits.last ?? .seconds(600)
    }
}
