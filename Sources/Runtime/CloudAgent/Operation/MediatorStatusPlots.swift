import Determinism

/// The plots of the operator's page: the queue, rates, how long envelopes take, the size of the database, memory.
struct MediatorStatusPlots: Sendable {
    private let samples: [MediatorStatusHistory.Sample]
    private let now: MonotonicInstant
    private let span: MediatorStatusHistory.PlotSpan

    init(
        _ history: (samples: [MediatorStatusHistory.Sample], now: MonotonicInstant),
        _ span: MediatorStatusHistory.PlotSpan
    ) {
        (samples, now) = history
        self.span = span
    }

    /// The plots under a heading, with a link to the other span.
    var html: String {
        let heading =
            span == .hour
            ? "<h2>The last hour (<a href=\"/?span=day\">day</a>)</h2>"
            : "<h2>The last day (<a href=\"/\">hour</a>)</h2>"
        guard samples.count > 1 else { return heading + "\n<p>The first plots come after half a minute.</p>" }
        let plots = [
            plot("Messages waiting", [("", { $0.messages.map(Double.init) })]) { OperatorStatusPage.figures($0) },
            plot(
                "Per second",
                [("taken", { $0.taken }), ("handed out", { $0.handedOut }), ("put off", { $0.deferred })]
            ) { OperatorStatusPage.figures($0) },
            plot("Time for an envelope", [("p50", { $0.median }), ("p99", { $0.slowest })]) {
                $0 >= 1000
                    ? "\(OperatorStatusPage.figures($0 / 1000))\u{A0}s" : "\(OperatorStatusPage.figures($0))\u{A0}ms"
            },
            plot("Database", [("", { $0.databaseBytes.map(Double.init) })]) { OperatorStatusPage.bytes(Int($0)) },
            plot("Memory", [("", { $0.residentBytes.map(Double.init) })]) { OperatorStatusPage.bytes(Int($0)) },
        ]
        return ([heading] + plots).joined(separator: "\n")
    }

    private func plot(
        _ title: String, _ lines: [(String, (MediatorStatusHistory.Sample) -> Double?)],
        _ text: @escaping @Sendable (Double) -> String
    ) -> String {
        TimePlot(
            title: title, lines: lines.map { line in .init(name: line.0, values: samples.map(line.1)) },
            times: samples.map(\.time), now: now, span: span, text: text
        ).html
    }
}
