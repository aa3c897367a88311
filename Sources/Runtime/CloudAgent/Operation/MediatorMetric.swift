/// One number that a running cloud agent counts, with its names for JSON, for people and for Prometheus.
public struct MediatorMetric: Sendable {
    /// The name of the figure in events and in the status.
    public let name: String

    /// The description of the figure.
    public let words: String

    /// The name of the metric.
    let metric: String

    /// The label that tells the figures of one metric apart; empty where there is only one.
    let label: String

    /// True when the figure is a counter; otherwise it is a gauge.
    public var isCount: Bool { !isGauge }

    /// True when the figure is a gauge.
    let isGauge: Bool

    /// True when the figure counts bytes.
    public var isBytes: Bool { name == "takenBytes" }

    private let read: @Sendable (MediatorCounts) -> Int

    private init(
        _ name: String, _ read: @escaping @Sendable (MediatorCounts) -> Int, _ words: String, _ metric: String,
        label: String = "", isGauge: Bool = false
    ) {
        self.name = name
        self.read = read
        self.words = words
        self.metric = metric
        self.label = label
        self.isGauge = isGauge
    }

    /// The value of the figure in the counts.
    public func value(of counts: MediatorCounts) -> Int { read(counts) }

    /// All figures, those of one metric next to each other.
    public static let all: [MediatorMetric] = [
        .init("taken", \.taken, "envelopes received", "envelopes_total", label: #"outcome="taken""#),
        .init("deferred", \.deferred, "envelopes put off", "envelopes_total", label: #"outcome="deferred""#),
        .init("refused", \.refused, "envelopes refused", "envelopes_total", label: #"outcome="refused""#),
        .init("slowedDown", \.slowedDown, "envelopes slowed down", "envelopes_total", label: #"outcome="slowed_down""#),
        .init("takenBytes", \.takenBytes, "bytes of envelopes received", "envelope_bytes_total"),
        .init("handedOut", \.handedOut, "messages handed out", "messages_handed_out_total"),
        .init("requests", \.requests, "client requests", "client_messages_total"),
        .init("opened", \.opened, "accounts opened", "accounts_opened_total"),
        .init("closed", \.closed, "accounts closed", "accounts_closed_total"),
        .init("ended", \.ended, "unused accounts ended", "accounts_ended_total"),
        .init("turnedAway", \.turnedAway, "accounts refused", "accounts_refused_total"),
        .init("undelivered", \.undelivered, "answers not delivered", "answers_undelivered_total"),
        .init("setAside", \.setAside, "messages refused by addresses", "messages_set_aside_total"),
        .init("woken", \.woken, "clients woken", "wakes_total", label: #"outcome="taken""#),
        .init("wakeFailures", \.wakeFailures, "wake-ups that failed", "wakes_total", label: #"outcome="failed""#),
        .init("expired", \.expired, "messages dropped by age", "messages_expired_total"),
        .init("ignored", \.ignored, "messages ignored", "ignored_total"),
        .init("storeFailures", \.storeFailures, "store failures", "store_failures_total"),
        .init("storeReturns", \.storeReturns, "times the store went back", "store_went_back_total"),
        .init("storeStepsLost", \.storeStepsLost, "answered steps of the store lost", "store_steps_lost_total"),
        .init("sockets", \.sockets, "WebSockets open", "sockets", isGauge: true),
        .init("live", \.live, "WebSockets in live mode", "live_sockets", isGauge: true),
    ]
}
