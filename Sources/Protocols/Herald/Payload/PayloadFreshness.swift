public import Determinism

/// A receiver's rule that refuses payloads outside the period of validity that they state.
///
/// Payloads of the deployed libraries say nothing about their time and pass. Those with start or end entries in their
/// extended data are refused outside of them, so that a payload cannot be played again later.
public struct PayloadFreshness: Hashable, Sendable {
    /// The largest difference between clocks that is tolerated.
    public var tolerance: Duration
    /// True when payloads that state no period of validity are refused too.
    public var requiresTimes: Bool

    /// Makes the rule from its tolerance, and whether it requires stated times.
    public init(tolerance: Duration = .seconds(300), requiresTimes: Bool = false) {
        self.tolerance = tolerance
        self.requiresTimes = requiresTimes
    }

    /// Returns true when the payload is valid at `time`.
    public func admits(_ bytes: [UInt8], at time: WallTime) -> Bool {
        let extended = HeraldPayload(parsing: bytes).extendedData
        let start = extended?.number(of: .start).map { Int64($0) * 1000 }
        let end = extended?.number(of: .end).map { Int64($0) * 1000 }
        if start == nil, end == nil { return !requiresTimes }
        let slack = tolerance.wholeNanoseconds / 1_000_000
        let now = time.millisecondsSinceEpoch
        return start.map { now >= $0 - slack } ?? true && end.map { now <= $0 + slack } ?? true
    }

    /// The entries that say when a payload holds, for suppliers that want to be fresh.
    public static func entries(from start: WallTime, until end: WallTime) -> [ExtendedData.ExtendedDataEntry] {
        [(ExtendedData.Code.start, start), (.end, end)].map { code, time in
            let seconds = UInt32(clamping: time.millisecondsSinceEpoch / 1000)
            var bytes: [UInt8] = []
            PayloadByteOrder.deployed.append(seconds, to: &bytes)
            return ExtendedData.ExtendedDataEntry(code, bytes)
        }
    }
}
