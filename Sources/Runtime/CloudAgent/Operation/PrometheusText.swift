/// The text that Prometheus reads, in its exposition format 0.0.4.
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
        add("info", "The version of the program.", isGauge: true, [(#"version="\#(version)""#, 1)], to: &text)
        add(
            "ready", "Whether it takes messages and its store answers.", isGauge: true,
            [("", status.state == .ready ? 1 : 0)], to: &text)
        add(
            "uptime_seconds", "How long it has run.", isGauge: true, [("", Int(status.uptime.components.seconds))],
            to: &text)
        var rest = MediatorMetric.all[...]
        while let first = rest.first {
            let family = rest.prefix { $0.metric == first.metric }
            rest = rest.dropFirst(family.count)
            let help = family.count == 1 ? first.words : families[first.metric] ?? first.words
            add(
                first.metric, help.prefix(1).uppercased() + help.dropFirst() + ".", isGauge: first.isGauge,
                family.map { ($0.label, $0.value(of: status.counts)) }, to: &text)
        }
        if let totals = status.totals { add(totals, oldest: status.oldestSeconds, to: &text) }
        return text
    }

    /// Appends the figures of the store, which cover all instances that use it.
    private static func add(_ totals: StoreTotals, oldest: Int?, to text: inout String) {
        for (name, help, value) in [
            ("accounts", "Accounts in the store.", totals.accounts),
            ("keys", "Keys of clients in the store.", totals.keys),
            ("queued_messages", "Messages that wait in the store.", totals.messages),
            ("queued_bytes", "Bytes of the messages that wait.", totals.bytes),
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
