public import Determinism

/// The state of a running cloud agent, as its operator sees it: numbers alone.
public struct MediatorStatus: Sendable {
    /// Whether it can be used.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// Its store answers.
        case ready
        /// Its store does not answer, or would keep no message.
        case unready
        /// It takes nothing new and is about to end.
        case draining
    }

    /// Whether it can be used.
    public var state: State
    /// How long it has run.
    public var uptime: Duration
    /// What it counted since it was started.
    public var counts: MediatorCounts
    /// How much its store holds; nil while that does not answer.
    public var totals: StoreTotals?
    /// The longest queues, the longest first.
    public var queues: [AccountEntry] = []
    /// When it was asked.
    public var time: WallTime

    /// The part that can be read from a store without the agent.
    public init(_ totals: StoreTotals, at time: WallTime) {
        self.init(state: .unready, uptime: .zero, counts: MediatorCounts(), totals: totals, time: time)
    }

    init(state: State, uptime: Duration, counts: MediatorCounts, totals: StoreTotals?, time: WallTime) {
        self.state = state
        self.uptime = uptime
        self.counts = counts
        self.totals = totals
        self.time = time
    }

    /// How long the oldest message waits; nil when none does.
    public var oldestSeconds: Int? { totals?.oldest.map { Self.seconds(from: $0, to: time) } }

    /// Whole seconds between two times; none when the clock went back.
    public static func seconds(from earlier: WallTime, to later: WallTime) -> Int {
        let (difference, isOver) = later.millisecondsSinceEpoch.subtractingReportingOverflow(
            earlier.millisecondsSinceEpoch)
        return isOver ? 0 : Int(max(0, difference / 1000))
    }

    /// What the store holds and what was counted, by the names that events use, in their order; nil for what is not known.
    public var figures: [(name: String, value: Int?)] {
        [
            ("uptime", Int(uptime.components.seconds)), ("accounts", totals?.accounts), ("keys", totals?.keys),
            ("messages", totals?.messages), ("bytes", totals?.bytes), ("oldest", oldestSeconds),
        ] + MediatorFigure.all.map { ($0.name, $0.value(of: counts)) }
    }

    /// The names of all figures, in their order.
    public static var names: [String] {
        MediatorStatus(StoreTotals(), at: WallTime(millisecondsSinceEpoch: 0)).figures.map(\.name)
    }

    /// One object of JSON: `state`, then the figures.
    var json: String {
        let members = figures.map { ",\"\($0.name)\":\($0.value.map(String.init) ?? "null")" }
        return "{\"state\":\"\(state.rawValue)\"\(members.joined())}\n"
    }
}
