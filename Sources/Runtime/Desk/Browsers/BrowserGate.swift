public import Determinism

/// The browser that drives a station: checks codes and tokens, and closes the connection of the one before.
public actor BrowserGate {
    /// The reason why a connection loses the page.
    enum ClosingCause: String {
        /// Another browser opened the page.
        case takenOver = "taken-over"
        /// The operator locked it.
        case locked
    }

    private var control: BrowserControl
    private let clock: any MonotonicClock
    private let announce: @Sendable (OneTimeCode) -> Void
    private var current: (number: Int, close: @Sendable (ClosingCause) -> Void)?
    private var nextNumber = 0
    /// The connections that have shown neither code nor token, the oldest first.
    private var waiting: [(number: Int, close: @Sendable () -> Void)] = []
    private var nextWaiting = 0
    /// The most connections that have shown neither code nor token; one more closes the oldest.
    static let maximumWaiting = 8

    /// Makes the gate of one station.
    ///
    /// - Parameter announce: called with each new code, which the operator reads.
    public init(
        random: any RandomSource, clock: any MonotonicClock, announce: @escaping @Sendable (OneTimeCode) -> Void
    ) {
        control = BrowserControl(random: random)
        self.clock = clock
        self.announce = announce
    }

    /// The code that opens the page next.
    public var code: OneTimeCode { control.code }

    /// Announces the first code, which opens the page.
    public func begin() { announce(control.code) }

    /// Adds a connection that has shown neither code nor token yet; closes the oldest such one when there are too many.
    ///
    /// - Parameter close: closes it when others come and it still waits.
    /// - Returns: the number by which it stops waiting.
    func arrive(close: @escaping @Sendable () -> Void) -> Int {
        if waiting.count >= Self.maximumWaiting { waiting.removeFirst().close() }
        nextWaiting += 1
        waiting.append((nextWaiting, close))
        return nextWaiting
    }

    /// The number of connections that have shown neither code nor token.
    var waitingCount: Int { waiting.count }

    /// Removes a connection from those that wait: it has shown a code or token, or has ended.
    func stopWaiting(_ number: Int) { waiting.removeAll { $0.number == number } }

    /// Opens the page for a connection with a code or a token.
    ///
    /// - Parameter close: closes that connection when it loses the page.
    /// - Returns: the answer, and the number by which the connection leaves; nil unless it was opened.
    func open(
        code: String?, token: String?, close: @escaping @Sendable (ClosingCause) -> Void
    ) -> (answer: BrowserControl.OpeningResult, number: Int?) {
        let before = control.code
        let answer: BrowserControl.OpeningResult
        if let code {
            answer = control.open(code: code, at: clock.now())
        } else {
            answer = token.map { control.open(token: $0) } ?? .refused
        }
        if control.code != before { announce(control.code) }
        guard case .opened = answer else { return (answer, nil) }
        current?.close(.takenOver)
        nextNumber += 1
        current = (nextNumber, close)
        return (answer, nextNumber)
    }

    /// Returns true when a connection still drives the page.
    func isCurrent(_ number: Int) -> Bool { current?.number == number }

    /// Records that a connection has ended; its token stays valid for a reload of the page.
    func leave(_ number: Int) { if current?.number == number { current = nil } }

    /// Closes the page of the browser that drives it; its token is no longer valid.
    public func lock() {
        control.close()
        current?.close(.locked)
        current = nil
    }
}
