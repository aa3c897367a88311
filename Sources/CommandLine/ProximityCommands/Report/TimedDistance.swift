/// A distance at a time, as an estimate with its bounds or as the truth, in 16 bytes.
struct TimedDistance: Hashable, Sendable {
    /// The distance in centimetres in the lower 27 bits, and the time in milliseconds, of up to a year, above.
    private let bits: UInt64
    private let lowest: Int32
    private let highest: Int32

    /// Makes a distance at a time; `low` and `high` are the bounds of an estimate.
    ///
    /// - Precondition: the time and the distances are within the limits of a log.
    init(at: Int, centimetres: Int, low: Int? = nil, high: Int? = nil) {
        precondition((0...ProximityLog.maximumMilliseconds).contains(at) && (0..<1 << 27).contains(centimetres))
        bits = UInt64(at) << 27 | UInt64(centimetres)
        lowest = low.map(Int32.init) ?? -1
        highest = high.map(Int32.init) ?? -1
    }

    /// The time of the distance in milliseconds since the start of the run.
    var at: Int { Int(bits >> 27) }
    var centimetres: Int { Int(bits & (1 << 27 - 1)) }
    var low: Int? { lowest < 0 ? nil : Int(lowest) }
    var high: Int? { highest < 0 ? nil : Int(highest) }
}
