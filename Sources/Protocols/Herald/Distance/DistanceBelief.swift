/// The probability distribution of a device's distance, over a grid of distances and constant offsets.
///
/// A filter over a grid. Between two windows a device may drift a few centimetres; when the level changes by more than
/// it does at rest, it may be anywhere. A window at an unchanged level says little that the one before has not said,
/// because walls reflect as they did: its evidence is weakened, and that of a window at a new level is not.
struct DistanceBelief: Sendable {
    /// The probabilities of one distance, one for each offset; the last lane is unused and stays 0.
    private typealias Row = SIMD8<Double>

    /// The width of a cell of the grid, in metres.
    static let cellWidth = 0.05
    /// The number of cells of the grid: from 0 to 3.6 m.
    static let cellCount = 73
    /// The constant offsets of the grid, in standard deviations.
    private static let offsetSteps = Row(-2.25, -1.5, -0.75, 0, 0.75, 1.5, 2.25, 0)
    /// The lanes in use: 1 for the offsets, 0 for the unused lane.
    private static let usedLanes = Row(1, 1, 1, 1, 1, 1, 1, 0)
    /// The farthest drift of a device between two windows, in cells.
    private static let reach = 4
    /// The drift per window as shares of 0 to 4 cells to either side: standard deviation 4 cm.
    private static let drift: [Double] = {
        let weights = (0...reach).map { cell -> Double in
            let deviations = Double(cell) * cellWidth / 0.04
            return CLibraryMath.exponential(-deviations * deviations / 2)
        }
        let sum = weights[0] + 2 * weights.dropFirst().reduce(0, +)
        return weights.map { $0 / sum }
    }()
    /// The share of its probability that a cell near the edge loses beyond it, by its distance from the edge.
    private static let loss = (0..<reach).map { distance in drift.dropFirst(distance + 1).reduce(0, +) }
    /// The standard deviation of a window's level in dB, and the degrees of freedom of its distribution.
    private static let noise = (deviation: 6.0, freedom: 8.0)
    /// The weight of a window's evidence at an unchanged level, and the additional weight of a new level.
    private static let weight = (steady: 0.03, changed: 0.5)
    /// The probability of a jump to any distance at an unchanged level, and the additional one of a new level.
    private static let jump = (steady: 0.0003, changed: 0.3)
    /// The change in dB that makes a level new, and the rate at which the usual level follows.
    private static let change = (decibels: 12.0, following: 0.3)

    /// The level expected in each cell without an offset.
    private let expected: [Double]
    /// The offsets of the grid in dB, added to the expected level.
    private let offsets: SIMD8<Double>
    /// The probabilities of the cells, with `reach` empty cells before and after; all lanes sum to 1.
    private var probabilities: [SIMD8<Double>]
    private var scratch: [SIMD8<Double>]
    private var habitual: Double?

    /// Makes the initial distribution, which depends only on the operating systems of the pair.
    init(model: DistanceModel, pair: PhoneSystemPair) {
        expected = (0..<Self.cellCount).map { model.expectedLevel(at: Self.centre(of: $0), pair: pair) }
        offsets = Self.offsetSteps * model.offsetDeviation(of: pair)
        var row = Self.usedLanes
        for lane in 0..<7 { row[lane] = CLibraryMath.exponential(-Self.offsetSteps[lane] * Self.offsetSteps[lane] / 2) }
        row /= row.sum() * Double(Self.cellCount)
        let edge = [Row](repeating: .zero, count: Self.reach)
        probabilities = edge + [Row](repeating: row, count: Self.cellCount) + edge
        scratch = probabilities
    }

    /// Updates the distribution by a window with the strongest reading `level`; `share` is its weight, 0 to 1.
    mutating func take(level: Double, share: Double) {
        let novelty = self.novelty(of: level)
        let followed = habitual.map { $0 + Self.change.following * (level - $0) }
        habitual = followed ?? level
        move(jump: min(1, Self.jump.steady + Self.jump.changed * novelty))
        weigh(level: level, by: (Self.weight.steady + Self.weight.changed * novelty) * share)
    }

    /// Returns the distances below which one tenth, half and nine tenths of the probability lie, in metres.
    func quantiles() -> (low: Double, middle: Double, high: Double) {
        let goals = [0.1, 0.5, 0.9]
        var found = [Double](repeating: Self.centre(of: Self.cellCount - 1), count: goals.count)
        var (sum, next) = (0.0, 0)
        for cell in 0..<Self.cellCount {
            sum += probabilities[cell + Self.reach].sum()
            while next < goals.count, sum >= goals[next] {
                found[next] = Self.centre(of: cell)
                next += 1
            }
        }
        return (found[0], found[1], found[2])
    }

    private static func centre(of cell: Int) -> Double { (Double(cell) + 0.5) * cellWidth }

    /// Returns the novelty of a level: 0 for the usual level, 1 for a new one.
    private func novelty(of level: Double) -> Double {
        guard let habitual else { return 1 }
        let ratio = (level - habitual) / Self.change.decibels
        return min(1, ratio * ratio * ratio * ratio)
    }

    /// Spreads the distribution by the drift, and moves a share of each offset to any distance.
    private mutating func move(jump: Double) {
        let (reach, count) = (Self.reach, Self.cellCount)
        let kernel = (Self.drift[0], Self.drift[1], Self.drift[2], Self.drift[3], Self.drift[4])
        var total = Row.zero
        for index in reach..<reach + count {
            let cell = probabilities[index]
            total += cell
            var sum = cell * kernel.0
            sum += (probabilities[index - 1] + probabilities[index + 1]) * kernel.1
            sum += (probabilities[index - 2] + probabilities[index + 2]) * kernel.2
            sum += (probabilities[index - 3] + probabilities[index + 3]) * kernel.3
            sum += (probabilities[index - 4] + probabilities[index + 4]) * kernel.4
            scratch[index] = sum
        }
        // Probability that would leave the grid stays at its edge.
        for distance in 0..<reach {
            scratch[reach] += probabilities[reach + distance] * Self.loss[distance]
            scratch[reach + count - 1] += probabilities[reach + count - 1 - distance] * Self.loss[distance]
        }
        let anywhere = total * (jump / Double(count))
        for index in reach..<reach + count { scratch[index] = scratch[index] * (1 - jump) + anywhere }
        swap(&probabilities, &scratch)
    }

    private mutating func weigh(level: Double, by weight: Double) {
        let exponent = -(Self.noise.freedom + 1) / 2 * weight
        let scale = 1 / (Self.noise.deviation * Self.noise.deviation * Self.noise.freedom)
        var sum = Row.zero
        for cell in 0..<Self.cellCount {
            let difference = (level - expected[cell]) - offsets
            let evidence = Self.power(1 + difference * difference * scale, exponent)
            let row = probabilities[cell + Self.reach] * evidence
            probabilities[cell + Self.reach] = row
            sum += row
        }
        // Evidence is a power of at most (freedom + 1) / 2 of a number of moderate size: the sum cannot vanish.
        let factor = 1 / sum.sum()
        for index in Self.reach..<Self.reach + Self.cellCount { probabilities[index] *= factor }
    }

    /// Returns `base` to the power of `exponent`, to eight digits, for bases 1 to 100 and exponents −2.4 to 0.
    ///
    /// The logarithm is that of the mantissa by its series in (m − 1) / (m + 1), and of the power of two; the
    /// exponential is that of a 64th by its series, squared six times. The same on every machine, and eight at a time.
    @inline(__always)
    static func power(_ base: SIMD8<Double>, _ exponent: Double) -> SIMD8<Double> {
        let bits = unsafeBitCast(base, to: SIMD8<UInt64>.self)
        // Mantissas from √½ to √2: the series is at its best around 1.
        let shifted = bits &- 0x3FE6_A09E_667F_3BCD
        let twos = SIMD8<Int64>(truncatingIfNeeded: shifted) &>> 52
        let mantissa = unsafeBitCast(
            bits &- SIMD8<UInt64>(truncatingIfNeeded: twos &<< 52), to: SIMD8<Double>.self)
        let ratio = (mantissa - 1) / (mantissa + 1)
        let square = ratio * ratio
        var series = square * 0.076_923_076_923_076_92 + 0.090_909_090_909_090_91
        series = series * square + 0.111_111_111_111_111_11
        series = series * square + 0.142_857_142_857_142_86
        series = series * square + 0.2
        series = series * square + 0.333_333_333_333_333_33
        series = series * square + 1
        let logarithm = ratio * series * 2 + Row(twos) * 0.693_147_180_559_945_3
        let small = logarithm * (exponent / 64)
        var result = small * 0.000_198_412_698_412_698_41 + 0.001_388_888_888_888_888_9
        result = result * small + 0.008_333_333_333_333_333
        result = result * small + 0.041_666_666_666_666_667
        result = result * small + 0.166_666_666_666_666_67
        result = result * small + 0.5
        result = result * small + 1
        result = result * small + 1
        for _ in 0..<6 { result *= result }
        return result
    }
}
