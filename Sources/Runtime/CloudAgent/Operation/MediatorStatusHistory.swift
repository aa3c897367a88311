import Determinism

/// The figures of the last hour and of the last day, for the plots of the operator's page.
struct MediatorStatusHistory: Sendable {
    /// The interval at which samples are taken.
    static let interval = Duration.seconds(15)
    /// The number of samples of the hour that become one of the day.
    private static let samplesOfDay = 24
    /// The most samples of each span: an hour of 15 s, a day of 6 min.
    private static let capacity = 240

    /// The span of time that a plot shows.
    enum PlotSpan: String, CaseIterable, Sendable {
        /// The last hour.
        case hour
        /// The last day.
        case day

        /// The width of the plot.
        var duration: Duration { self == .hour ? .seconds(3600) : .seconds(86_400) }
    }

    /// The figures at one instant, rates over the time since the sample before.
    struct Sample: Hashable, Sendable {
        var time: MonotonicInstant
        /// Messages that wait; nil while the store does not answer.
        var messages: Int?
        /// The bytes of the database; nil while the store does not answer.
        var databaseBytes: Int?
        var residentBytes: Int?
        /// Envelopes taken, messages handed out and envelopes put off in a second.
        var taken = 0.0, handedOut = 0.0, deferred = 0.0
        /// Milliseconds below which half, and 99 of 100, of the envelopes were handled; nil without one.
        var median: Double?, slowest: Double?
    }

    private struct CumulativeCounts {
        let time: MonotonicInstant
        let counts: MediatorCounts
        let durations: DurationHistogram
    }

    private var hour: [Sample] = []
    private var day: [Sample] = []
    private var last: CumulativeCounts?
    private var lastOfDay: CumulativeCounts?
    private var taken = 0

    /// The samples of a span, the oldest first.
    func samples(of span: PlotSpan) -> [Sample] { span == .hour ? hour : day }

    /// Takes the status of an instant.
    mutating func add(_ status: MediatorStatus, at time: MonotonicInstant) {
        let now = CumulativeCounts(time: time, counts: status.counts, durations: status.durations)
        if let sample = Self.sample(status, from: last, to: now) { Self.append(sample, to: &hour) }
        last = now
        defer { taken += 1 }
        guard taken.isMultiple(of: Self.samplesOfDay) else { return }
        if let sample = Self.sample(status, from: lastOfDay, to: now) { Self.append(sample, to: &day) }
        lastOfDay = now
    }

    private static func append(_ sample: Sample, to samples: inout [Sample]) {
        if samples.count >= capacity { samples.removeFirst() }
        samples.append(sample)
    }

    private static func sample(_ status: MediatorStatus, from last: CumulativeCounts?, to now: CumulativeCounts)
        -> Sample?
    {
        var sample = Sample(
            time: now.time, messages: status.totals?.messages, databaseBytes: status.totals?.databaseBytes,
            residentBytes: status.residentBytes)
        guard let last else { return sample }
        let seconds = (now.time - last.time).inSeconds
        guard seconds > 0 else { return nil }
        func rate(_ count: (MediatorCounts) -> Int) -> Double {
            Double(max(0, count(now.counts) - count(last.counts))) / seconds
        }
        sample.taken = rate(\.taken)
        sample.handedOut = rate(\.handedOut)
        sample.deferred = rate(\.deferred)
        let durations = now.durations.since(last.durations)
        sample.median = durations.quantile(0.5)
        sample.slowest = durations.quantile(0.99)
        return sample
    }
}
