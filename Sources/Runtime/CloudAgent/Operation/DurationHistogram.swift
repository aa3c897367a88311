import Determinism

/// Counts durations in buckets, with the bounds that OpenTelemetry advises for durations of requests in seconds.
struct DurationHistogram: Hashable, Sendable {
    /// The upper bounds of the buckets in milliseconds; one more bucket has no bound.
    static let bounds = [5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10_000]

    /// The counts of the buckets, the one without a bound last.
    private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
    /// The sum of all durations in nanoseconds.
    private(set) var sumNanoseconds: Int64 = 0

    /// The number of durations that were counted.
    var count: Int { counts.reduce(0, +) }

    mutating func add(_ duration: Duration) {
        let nanoseconds = max(0, duration.wholeNanoseconds)
        let index = Self.bounds.firstIndex { nanoseconds <= Int64($0) * 1_000_000 } ?? Self.bounds.count
        counts[index] += 1
        sumNanoseconds &+= nanoseconds
    }

    /// Returns the counts since an earlier state.
    func since(_ earlier: DurationHistogram) -> DurationHistogram {
        var difference = DurationHistogram()
        difference.counts = zip(counts, earlier.counts).map { max(0, $0 - $1) }
        difference.sumNanoseconds = max(0, sumNanoseconds - earlier.sumNanoseconds)
        return difference
    }

    /// The bound in milliseconds below which a share of the durations lies; nil without durations.
    ///
    /// Within a bucket they are taken to be even.
    func quantile(_ share: Double) -> Double? {
        let count = count
        guard count > 0 else { return nil }
        let wanted = share * Double(count)
        var seen = 0.0
        for (index, bucket) in counts.enumerated() where bucket > 0 {
            let low = index == 0 ? 0 : Double(Self.bounds[index - 1])
            guard index < Self.bounds.count else { return low }
            if seen + Double(bucket) >= wanted {
                return low + (Double(Self.bounds[index]) - low) * (wanted - seen) / Double(bucket)
            }
            seen += Double(bucket)
        }
        return Double(Self.bounds.last ?? 0)
    }
}
