import Determinism

/// The text that Prometheus reads, in its exposition format 0.0.4.
///
/// Names follow Prometheus' conventions: base units, `_total` at the end of counters, `build_info`, `process_…`. The
/// buckets of durations are those that OpenTelemetry advises for requests.
enum PrometheusText {
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"
    private static let prefix = "symbolon_agent_"

    /// The help texts of metrics with several figures.
    private static let families = [
        "envelopes_total": "envelopes received, by outcome",
        "wakes_total": "posts to wake clients, by outcome",
    ]

    static func text(_ status: MediatorStatus, version: String) -> String {
        var text = ""
        add("build_info", "The version of the program.", isGauge: true, [(#"version="\#(version)""#, 1)], to: &text)
        add(
            "ready", "Whether it takes messages and its store answers.", isGauge: true,
            [("", status.state == .ready ? 1 : 0)], to: &text)
        var rest = MediatorMetric.all[...]
        while let first = rest.first {
            let family = rest.prefix { $0.metric == first.metric }
            rest = rest.dropFirst(family.count)
            let help = family.count == 1 ? first.words : families[first.metric] ?? first.words
            add(
                first.metric, help.prefix(1).uppercased() + help.dropFirst() + ".", isGauge: first.isGauge,
                family.map { ($0.label, $0.value(of: status.counts)) }, to: &text)
        }
        if let known = status.replication {
            add(
                "store_replication", "The kind of replication of the database.", isGauge: true,
                StoreReplication.allCases.map { (#"kind="\#($0.rawValue)""#, $0 == known ? 1 : 0) }, to: &text)
        }
        if let totals = status.totals { add(totals, oldest: status.oldestSeconds, to: &text) }
        add(status.durations, to: &text)
        if let process = status.process { add(process, uptime: status.uptime, at: status.time, to: &text) }
        return text
    }

    /// Appends the histogram of how long envelopes took, in seconds.
    private static func add(_ durations: DurationHistogram, to text: inout String) {
        let name = prefix + "envelope_duration_seconds"
        text += "# HELP \(name) How long an envelope took from its arrival to its answer.\n# TYPE \(name) histogram\n"
        var sum = 0
        for (index, count) in durations.counts.enumerated() {
            sum += count
            let bound = index < DurationHistogram.bounds.count ? seconds(DurationHistogram.bounds[index]) : "+Inf"
            text += "\(name)_bucket{le=\"\(bound)\"} \(sum)\n"
        }
        text += "\(name)_sum \(seconds(Int(durations.sumNanoseconds / 1_000_000)))\n\(name)_count \(sum)\n"
    }

    /// Appends the figures of the process under the names that Prometheus' own libraries use.
    private static func add(
        _ process: ProcessMetrics, uptime: Duration, at now: WallTime, to text: inout String
    ) {
        let start = Int(now.millisecondsSinceEpoch / 1000) - Int(uptime.components.seconds)
        let figures: [(String, String, String, String?)] = [
            ("start_time_seconds", "When it was started, in seconds since 1970.", "gauge", "\(start)"),
            (
                "cpu_seconds_total", "The processor time that it took.", "counter",
                seconds(process.processorMilliseconds)
            ),
            ("resident_memory_bytes", "Its resident memory.", "gauge", process.residentBytes.map(String.init)),
            ("open_fds", "Its open file descriptors.", "gauge", process.descriptors.map(String.init)),
            (
                "max_fds", "The most file descriptors that it may have.", "gauge",
                process.descriptorLimit.map(String.init)
            ),
        ]
        for (name, help, type, value) in figures {
            guard let value else { continue }
            text += "# HELP process_\(name) \(help)\n# TYPE process_\(name) \(type)\nprocess_\(name) \(value)\n"
        }
    }

    /// Milliseconds as seconds: `0.25`, `10`.
    private static func seconds(_ milliseconds: Int) -> String {
        var digits = String(milliseconds % 1000)
        guard digits != "0" else { return String(milliseconds / 1000) }
        digits = String(repeating: "0", count: 3 - digits.count) + digits
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(milliseconds / 1000).\(digits)"
    }

    /// Appends the figures of the store, which cover all instances that use it.
    private static func add(_ totals: StoreTotals, oldest: Int?, to text: inout String) {
        for (name, help, value) in [
            ("accounts", "Accounts in the store.", totals.accounts),
            ("keys", "Keys of clients in the store.", totals.keys),
            ("queued_messages", "Messages that wait in the store.", totals.messages),
            ("queued_bytes", "Bytes of the messages that wait.", totals.bytes),
            ("database_bytes", "Bytes that the database takes.", totals.databaseBytes),
            ("oldest_message_age_seconds", "How long the oldest message has waited; 0 without one.", oldest ?? 0),
        ] {
            add(name, help, isGauge: true, [("", value)], to: &text)
        }
    }

    private static func add(
        _ name: String, _ help: String, isGauge: Bool, _ samples: [(label: String, value: Int)], to text: inout String
    ) {
        text += "# HELP \(prefix)\(name) \(help)\n# TYPE \(prefix)\(name) \(isGauge ? "gauge" : "counter")\n"
        for sample in samples {
            text += "\(prefix)\(name)\(sample.label.isEmpty ? "" : "{\(sample.label)}") \(sample.value)\n"
        }
    }
}
