public import Determinism
import JSON

/// The state of a running cloud agent for its operator: numbers only.
public struct MediatorStatus: Sendable {
    /// The readiness of the mediator.
    public enum MediatorReadiness: String, Hashable, Sendable, CaseIterable {
        /// The mediator is ready: its store answers.
        case ready
        /// The mediator's store does not answer, or refuses messages.
        case unready
        /// The mediator is shutting down: it accepts nothing new.
        case draining
    }

    /// The readiness of the mediator.
    public var state: MediatorReadiness
    /// The time since the mediator started.
    public var uptime: Duration
    /// The counts since the start.
    public var counts: MediatorCounts
    /// The totals of the store; nil while the store does not answer.
    public var totals: StoreTotals?
    /// The handling times of envelopes since the start.
    var durations = DurationHistogram()
    /// The system's figures of the process; nil for a status without them.
    var process: ProcessMetrics?
    /// The longest queues, the longest first.
    public var queues: [AccountEntry] = []
    /// The cause that keeps the store from taking messages; nil when it takes them.
    public var cause: CloudAgentError?
    /// The next step for the operator to remove the cause, as one sentence or more.
    public var nextStep: String?
    /// The time for which the cause has kept the store from taking messages.
    public var causeTime: Duration?
    /// The kind of replication of the database; nil for a file, and where it is not known yet.
    public var replication: StoreReplication?
    /// The time of this status.
    public var time: WallTime

    /// The resident memory of the agent in bytes; nil where it is not known.
    var residentBytes: Int? { process?.residentBytes }

    /// The part that can be read from a store without a running agent.
    public init(_ totals: StoreTotals, at time: WallTime) {
        self.init(state: .unready, uptime: .zero, counts: MediatorCounts(), totals: totals, time: time)
    }

    init(state: MediatorReadiness, uptime: Duration, counts: MediatorCounts, totals: StoreTotals?, time: WallTime) {
        self.state = state
        self.uptime = uptime
        self.counts = counts
        self.totals = totals
        self.time = time
    }

    /// The age of the oldest waiting message; nil when none waits.
    public var oldestSeconds: Int? { totals?.oldest.map { Self.seconds(from: $0, to: time) } }

    /// Whole seconds between two times; none when the clock went back.
    public static func seconds(from earlier: WallTime, to later: WallTime) -> Int {
        let (difference, isOver) = later.millisecondsSinceEpoch.subtractingReportingOverflow(
            earlier.millisecondsSinceEpoch)
        return isOver ? 0 : Int(max(0, difference / 1000))
    }

    /// The numbers of the store and of the counts, by the names that events use, in their order; nil for unknown ones.
    public var figures: [(name: String, value: Int?)] {
        [
            ("uptime", Int(uptime.components.seconds)),
            ("causeSeconds", causeTime.map { Int($0.components.seconds) }), ("lossSteps", totals?.loss?.steps),
            ("lossSeconds", totals?.loss.map { Self.seconds(from: $0.time, to: time) }), ("accounts", totals?.accounts),
            ("keys", totals?.keys),
            ("messages", totals?.messages), ("bytes", totals?.bytes), ("oldest", oldestSeconds),
            ("databaseBytes", totals?.databaseBytes),
        ] + MediatorMetric.all.map { ($0.name, $0.value(of: counts)) }
    }

    /// The names of all texts in `words`, in their order.
    public static var wordNames: [String] {
        MediatorStatus(StoreTotals(), at: WallTime(millisecondsSinceEpoch: 0)).words.map(\.name)
    }

    /// The names of all figures, in their order.
    public static var names: [String] {
        MediatorStatus(StoreTotals(), at: WallTime(millisecondsSinceEpoch: 0)).figures.map(\.name)
    }

    /// The texts about the store, such as the cause of its outage, by the names that events use; nil for unknown ones.
    public var words: [(name: String, value: String?)] {
        [
            ("cause", cause?.code.rawValue), ("reason", cause?.reason), ("nextStep", nextStep),
            ("replication", replication?.rawValue),
        ]
    }

    /// One object of JSON: `state`, then the words and the figures.
    var json: String {
        let texts = words.map { ",\"\($0.name)\":\($0.value.map { JSONValue.string($0).text } ?? "null")" }
        let members = figures.map { ",\"\($0.name)\":\($0.value.map(String.init) ?? "null")" }
        return "{\"state\":\"\(state.rawValue)\"\(texts.joined())\(members.joined())}\n"
    }
}
