/// Waits between retries that grow: 2 ms doubling to a plateau of 32 ms, at most 100 ms in total.
///
/// Source: Tuvali documentation (docs.mosip.io) "Retry scenarios". Deployed code plateaus at 64 ms; the documented
/// figure is taken because no peer can tell.
public struct BackOff: Hashable, Sendable {
    /// The settings of the back-off.
    public struct Configuration: Hashable, Sendable {
        /// The first wait of a series.
        public var initialWait: Duration
        /// The longest wait of a series.
        public var longestWait: Duration
        /// The most time that all waits of a series take together.
        public var totalWait: Duration
        /// The number of retries.
        public var retryLimit: Int

        /// Makes a configuration; the defaults are the documented constants.
        public init(
            retryLimit: Int, initialWait: Duration = .milliseconds(2), longestWait: Duration = .milliseconds(32),
            totalWait: Duration = .milliseconds(100)
        ) {
            self.retryLimit = retryLimit
            self.initialWait = initialWait
            self.longestWait = longestWait
            self.totalWait = totalWait
        }
    }

    private let configuration: Configuration
    private var waited: Duration = .zero
    private var retries = 0

    /// Makes a series of waits that begins with the first one.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    /// Returns the wait before the next retry; nil when no retry is left.
    public mutating func next() -> Duration? {
        guard retries < configuration.retryLimit else { return nil }
        var wait = configuration.initialWait
        for _ in 0..<retries where wait < configuration.longestWait { wait = wait * 2 }
        wait = min(wait, configuration.longestWait)
        guard waited + wait <= configuration.totalWait else { return nil }
        retries += 1
        waited += wait
        return wait
    }
}
