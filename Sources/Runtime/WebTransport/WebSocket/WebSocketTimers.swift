import Determinism

/// The deadlines of a WebSocket: for closing, for sending, and for the answer to a ping.
struct WebSocketTimers {
    private let limits: WebSocketLimits
    private var lastHeard: MonotonicInstant
    private var lastProgress: MonotonicInstant
    private var pongDue: MonotonicInstant?
    private var closeDue: MonotonicInstant?
    /// The bytes that the peer had acknowledged at the last check.
    private var acknowledgedBytes: UInt64 = 0

    init(_ limits: WebSocketLimits, at now: MonotonicInstant) {
        self.limits = limits
        lastHeard = now
        lastProgress = now
    }

    /// The earliest deadline; nil when there is none.
    func next(hasUnsent: Bool, isOpen: Bool) -> MonotonicInstant? {
        var earliest = closeDue
        func consider(_ instant: MonotonicInstant) { earliest = earliest.map { min($0, instant) } ?? instant }
        if hasUnsent { consider(lastProgress + limits.sendDeadline) }
        if let interval = limits.pingInterval, isOpen { consider(pongDue ?? lastHeard + interval) }
        return earliest
    }

    // MARK: - Events

    /// Records that the peer sent something, which also answers a ping.
    mutating func heard(at now: MonotonicInstant) {
        lastHeard = now
        pongDue = nil
    }

    /// Records that there was nothing to send, or that the system took some of it.
    mutating func progressed(at now: MonotonicInstant) { lastProgress = now }

    /// Records the bytes that the peer has acknowledged so far; true when they have grown since the last check.
    @discardableResult mutating func noteAcknowledged(_ bytes: UInt64) -> Bool {
        defer { acknowledgedBytes = bytes }
        return bytes > acknowledgedBytes
    }

    /// Sets the deadline of a pong.
    mutating func awaitPong(at now: MonotonicInstant) { pongDue = now + limits.pongDeadline }

    /// Sends the next ping one interval later.
    mutating func postponePing(at now: MonotonicInstant) { lastHeard = now }

    /// Waits for the peer's close frame and for no pong.
    mutating func startClosing(at now: MonotonicInstant) {
        pongDue = nil
        closeDue = closeDue ?? now + limits.closeDeadline
    }

    /// Ends the wait for the peer's close frame at `instant` at the latest.
    mutating func close(by instant: MonotonicInstant) { closeDue = min(closeDue ?? instant, instant) }

    // MARK: - Checks

    /// True when the peer has not closed in time.
    func isCloseOverdue(at now: MonotonicInstant) -> Bool { closeDue.map { $0 <= now } ?? false }

    /// True when the system took nothing of what waits for the longest time allowed.
    func isProgressOverdue(at now: MonotonicInstant) -> Bool { lastProgress + limits.sendDeadline <= now }

    /// True when the peer has not answered a ping in time.
    func isPongOverdue(at now: MonotonicInstant) -> Bool { pongDue.map { $0 <= now } ?? false }

    /// True when the peer has been silent for the interval between pings, and no ping is unanswered.
    func isPingDue(at now: MonotonicInstant) -> Bool {
        guard let interval = limits.pingInterval, pongDue == nil else { return false }
        return lastHeard + interval <= now
    }
}
