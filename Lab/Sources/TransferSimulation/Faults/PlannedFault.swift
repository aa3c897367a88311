public import Determinism

/// One fault of a plan: its kind, the device, when, and how hard.
///
/// Text: `kind:level@from+lasting/side`, times in milliseconds from the start of the run.
public struct PlannedFault: Hashable, Sendable, CustomStringConvertible {
    /// The kind of the fault.
    public var kind: FaultKind
    /// The side whose device it strikes.
    public var side: FaultKind.Side
    /// The strength of the fault, in the unit of its kind.
    public var level: Int
    /// The earliest time at which the fault may strike, in milliseconds.
    public var from: Int
    /// The length of the fault, in milliseconds; 0 for a fault of one instant.
    public var lasting: Int

    /// The largest number in a plan.
    public static let maximum = 10_000_000

    /// Makes a fault.
    public init(_ kind: FaultKind, on side: FaultKind.Side, level: Int = 1, from: Int = 0, lasting: Int = 0) {
        self.kind = kind
        self.side = side
        self.level = level
        self.from = from
        self.lasting = lasting
    }

    /// Reads the text of one fault; nil for any other text.
    public init?(parsing text: some StringProtocol) {
        let halves = text.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2, let side = FaultKind.Side(rawValue: String(halves[1])) else { return nil }
        let parts = halves[0].split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let what = parts[0].split(separator: ":", omittingEmptySubsequences: false)
        let when = parts[1].split(separator: "+", omittingEmptySubsequences: false)
        guard what.count == 2, when.count == 2, let kind = FaultKind(rawValue: String(what[0])) else { return nil }
        let numbers = [what[1], when[0], when[1]].compactMap { Int($0) }
        guard numbers.count == 3, numbers.allSatisfy({ (0...Self.maximum).contains($0) }) else { return nil }
        guard kind.meaning.sides.contains(side) else { return nil }
        self.init(kind, on: side, level: numbers[0], from: numbers[1], lasting: numbers[2])
    }

    /// The text from which it can be read again.
    public var description: String { "\(kind.rawValue):\(level)@\(from)+\(lasting)/\(side.rawValue)" }

    /// The earliest time at which the fault may strike.
    public var start: MonotonicInstant { .zero + .milliseconds(from) }

    /// The time from which the fault no longer strikes.
    public var end: MonotonicInstant { start + .milliseconds(lasting) }

    /// The end of the fault's last effect, in milliseconds: late frames and timers outlast its window.
    var lastEffect: Int {
        switch kind {
        case .delay, .reorder, .timersLate: from + lasting + level
        case .userSlow, .rejected, .staleCode, .characteristicMissing: 0
        default: from + lasting
        }
    }

    func isActive(at now: MonotonicInstant) -> Bool { start <= now && now < end }
}
