/// The last 25 valid readings of a device, from which `FowlerBasic` makes an estimate after each.
///
/// As `ReferenceDistanceModel.fowlerBasic` of the same readings, which takes the mode of those within two deviations of
/// the mode: that is the mode itself. So it is kept up to date, and the answers are looked up.
public struct ReferenceWindow: Sendable {
    /// The number of readings that the window keeps.
    public static let capacity = 25

    private static let lowest = -99
    private static let levels = 90

    private var ring = [Int8](repeating: 0, count: capacity)
    private var next = 0
    private var count = 0
    private var frequencies = [UInt8](repeating: 0, count: levels)
    private var mode = 0
    private let answers: [Double]

    /// Makes a window without readings.
    public init(intercept: Double = -50, coefficient: Double = -24) {
        answers = (0..<Self.levels).map { CLibraryMath.power((Double($0 + Self.lowest) - intercept) / coefficient) }
    }

    /// Adds a reading in dBm; ignores one outside −99 to −10.
    public mutating func take(_ rssi: Int8) {
        let level = Int(rssi) - Self.lowest
        guard (0..<Self.levels).contains(level) else { return }
        var mustLook = false
        if count == Self.capacity {
            let oldest = Int(ring[next]) - Self.lowest
            frequencies[oldest] &-= 1
            mustLook = oldest == mode
        } else {
            count += 1
        }
        ring[next] = rssi
        next = next + 1 == Self.capacity ? 0 : next + 1
        frequencies[level] &+= 1
        if mustLook {
            look()
        } else if isMore(level, than: mode) {
            mode = level
        }
    }

    /// The estimated distance in metres; nil without a reading.
    public var metres: Double? { count == 0 ? nil : answers[mode] }

    private func isMore(_ level: Int, than other: Int) -> Bool {
        let (new, old) = (frequencies[level], frequencies[other])
        return new > old || new == old && level > other
    }

    /// Finds the most frequent level; of several the strongest.
    private mutating func look() {
        var best = mode
        for index in 0..<count {
            let level = Int(ring[index]) - Self.lowest
            if isMore(level, than: best) { best = level }
        }
        mode = best
    }
}
